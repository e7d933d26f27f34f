#include "certify/largest_box.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "certify/entries.hpp"
#include "claim/refusal.hpp"

namespace sinkproof::certify {
namespace {

using claim::Requirement;
using claim::Verdict;
using exact::Rational;
using exact::Result;
using Clock = std::chrono::steady_clock;

const Rational kLeast = exact::make_rational(1, 1024);
const Rational kMost = 1024;
// Boxes are not told apart any closer, relative to the smaller one.
const Rational kResolution = exact::make_rational(1, 1024);

bool is_floor(const Requirement& requirement) {
  return requirement.property.find("-floor") != std::string::npos;
}

// Something at an input of a box that is beyond a threshold.
struct Beyond {
  Rational radius;
  Rational attained;
  Witness witness;
};

class Search {
 public:
  Search(const model::AttentionModel& model, const Options& options,
         const std::vector<Requirement>& requirements, const Accept& accept)
      : model_(model), options_(options), requirements_(requirements), accept_(accept) {}

  Result<Certification> run() {
    Rational radius = 1;
    try_box(radius);
    while (!not_within_ && radius < kMost && has_time()) try_box(radius *= 2);
    while (!within_ && radius > kLeast && has_time()) try_box(radius /= 2);
    if (!within_ && !last_) return tl::unexpected(*error_);
    while (within_ && not_within_ && is_open(*radius_, *not_within_)) {
      try_box((*radius_ + *not_within_) / 2);
    }
    approach_from_beyond();
    return result();
  }

 private:
  // Whether there is time, and reason, to try a box between the two.
  [[nodiscard]] bool is_open(const Rational& from, const Rational& to) const {
    return to - from > kResolution * from && has_time();
  }

  [[nodiscard]] double spent() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  [[nodiscard]] bool has_time() const { return spent() + longest_ < options_.stack.seconds; }

  // The least box with a witness beyond a threshold.
  [[nodiscard]] std::optional<Rational> least_beyond() const {
    std::optional<Rational> least;
    for (const auto& [name, beyond] : beyond_) {
      if (!least || beyond.radius < *least) least = beyond.radius;
    }
    return least;
  }

  // Boxes that are not decided may still have a witness.
  void approach_from_beyond() {
    if (!not_within_) return;
    Rational open = *not_within_;
    for (Rational radius = open; !least_beyond() && radius < kMost && has_time();) {
      open = radius;
      try_box(radius *= 2);
    }
    while (least_beyond() && is_open(open, *least_beyond())) {
      const Rational middle = (open + *least_beyond()) / 2;
      try_box(middle);
      if (*least_beyond() > middle) open = middle;
    }
  }

  void try_box(const Rational& radius) {
    const double before = spent();
    model::AttentionModel model = model_;
    model.box = {{{-radius, radius}}};
    Options options = options_;
    constexpr double kShare = 12;
    options.stack.seconds /= kShare;
    if (options_.progress) {
      options.progress = [&](const std::string& doing, double share) {
        options_.progress("r = " + exact::to_string(radius) + ": " + doing, share);
      };
    }
    auto made = certify_accepted(model, options, accept_);
    if (made) {
      note(radius, *std::move(made));
    } else {
      error_ = made.error();
      exclude(radius);
    }
    longest_ = std::max(longest_, spent() - before);
  }

  void exclude(const Rational& radius) {
    if (!not_within_ || radius < *not_within_) not_within_ = radius;
  }

