// Bounds by rules `stack` and `moments` (CHECKPOINT_RULES.md, 4.19 and 4.21): passes over the box
// with polynomials of higher and higher degree, while they help and the effort and the time allowed
// last.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "certificate/box.hpp"
#include "certify/attack.hpp"
#include "certify/proof.hpp"
#include "certify/row_class.hpp"
#include "exact/error.hpp"
#include "forward/box_pass.hpp"

namespace sinkproof::certify {

class Workers;

// A loss, the rollout's entry for BOS, or heads' attention on a slot, in the rows of a class.
struct StackQuestion {
  RowClass rows = RowClass::kPre;
  bool loss = true;
  bool rollout = false;
  Slot slot = Slot::kBos;
  bool ceiling = false;
  std::optional<std::size_t> layer;  // from 0, with `head`; neither: all heads
  std::optional<std::size_t> head;
};

struct StackSearch {
  std::size_t length = 0;  // L
  certificate::Box box;
  TriggerRange triggers;
  std::array<bool, forward::BoxBounds::kClasses> asked{};  // of which rows
  double effort = 0;   // of all passes that are kept, as StackEffort, but for the first
  double seconds = 0;  // of all passes, and of a checker that makes those kept again
  std::function<void(const std::string& doing)> progress;  // told each pass
  Workers* workers = nullptr;  // follow different positions of the trigger; null: nobody helps
  double first_effort = std::numeric_limits<double>::infinity();  // of the first
};

class StackBounds {
 public:
  struct Pass {
    bool is_of_moments = false;  // rule `moments`, not `stack`
    std::size_t degree = 1;      // as forward::BoxRequest
    std::size_t row_degree = 1;
    forward::BoxBounds bounds;
  };

  // SP1403: a number is beyond the range of the pass. SP1413: even polynomials of the first degree
  // take longer than the seconds. More seconds, at the same
  // speed, never give a worse bound of a loss.
  static exact::Result<StackBounds> make(const forward::Model& model, const StackSearch& search);

  // Of passes that were made before. Precondition: the first has the rows of all questions.
  explicit StackBounds(std::vector<Pass> passes) : passes_(std::move(passes)) {}

  [[nodiscard]] const std::vector<Pass>& passes() const { return passes_; }

  // The best bound there is, from above for losses and ceilings. Precondition: the rows were asked.
  [[nodiscard]] Proof best(const StackQuestion& question) const;

 private:
  std::vector<Pass> passes_;
};

}  // namespace sinkproof::certify
