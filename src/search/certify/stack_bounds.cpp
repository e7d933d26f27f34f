#include "certify/stack_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "certificate/checkpoint.hpp"
#include "certify/stack_effort.hpp"
#include "certify/workers.hpp"
#include "forward/moment_pass.hpp"
#include "forward/polynomial.hpp"

namespace sinkproof::certify {
namespace {

using exact::Integer;
using exact::Rational;
using Clock = std::chrono::steady_clock;

constexpr double kSecondsPerUnit = 1e-8;  // estimate, at first

std::size_t index(RowClass rows) { return static_cast<std::size_t>(rows); }

Rational value(const Integer& units) {
  return exact::make_rational(units, Integer(1) << forward::kBoxPrecision);
}

// What a pass says; nothing where it ended before these rows.
std::optional<Rational> bound(const forward::BoxBounds& bounds, const StackQuestion& question) {
  const auto& loss = bounds.loss[index(question.rows)];
  if (!loss) return std::nullopt;
  if (question.loss) return value(*loss);
  if (question.rollout) {
    const std::optional<forward::Range>& whole = bounds.rollout[index(question.rows)];
    if (!whole) return std::nullopt;  // rule `moments` follows none
    return value(question.ceiling ? whole->upper : whole->lower);
  }
  std::optional<Integer> end;
  for (std::size_t l = 0; l < bounds.paid.size(); ++l) {
    for (std::size_t h = 0; h < bounds.paid[l].size(); ++h) {
      if (question.head && (*question.head != h || *question.layer != l)) continue;
      const auto& paid = bounds.paid[l][h][index(question.rows)];
      if (!paid) continue;
      const forward::Range& slot = question.slot == Slot::kBos ? paid->bos : paid->null;
      const Integer& here = question.ceiling ? slot.upper : slot.lower;
      if (!end || (question.ceiling ? here > *end : here < *end)) end = here;
    }
  }
  if (!end) return std::nullopt;
  return value(*end);
}

// The search: its steps do not depend on time, which only ends it.
class StackPasses {
 public:
  StackPasses(const forward::Model& model, const StackSearch& search)
      : model_(model), search_(search), effort_(model, search.box) {}

  exact::Result<StackBounds> run() {
    const RowClass rows = is_asked(RowClass::kPost) ? RowClass::kPost : RowClass::kPre;
    const RowClass last = is_asked(RowClass::kTrigger) ? std::max(rows, RowClass::kTrigger) : rows;
    const forward::BoxRequest first = request(1, 1, last);
    if (is_too_long(first) || effort_.of(first) > search_.first_effort) return too_long();
    try {
      if (!pass(first)) {
        return exact::fail("SP1403", "model",
                           "has a number beyond the range of the pass; scale the weights down");
      }
    } catch (const OutOfTime&) {
      return too_long();
    }
    kept_ += effort_.of(first);
    Series of_trigger{is_asked(RowClass::kTrigger), {}};
    Series of_rows{is_asked(rows), {}};
    for (std::size_t degree = 2; degree <= forward::kMostDegree; ++degree) {
      step(of_trigger, request(degree, seen_degree(degree), RowClass::kTrigger));
      if (degree == 2 && kind().normalised && follow_moments()) of_trigger.goes_on = false;
      step(of_rows, request(1, degree, rows));
    }
    if (!kind().normalised) follow_moments();
    return StackBounds(std::move(made_));
  }

 private:
  [[nodiscard]] bool is_asked(RowClass rows) const { return search_.asked[index(rows)]; }
  [[nodiscard]] const certificate::AttentionKind& kind() const {
    return model_.blocks.front().kind;
  }

  [[nodiscard]] forward::BoxRequest request(std::size_t degree, std::size_t row_degree,
                                            RowClass last) const {
    return {search_.length,
            search_.triggers.first,
            search_.triggers.last,
            degree,
            row_degree,
            static_cast<certificate::Rows>(last),
            search_.box};
  }

  // Content keys of a stack need a high degree where the trigger's row does, unless their weights
  // are affine.
  [[nodiscard]] std::size_t seen_degree(std::size_t degree) const {
    constexpr std::size_t kMost = 3;
    const bool affine = kind().kernel != certificate::Kernel::kExp;
    return affine || model_.blocks.size() == 1 ? 1 : std::min(degree, kMost);
  }

  // Passes of higher and higher degree; the last kept one's request.
  struct Series {
    bool goes_on;
    std::optional<forward::BoxRequest> last;
  };