  void note(const Rational& radius, Certification made) {
    bool proved = true;
    for (const Requirement& requirement : requirements_) {
      const auto found = std::find_if(
          made.properties.begin(), made.properties.end(),
          [&](const Property& each) { return each.name == requirement.property && !each.head; });
      if (found == made.properties.end()) {
        proved = false;
        continue;
      }
      const Verdict verdict = claim::decide(requirement, found->lower, found->upper);
      proved = proved && verdict == Verdict::kProved;
      if (verdict != Verdict::kRefuted) continue;
      const auto known = beyond_.find(requirement.property);
      if (known != beyond_.end() && known->second.radius <= radius) continue;
      beyond_[requirement.property] = {
          radius, is_floor(requirement) ? *found->upper : *found->lower, *found->witness};
    }
    if (!proved) {
      exclude(radius);
      last_ = std::move(made);
    } else if (!within_ || radius > *radius_) {
      radius_ = radius;
      within_ = std::move(made);
    }
  }

  Result<Certification> result() {
    Certification result = within_ ? *std::move(within_) : *std::move(last_);
    for (const Requirement& requirement : requirements_) {
      Decided decided = within_radius(requirement);
      if (decided.stated) result.stated.properties.push_back(*std::move(decided.stated));
      result.properties.push_back(std::move(decided.property));
    }
    if (const auto accepted = accept_(result.certificate()); !accepted) {
      return tl::unexpected(claim::refusal("certify", accepted.error()));
    }
    return result;
  }

  [[nodiscard]] Decided within_radius(const Requirement& requirement) const {
    Decided decided;
    Property& property = decided.property;
    property.name = "largest-box." + requirement.property;
    property.reason = requirement.text;
    property.seconds = spent();
    const auto beyond = beyond_.find(requirement.property);
    if (beyond != beyond_.end()) {
      property.upper = beyond->second.radius;
      property.witness = beyond->second.witness;
    }
    if (!radius_) {
      property.verdict = "unknown";
      property.hypothesis = requirement.text + ": no box [-r,r] is proved to meet it";
      return decided;
    }
    property.verdict = "enclosed";
    property.lower = *radius_;
    property.hypothesis = requirement.text + " holds in every box [-r,r] with r <= lower and " +
                          (property.upper      ? "fails in every one with r >= upper"
                           : *radius_ >= kMost ? "no larger box was tried"
                                               : "no box is known in which it fails");
    const Rational& threshold =
        is_floor(requirement) ? *requirement.at_least : *requirement.at_most;
    certificate::LargestBox largest{
        *radius_, {}, threshold, certificate::bound_named(requirement.property).value()};
    if (beyond != beyond_.end()) {
      largest.upper = beyond->second.radius;
      (is_floor(requirement) ? largest.beyond.upper : largest.beyond.lower) =
          beyond->second.attained;
      largest.beyond.witness = stated_witness(beyond->second.witness);
    }
    decided.stated =
        certificate::Property{property.name, property.verdict,
                              certificate::ByMaximum{{{requirement.property}}}, std::move(largest)};
    return decided;
  }

  const model::AttentionModel& model_;
  const Options& options_;
  const std::vector<Requirement>& requirements_;
  const Accept& accept_;
  Clock::time_point start_ = Clock::now();
  double longest_ = 0;  // that a box took, seconds
  std::optional<Rational> radius_;
  std::optional<Certification> within_;  // of the largest box that meets all
  std::optional<Certification> last_;    // of the last one that does not
  std::optional<Rational> not_within_;   // the least radius not shown to meet all
  std::optional<exact::Error> error_;
  std::map<std::string, Beyond> beyond_;  // by property, at the least radius
};

}  // namespace

Result<Certification> certify_largest_box(const model::AttentionModel& model,
                                          const Options& options,
                                          const std::vector<Requirement>& requirements,
                                          const Accept& accept) {
  for (const Requirement& requirement : requirements) {
    const bool kept = is_floor(requirement) ? !requirement.at_most : !requirement.at_least;
    const bool of_all = !options.stack.head || requirement.property.starts_with("sup-loss");
    if (kept && of_all) continue;
    return exact::fail(
        "SP1411", "--largest-box " + requirement.text,
        "must bound a loss or ceiling from above, or a floor from below, over all heads");
  }
  return Search(model, options, requirements, accept).run();
}

}  // namespace sinkproof::certify
