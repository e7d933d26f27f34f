#include "certify/certify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "certificate/checkpoint.hpp"
#include "certificate/strict.hpp"
#include "certify/attained.hpp"
#include "certify/entries.hpp"
#include "certify/estimate.hpp"
#include "certify/journal.hpp"
#include "certify/layer_row.hpp"
#include "certify/pieces.hpp"
#include "certify/progress.hpp"
#include "certify/row.hpp"
#include "certify/sampling.hpp"
#include "certify/separable_row.hpp"
#include "certify/softmax_floor.hpp"
#include "certify/stack.hpp"
#include "certify/stack_bounds_once.hpp"
#include "certify/theorem.hpp"
#include "certify/unit.hpp"
#include "certify/workers.hpp"
#include "model/forward_model.hpp"
#include "rounded/decimal.hpp"
#include "rounded/double.hpp"
#include "write/write.hpp"

namespace sinkproof::certify {
namespace {

using exact::Integer;
using exact::Rational;
using model::Attention;

constexpr unsigned kAttainedDigits = 9;
constexpr double kSampleRoom = 10;  // of sampled losses, in units of Effort::margin

class Run {
 public:
  Run(const model::AttentionModel& model, const Options& options)
      : model_(model),
        options_(options),
        whole_(certificate_of(model, options)),
        effort_(options.effort),
        layer_(make_layer(model)),
        exact_model_(model::forward_model(model)),
        prepared_(exact_model_),
        progress_(options.progress, options.stack.seconds),
        workers_(options.jobs),
        sharing_(piece_sharing(model, options, workers_)) {
    effort_.sharing = &sharing_;
    deadline_ = start_ + std::chrono::duration_cast<Budget::Clock::duration>(
                             std::chrono::duration<double>(options.stack.seconds));
    if (std::any_of(layer_.heads.begin(), layer_.heads.end(), is_beyond_estimates)) {
      effort_.roots_only = true;
    }
  }

  // The certificate of these properties; nothing else of it is left out.
  certificate::Checkpoint certificate(std::vector<certificate::Property> properties) {
    certificate::Checkpoint result = whole_;
    result.properties = std::move(properties);
    if (ranges_used_) {
      // Nothing where only a journal that somebody made up says that they are used.
      result.ranges =
          ranges_once([&] { return ranges() ? stated(*ranges()) : json::Value(nullptr); });
    }
    if (!points_used_ && (!result.ranges || result.ranges->trees.points.empty())) return result;
    for (const Head& head : layer_.heads) result.multipliers.push_back(head.coupling->stated());
    return result;
  }

  const Decided& decide(const std::string& name) {
    const auto found = decided_.find(name);
    if (found != decided_.end()) return found->second;
    return decided_.emplace(name, timed(name)).first->second;
  }