  void step(Series& series, const forward::BoxRequest& request) {
    if (!series.goes_on) return;
    series.goes_on = false;
    const double cost = effort_.of(request);
    const double last_cost = series.last ? effort_.of(*series.last) : 0;
    out_of_time_ = out_of_time_ || is_too_long(request);
    if (out_of_time_ || kept_ - last_cost + cost > search_.effort) return;
    const std::array<std::optional<Integer>, forward::BoxBounds::kClasses> before = best_;
    try {
      if (!pass(request)) return;
    } catch (const OutOfTime&) {
      out_of_time_ = true;
      return;
    }
    const bool better = helps(before);
    series.goes_on = better || std::max(request.degree, request.row_degree) == 2;
    if (!better) {
      made_.pop_back();
      best_ = before;
      return;
    }
    if (kept_ + cost > search_.effort && series.last) forget(*series.last);
    kept_ += cost;
    series.last = request;
  }

  // Passes by means and covariances. Whether they say more of the trigger's rows.
  bool follow_moments() {
    if (!kind().has_moments()) return false;
    const std::optional<Integer> before = best_[index(RowClass::kTrigger)];
    const bool of_trigger = is_asked(RowClass::kTrigger);
    const RowClass rows = of_trigger ? RowClass::kTrigger : RowClass::kPre;
    const RowClass last = is_asked(RowClass::kPost) ? RowClass::kPost : rows;
    constexpr std::size_t kLeast = certificate::ByMoments::kLeast;
    constexpr std::size_t kNext = kLeast + 1;
    constexpr std::size_t kMost = certificate::ByMoments::kMost;
    moments(request(kLeast, kLeast, last), first_moments(kLeast));
    const double first = moments(request(kNext, kNext, last), first_moments(kNext));
    // How often as long as the one below a degree took on stacks of two layers, width 16.
    constexpr double kOfTrigger = 4;
    const double of_rows = kind().normalised ? 30 : 4;
    double took = first;
    for (std::size_t degree = kNext + 1; of_trigger && degree <= kMost; ++degree) {
      took = moments(request(degree, kNext, last), kOfTrigger * took);
    }
    took = first;
    for (std::size_t degree = kNext + 1; degree <= kMost; ++degree) {
      took = moments(request(kNext, degree, kind().normalised ? RowClass::kPre : last),
                     of_rows * took);
    }
    return before && *best_[index(RowClass::kTrigger)] < *before;
  }

  // Seconds that the first pass of degree 1 or 2 takes, about. Measured where weights are not
  // shares: of degree 1, a row and head took 23 ms with 29 noise coordinates and 250 ms with 61; of
  // degree 2, a row of two layers of two heads took 0.9 s with 13 and 61 s with 29.
  [[nodiscard]] double first_moments(std::size_t degree) const {
    if (kind().normalised) return 0;
    const auto heads = static_cast<double>(model_.blocks.size() * model_.blocks.front().heads);
    const auto noise = static_cast<double>(model_.width) - 3;
    const TriggerRange& all = search_.triggers;
    const auto rows = static_cast<double>(2 * search_.length + all.last - all.first + 1);
    const double of_head = degree == 1 ? 1e-6 * std::pow(noise, 3) : 0.3e-6 * std::pow(noise, 5);
    return rows * heads * of_head;
  }

  // A pass that is expected to take so many seconds, and a checker as many; kept if it helps. The
  // seconds it took; infinity where it is not kept, or was expected to take longer than there is
  // time.
  double moments(const forward::BoxRequest& asked, double expected) {
    constexpr double kNot = std::numeric_limits<double>::infinity();
    const double begun = spent();
    if (begun + 2 * expected > search_.seconds) return kNot;
    const auto before = best_;
    try {
      if (!pass(asked, true)) return kNot;
    } catch (const OutOfTime&) {
      return kNot;
    }
    if (helps(before)) return spent() - begun;
    made_.pop_back();
    best_ = before;
    return kNot;
  }

  // Whether bounds got better by a hundredth at least: a higher degree costs the checkers time.
  [[nodiscard]] bool helps(
      const std::array<std::optional<Integer>, forward::BoxBounds::kClasses>& before) const {
    bool better = false;
    for (std::size_t rows = 0; rows < before.size(); ++rows) {
      if (!search_.asked[rows]) continue;
      better = better || 100 * *best_[rows] < 99 * *before[rows];
    }
    return better;
  }

  // Whether a pass, and a checker's of it and of those kept, would take longer than there is time,
  // at the speed of the last one.
  [[nodiscard]] bool is_too_long(const forward::BoxRequest& request) const {
    const double cost = effort_.of(request);
    return spent() + (cost + kept_ + cost) * seconds_per_unit_ > search_.seconds;
  }

  [[nodiscard]] tl::unexpected<exact::Error> too_long() const {
    const TriggerRange& all = search_.triggers;
    return exact::fail(
        "SP1413", "stack",
        fmt::format("has no bounds within the budget: polynomials of the first degree for triggers "
                    "at {} to {} of length {} take more than {:.3g} s; give a larger --seconds",
                    all.first, all.last, search_.length, search_.seconds));
  }

  // A pass that its successor leaves no room for: the checker makes those that are used.
  void forget(const forward::BoxRequest& request) {
    const auto is_it = [&](const StackBounds::Pass& pass) {
      return !pass.is_of_moments && pass.degree == request.degree &&
             pass.row_degree == request.row_degree;
    };
    std::erase_if(made_, is_it);
    kept_ -= effort_.of(request);
  }

  // Between two positions of the trigger a pass can be left.
  struct OutOfTime {};

  // False when a number is too large.
  bool pass(const forward::BoxRequest& request, bool is_of_moments = false) {
    const double before = spent();
    if (search_.progress) {
      search_.progress(
          (is_of_moments ? "means and covariances, degree " : "polynomials of degree ") +
          std::to_string(std::max(request.degree, request.row_degree)));
    }
    double helped = 0;
    const auto each = [&](std::size_t positions, const auto& follow) {
      helped = follow_positions(positions, follow);
    };
    auto bounds = is_of_moments ? forward::moment_bounds(model_, request, each)
                                : forward::box_bounds(model_, request, each);
    if (!is_of_moments) {
      // One thread's, as a checker has only one.
      const double took = spent() - before + helped;
      seconds_per_unit_ = std::max(kSecondsPerUnit, took / effort_.of(request));
    }
    if (!bounds) return false;
    if (is_of_moments) leave_room(*bounds, kind());
    for (std::size_t rows = 0; rows < best_.size(); ++rows) {
      const auto& loss = bounds->loss[rows];
      if (loss && (!best_[rows] || *loss < *best_[rows])) best_[rows] = loss;
    }
    made_.push_back({is_of_moments, request.degree, request.row_degree, *std::move(bounds)});
    return true;
  }

  // How tight bounds of rule `moments` come out may differ between checkers (4.21).
  static void leave_room(forward::BoxBounds& bounds, const certificate::AttentionKind& kind) {
    // Shares are known from what is missing from one as well.
    const unsigned share = kind.normalised ? 8 : 16;
    const Integer least = Integer(1) << (forward::kBoxPrecision - 28);  // for bounds near 0
    const auto wider = [&](const Integer& size) {
      return Integer(size + (abs(size) >> share) + least);
    };
    const Integer one = kind.normalised ? Integer(1) << forward::kBoxPrecision : Integer(0);
    for (auto& loss : bounds.loss) {
      if (loss) loss = wider(*loss);
    }
    for (auto& heads : bounds.paid) {
      for (auto& head : heads) {
        for (auto& paid : head) {
          if (!paid) continue;
          paid->bos.lower = one - wider(one - paid->bos.lower);
          paid->bos.upper = wider(paid->bos.upper);
          if (!kind.is_signed()) paid->bos.lower = std::max(Integer(0), paid->bos.lower);
          if (kind.normalised) paid->bos.upper = std::min(one, paid->bos.upper);
        }
      }
    }
  }

  // The seconds that it saved. Throws OutOfTime.
  double follow_positions(std::size_t positions, const std::function<void(std::size_t)>& follow) {
    Workers alone(1);
    Workers& workers = search_.workers == nullptr ? alone : *search_.workers;
    const double before = spent();
    std::atomic<double> busy = 0;
    std::atomic<bool> late = false;
    workers.each(positions, 0, [&](std::size_t i) {
      const double begun = spent();
      late = late || begun > search_.seconds;
      if (late) return;
      follow(i);
      busy += spent() - begun;
    });
    if (late) throw OutOfTime();
    return std::max(0.0, busy - (spent() - before));
  }

  [[nodiscard]] double spent() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  const forward::Model& model_;
  const StackSearch& search_;
  StackEffort effort_;
  double kept_ = 0;  // of all passes that are kept
  std::vector<StackBounds::Pass> made_;
  std::array<std::optional<Integer>, forward::BoxBounds::kClasses> best_;  // losses
  bool out_of_time_ = false;
  Clock::time_point start_ = Clock::now();
  double seconds_per_unit_ = kSecondsPerUnit;
};

}  // namespace

exact::Result<StackBounds> StackBounds::make(const forward::Model& model,
                                             const StackSearch& search) {
  return StackPasses(model, search).run();
}

Proof StackBounds::best(const StackQuestion& question) const {
  const bool from_above = question.loss || question.ceiling;
  std::optional<Rational> best;
  const Pass* by = nullptr;
  for (const Pass& pass : passes_) {
    const auto here = bound(pass.bounds, question);
    if (!here || (best && (from_above ? *here > *best : *here < *best))) continue;
    best = here;
    by = &pass;
  }
  if (by == nullptr) throw std::logic_error("no pass bounds what was asked");
  const certificate::Polynomials degrees{by->degree, by->row_degree};
  if (by->is_of_moments) return {*best, certificate::ByMoments{degrees}};
  return {*best, certificate::ByStack{degrees}};
}

}  // namespace sinkproof::certify