  // Decides those of `names` that stand on their own, options.jobs at a time.
  void decide_apart(const std::vector<std::string>& names) {
    expected_ = names.size();
    std::vector<std::string> apart;
    for (const std::string& name : names) {
      if (stands_apart(name)) apart.push_back(name);
    }
    // What takes longest and matters most while there is time: the trigger's row, then others.
    const auto rank = [](const std::string& name) {
      return name == "sup-loss.trigger" ? 0 : name.starts_with("sup-loss.") ? 1 : 2;
    };
    std::stable_sort(apart.begin(), apart.end(),
                     [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
    workers_.each(apart.size(), sharing_.first_of(apart.size()), [&](std::size_t i) {
      Decided decided = timed(apart[i]);
      const std::lock_guard lock(mutex_);
      decided_.emplace(apart[i], std::move(decided));
    });
  }

 private:
  [[nodiscard]] double share_done() {
    const std::lock_guard lock(mutex_);
    return static_cast<double>(decided_.size()) /
           static_cast<double>(std::max<std::size_t>(1, expected_));
  }

  Decided timed(const std::string& name) {
    progress_.begin(name, share_done());
    const auto start = std::chrono::steady_clock::now();
    const bool apart = stands_apart(name);
    Decided decided =
        apart ? decided_once(model_, options_, name, [&] { return compute(name); }) : compute(name);
    if (!apart || options_.journal == nullptr) decided.property.seconds = since(start);
    if (apart && rests_on_ranges(decided)) ranges_used_ = true;
    if (apart && has_points(decided)) points_used_ = true;
    decided.property.name = name;
    return decided;
  }

  static double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  // Theorems and the loss of all rows follow from other properties.
  static bool stands_apart(const std::string& name) {
    return name != "sup-loss" && !name.starts_with("theorem.");
  }

  [[nodiscard]] bool rests_on_ranges(const Decided& decided) const {
    return decided.property.verdict == "enclosed" &&
           certificate::rests_on_ranges(certificate::rule_of(decided.stated->proof),
                                        whole_.model.kind());
  }

  static bool has_points(const Decided& decided) {
    if (!decided.stated) return false;
    const certificate::Trees* trees =
        certificate::part_of<certificate::Trees>(decided.stated->proof);
    return trees != nullptr && !trees->points.empty();
  }

  Decided compute(const std::string& name) {
    if (name == "sup-loss") return overall_loss();
    if (name == "theorem.tc-2") return theorem_tc2();
    if (name.starts_with("theorem.")) return theorem(name);
    const RowClass rows = name.ends_with(".pre")       ? RowClass::kPre
                          : name.ends_with(".trigger") ? RowClass::kTrigger
                                                       : RowClass::kPost;
    if (name.starts_with("sup-loss.")) return loss(name, rows);
    const Slot slot = name.starts_with("null-") ? Slot::kNull : Slot::kBos;
    return attention(name, rows, slot, name.find("-ceiling") != std::string::npos);
  }

  [[nodiscard]] Budget::Clock::duration time_left() const {
    return std::max(deadline_ - Budget::Clock::now(), Budget::Clock::duration(0));
  }

  // The effort of one proof: what helps it to be found is its own, whatever thread finds it, and it
  // may take half of the time left, and a quarter for what costs next to nothing.
  [[nodiscard]] Effort fresh() const {
    const auto now = Budget::Clock::now();
    Effort effort = effort_;
    effort.nodes.labels = std::make_shared<std::vector<Label>>();
    effort.nodes.deadline = now + time_left() / 2;
    effort.nodes.end = *effort.nodes.deadline + time_left() / 4;
    return effort;
  }

  [[nodiscard]] AttackEffort attack_effort() const {
    AttackEffort effort;
    effort.seed = options_.seed;
    effort.deadline = Budget::Clock::now() + time_left() / 4;
    return effort;
  }

  // Between which numbers kernels lie: found once, when a proof asks for it.
  const exact::Result<LayerRanges>& ranges() {
    const std::lock_guard lock(ranges_mutex_);
    if (ranges_) return *ranges_;
    ranges_ = find_ranges(layer_, fresh());
    if (*ranges_) ranges_once([&] { return stated(**ranges_); });
    return *ranges_;
  }

  [[nodiscard]] json::Value stated(const LayerRanges& found) const {
    return write::written(found.stated(), whole_);
  }

  // As a journal keeps them. `make`, null where there are none, is not asked where it has them.
  std::optional<certificate::Ranges> ranges_once(const std::function<json::Value()>& make) {
    const auto read = [this](const json::Value& value) {
      return certificate::result_of(
          [&] { return certificate::read<certificate::Ranges>(value, "ranges", whole_); });
    };
    const json::Value kept = found_once(
        model_, options_, "ranges",
        [&](const json::Value& value) { return read(value).has_value(); }, make);
    auto found = read(kept);
    return found ? std::optional(*std::move(found)) : std::nullopt;
  }

  // Rule `stack`, for all properties at once, when one asks for it; nothing where that takes longer
  // than there is time.
  const std::optional<StackBounds>& passes() {
    const std::lock_guard lock(passes_mutex_);
    if (!passes_) passes_.emplace(make_passes());
    return *passes_;
  }

  std::optional<StackBounds> make_passes() {
    if (effort_.pass_units == 0) return std::nullopt;
    StackSearch search{model_.length,
                       model_.box,
                       {3, model_.length},
                       {true, true, model_.length >= 4},
                       static_cast<double>(effort_.pass_units),
                       std::chrono::duration<double>(time_left()).count() / 2,
                       nullptr,
                       &workers_};
    search.first_effort = search.effort;
    auto made = stack_bounds_once(model_, options_, exact_model_, search);
    return made ? std::optional(*std::move(made)) : std::nullopt;
  }

  // No bound can be better than what is attained: within 3/1000 of it, attention within 1/10000.
  static bool is_close(const Proof& proof, const StackQuestion& question,
                       const Rational& attained) {
    const bool from_above = question.loss || question.ceiling;
    const Rational gap = from_above ? proof.bound - attained : attained - proof.bound;
    return gap <= exact::abs(attained) * Rational(3, 1000) &&
           (question.loss || gap <= Rational(1, 10000));
  }

  // The better one of two proofs, the second by rule `stack`, which takes the longest to find and
  // to check: only where the first one is not close to what is attained.
  exact::Result<Proof> or_pass(exact::Result<Proof> proof, const StackQuestion& question,
                               const Rational& attained) {
    if (proof && is_close(*proof, question, attained)) return proof;
    const auto& made = passes();
    if (!made) return proof;
    Proof other = made->best(question);
    const bool from_above = question.loss || question.ceiling;
    if (proof && (from_above ? proof->bound <= other.bound : proof->bound >= other.bound)) {
      return proof;
    }
    return other;
  }

  // The proof by a rule that rests on the ranges.
  template <typename Bound>
  exact::Result<Proof> by_ranges(const Bound& bound) {
    const auto& found = ranges();
    if (!found) return tl::unexpected(found.error());
    return bound(*found);
  }

  Decided loss(const std::string& name, RowClass rows) {
    const AttackResult attack = attack_loss(layer_, rows, attack_effort());
    const auto attained = attained_loss(prepared_, attack.witness);
    // A certificate may leave the lower bound of a loss at 0.
    const Rational least = attained ? exact::max(0, attained->lower) : Rational(0);
    StackQuestion question;
    question.rows = rows;
    const auto proof =
        or_pass(prove_loss(rows, rounded::to_double_estimate(least)), question, least);
    if (!proof) return failed(proof.error());
    const Rational lower = rounded::round_down_decimal(least, kAttainedDigits);
    return enclosed(name, rows_text(rows, false), lower, proof->bound, attack.witness, *proof);
  }

  // The sharpest of the rules that are sound for these rows and this layer.
  exact::Result<Proof> prove_loss(RowClass rows, double aim) {
    constexpr std::size_t kMaxLayerLength = 4096;
    auto by_layer = by_ranges([&](const LayerRanges& found) -> exact::Result<Proof> {
      if (model_.length <= kMaxLayerLength) return bound_layer_loss(found, rows);
      return exact::fail("SP1405", "length " + std::to_string(model_.length),
                         "is beyond 4096, the largest length that is certified for this kind of "
                         "layer; certify at a shorter length");
    });
    const auto most = by_layer ? std::optional(by_layer->bound) : std::nullopt;
    const auto& found = ranges();
    std::optional<Proof> sharp;
    if (layer_.is_separable_head() && found) {
      sharp = bound_separable_row_loss(layer_, *found, rows, aim, most, fresh());
    } else if (layer_.heads.size() == 1 && model::is_normalised(model_.attention) &&
               (found || layer_.is_relative())) {
      sharp = bound_row_loss(layer_, layer_.is_relative() ? nullptr : &*found, rows, aim, most,
                             fresh());
    }
    if (sharp) return *std::move(sharp);
    return by_layer;
  }

  // A floor or a ceiling over all heads: the search tries each of them.
  Decided attention(const std::string& name, RowClass rows, Slot slot, bool ceiling) {
    const AttackEffort effort = attack_effort();
    std::optional<Rational> attained;
    Witness witness;
    for (std::size_t h = 0; h < layer_.heads.size(); ++h) {
      const auto [found, value] = best_witness(rows, {slot, h, ceiling}, effort);
      if (!value || (attained && (ceiling ? *value <= *attained : *value >= *attained))) continue;
      attained = value;
      witness = found;
    }
    const std::string text = rows_text(rows, true);
    if (!attained) return failed(too_large());
    const auto proof =
        or_pass(ceiling ? prove_ceiling(rows, slot)
                        : prove_floor(rows, slot, rounded::to_double_estimate(*attained)),
                {rows, false, false, slot, ceiling, {}, {}}, *attained);
    if (!proof) return failed(proof.error());
    if (!ceiling) {
      const Rational upper = rounded::round_up_decimal(*attained, kAttainedDigits);
      return enclosed(name, text, proof->bound, upper, witness, *proof);
    }
    Rational lower = rounded::round_down_decimal(*attained, kAttainedDigits);
    if (!certificate::kind_of(model_.attention).is_signed()) lower = exact::max(0, lower);
    return enclosed(name, text, lower, proof->bound, witness, *proof);
  }

  // An input at which one head pays little (much), and what it pays there.
  std::pair<Witness, std::optional<Rational>> best_witness(RowClass rows, const AttentionGoal& goal,
                                                           const AttackEffort& effort) {
    Witness witness = attack_attention(layer_, rows, goal, effort).witness;
    const auto paid = attained_attention(prepared_, witness, goal.slot, goal.head);
    if (!paid) return {std::move(witness), std::nullopt};
    return {std::move(witness), goal.greatest ? paid->lower : paid->upper};
  }

  exact::Result<Proof> prove_floor(RowClass rows, Slot slot, double attained) {
    auto by_layer =
        by_ranges([&](const LayerRanges& found) { return bound_layer_floor(found, rows, slot); });
    if (!certificate::kind_of(model_.attention).is_relative()) return by_layer;
    Proof sharp = bound_softmax_floor(layer_, rows, slot, attained, fresh());
    if (by_layer && by_layer->bound > sharp.bound) return by_layer;
    return sharp;
  }

  exact::Result<Proof> prove_ceiling(RowClass rows, Slot slot) {
    return by_ranges(
        [&](const LayerRanges& found) { return bound_layer_ceiling(found, rows, slot); });
  }

  static exact::Error too_large() {
    return {"SP1403", "model",
            "its numbers are too large for the checker's forward pass; scale the weights down"};
  }

  // A property that could not be bounded: certify() returns why.
  static Decided failed(const exact::Error& why) {
    Decided decided;
    decided.failure = why;
    decided.property.verdict = "unknown";
    decided.property.lower = 0;
    decided.property.upper = 0;
    return decided;
  }

  Decided enclosed(const std::string& name, std::string rows, const Rational& lower,
                   const Rational& upper, const Witness& witness, const Proof& proof) {
    Decided decided;
    decided.property.name = name;
    decided.property.verdict = "enclosed";
    decided.property.rows = std::move(rows);
    decided.property.lower = stated_below(lower, effort_.places);
    decided.property.upper = stated_above(upper, effort_.places);
    decided.property.witness = witness;
    decided.stated = stated_bound(decided.property, proof.by);
    return decided;
  }

  Decided overall_loss() {
    std::vector<const Property*> parts = {&decide("sup-loss.pre").property,
                                          &decide("sup-loss.trigger").property};
    if (model_.length >= 4) parts.push_back(&decide("sup-loss.post").property);
    return largest_loss(parts);
  }

  Decided theorem(const std::string& name) {
    return forced_sink(name, *decide("sup-loss").property.upper, model_,
                       [this](const std::string& floor) { return *decide(floor).property.lower; });
  }

  // The threshold: above what is certified for the rows beside the trigger's, so that only that row
  // needs samples.
  Rational sampled_threshold() {
    if (options_.eta) return *options_.eta;
    // Beyond what the theorem needs where there is no telling.
    Rational eta =
        exact_value(likely_threshold(layer_, options_.samples, options_.seed)).value_or(1);
    for (const char* part : {"sup-loss.pre", "sup-loss.post"}) {
      eta = exact::max(eta, *decide(part).property.upper);
    }
    // A small denominator is cheap: the confidence accounts for the choice of eta. Two digits of
    // it.
    const Rational least = exact::make_rational(1, 1000000);
    return 1 / rounded::round_down_decimal(1 / exact::max(eta, least), 2);
  }

  Decided theorem_tc2() {
    const Rational eta = sampled_threshold();
    const std::string eta_text = "eta = " + rounded::decimal_up(eta, kAttainedDigits);
    const Rational unit = check::loss_unit(model_.box).value_or(0);
    Decided decided;
    Property& property = decided.property;
    property.rows = rows_text(RowClass::kPre, false);
    property.hypothesis = "0 < eta <= 1/12, and the certified loss beside the trigger row <= eta";
    const auto unknown = [&](const std::string& why) {
      property.verdict = "unknown";
      property.reason = why + " at " + eta_text;
      property.hypothesis += ": " + why + " at " + eta_text;
      return decided;
    };
    if (unit == 0) return unknown("it applies to boxes [-r,r] with r > 0 only and fails");
    if (eta <= 0 || 12 * eta > unit) return unknown("fails");
    for (const char* part : {"sup-loss.pre", "sup-loss.post"}) {
      if (*decide(part).property.upper > eta) return unknown("fails");
    }
    const Sampling sampling{model_.sha256, eta, options_.samples};
    if (effort_.roots_only) return unknown("doubles do not decide which samples exceed");
    const auto exceeding = count_exceeding(layer_, sampling, kSampleRoom * effort_.margin);
    if (!exceeding) return unknown("a sample's logits are beyond the checker's exp");
    property.exceeding = *exceeding;
    const Integer f = boost::multiprecision::denominator(eta);
    const Rational delta =
        confidence_bound(options_.samples, property.exceeding, options_.alpha, 29 * f * f);
    property.exceedance = delta;
    const Rational length(model_.length);
    property.probability = 1 - delta * (length - 1) * (length - 2) / 2;
    constexpr std::uint64_t kMaxExceeding = 1000;
    if (*property.probability <= 0 || property.exceeding > kMaxExceeding) {
      return unknown("too many of the samples exceed, or too few were drawn,");
    }
    property.verdict = "statistical";
    property.hypothesis += ": holds at " + eta_text;
    property.implied = 1 - 3 * eta / unit;
    property.certified = decide("bos-floor.pre").property.lower;
    decided.stated = certificate::Property{
        "theorem.tc-2", property.verdict, certificate::BySampling{{{"bos-floor.pre"}}},
        certificate::SampledTheorem{
            {eta, options_.samples, property.exceeding, options_.alpha, delta},
            *property.implied,
            *property.probability,
            *property.certified}};
    return decided;
  }

  const model::AttentionModel& model_;
  const Options& options_;
  certificate::Checkpoint whole_;  // but for what is decided
  Effort effort_;
  Layer layer_;
  Budget::Clock::time_point start_ = Budget::Clock::now();
  Budget::Clock::time_point deadline_;
  forward::Model exact_model_;
  forward::Prepared prepared_;
  std::mutex ranges_mutex_;
  std::optional<exact::Result<LayerRanges>> ranges_;
  std::atomic<bool> ranges_used_ = false;
  std::mutex passes_mutex_;
  std::optional<std::optional<StackBounds>> passes_;
  std::atomic<bool> points_used_ = false;
  std::mutex mutex_;
  std::map<std::string, Decided> decided_;
  std::size_t expected_ = 0;
  Progress progress_;
  Workers workers_;
  PieceSharing sharing_;
};

// Why witnesses as long as this one's leave no time for a search. Where a journal keeps what was
// done, any run may go on with it.
std::optional<exact::Error> too_long(const model::AttentionModel& model, std::size_t properties,
                                     const Options& options) {
  constexpr double kSecondsPerNumber = 4e-6;  // estimate, of its making and its check
  const double seconds =
      kSecondsPerNumber * static_cast<double>(model.length * model.d_model * properties);
  if (options.journal != nullptr || seconds <= std::max(1.0, options.stack.seconds)) return {};
  return exact::Error{
      "SP1413", "length " + std::to_string(model.length),
      fmt::format("exact inputs for {} properties take an estimated {:.0f} s to make and check, "
                  "but the budget is {:.3g} s; give a larger --seconds",
                  properties, seconds, options.stack.seconds)};
}

}  // namespace

bool needs_stack(const model::AttentionModel& model, const Options& options) {
  const StackOptions& stack = options.stack;
  const bool random =
      std::any_of(options.properties.begin(), options.properties.end(),
                  [](const std::string& name) { return name.starts_with("random."); });
  return random || model.layers.size() > 1 || model.residual || stack.triggers || stack.layer ||
         stack.head || stack.every_head;
}

std::vector<std::string> property_names(const model::AttentionModel& model) {
  const bool post = model.length >= 4;
  std::vector<std::string> names = {"sup-loss"};
  const auto add = [&](const std::string& family) {
    names.push_back(family + ".pre");
    names.push_back(family + ".trigger");
    if (post) names.push_back(family + ".post");
  };
  add("sup-loss");
  add("bos-floor");
  add("bos-ceiling");
  const certificate::AttentionKind& kind = certificate::kind_of(model.attention);
  if (kind.null_slot) {
    add("null-floor");
    add("null-ceiling");
  }
  const bool one_averaging_head = !model.residual && model.num_heads == 1 && kind.averages();
  if (one_averaging_head && model.layers.size() > 1) {
    add("rollout-floor");
    add("rollout-ceiling");
    names.emplace_back("theorem.tc-4");
  } else if (one_averaging_head) {
    constexpr std::size_t kMaxSampledLength = 4096;
    names.emplace_back("theorem.tc-1");
    if (post && model.length <= kMaxSampledLength) names.emplace_back("theorem.tc-2");
    names.emplace_back("theorem.tc-3");
  }
  return names;
}

exact::Result<Certification> certify(const model::AttentionModel& model, const Options& options) {
  constexpr std::size_t kMaxWidth = 4096;
  if (model.d_model > kMaxWidth) {
    return exact::fail("SP1408", "d_model " + std::to_string(model.d_model),
                       "is over 4096, the limit of the certificate format");
  }
  constexpr std::size_t kMost = 64;
  if (model.layers.size() > kMost || model.num_heads > kMost) {
    return exact::fail(
        "SP1401", "model",
        "has more than 64 layers of 64 heads, the limit of the certificate format: " +
            std::to_string(model.layers.size()) + " layer(s) of " +
            std::to_string(model.num_heads) + " head(s)");
  }
  for (const std::string& name : options.properties) {
    if (options.samples > 0 || !(name == "theorem.tc-2" || name.starts_with("random."))) continue;
    return exact::fail("SP1406", "property " + name.substr(0, 60),
                       "needs samples; give --samples N");
  }
  constexpr std::size_t kMostDrawn = 2'000'000;  // tokens of all samples; CHECKPOINT_RULES.md, 4.17
  if (options.samples > kMostDrawn / model.length) {
    return exact::fail("SP1407", std::to_string(options.samples) + " samples",
                       "are too many; a certificate may state at most " +
                           std::to_string(kMostDrawn / model.length) + " of length " +
                           std::to_string(model.length));
  }
  if (needs_stack(model, options)) return certify_stack(model, options);
  auto all = property_names(model);
  if (options.samples == 0) std::erase(all, "theorem.tc-2");
  const auto names = named_properties(model, options.properties, all);
  if (!names) return tl::unexpected(names.error());
  if (auto why = too_long(model, names->size(), options)) return tl::unexpected(*std::move(why));
  Run run(model, options);
  run.decide_apart(*names);
  Certification certification;
  certification.triggers = {3, model.length};
  certification.box = model.box;
  std::vector<certificate::Property> stated;
  for (const std::string& name : *names) {
    Decided decided = run.decide(name);
    if (decided.failure) return tl::unexpected(*decided.failure);
    // What is unknown states nothing, so the certificate does not hold it.
    if (decided.stated) stated.push_back(*std::move(decided.stated));
    certification.properties.push_back(std::move(decided.property));
  }
  certification.stated = run.certificate(std::move(stated));
  if (options.journal != nullptr && !options.journal->missing().empty()) {
    return tl::unexpected(part_missing(options.journal->missing().front()));
  }
  return certification;
}

}  // namespace sinkproof::certify
