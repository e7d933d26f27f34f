#include "attention/stack.hpp"

#include "certificate/rule.hpp"

namespace sinkproof::check {
namespace {

using certificate::Bound;
using certificate::Readout;
using exact::Integer;

// Of a whole number in units of 2^-p.
exact::Rational value(const Integer& units) {
  return exact::make_rational(units, Integer(1) << forward::kBoxPrecision);
}

void require_within(const Bound& bound, const forward::Range& proved, const std::string& where) {
  const bool holds = is_floor(bound.readout) ? bound.lower <= value(proved.lower)
                                             : value(proved.upper) <= bound.upper;
  require(holds, "stack", where + " may have attention outside its bounds");
}

}  // namespace

void Stack::require_bound(const Bound& bound, const certificate::ByStack& proof) {
  const forward::BoxBounds& proved = bounds(proof);
  const auto rows = static_cast<std::size_t>(*bound.rows);
  require(proved.loss[rows].has_value(), "stack", "the pass does not reach these rows");
  if (bound.readout == Readout::kLoss) {
    return require(value(*proved.loss[rows]) <= bound.upper, "stack", "the loss may be larger");
  }
  if (is_rollout(bound.readout)) {
    require(proved.rollout[rows].has_value(), "stack",
            "the pass followed no rollout of these rows");
    return require_within(bound, *proved.rollout[rows], "the layers together");
  }
  for (std::size_t l = 0; l < proved.paid.size(); ++l) {
    for (std::size_t h = 0; h < proved.paid[l].size(); ++h) {
      if (bound.head && (*bound.head != h || *bound.layer != l)) continue;
      const auto& paid = proved.paid[l][h][rows];
      if (!paid) continue;
      require_within(bound, is_null(bound.readout) ? paid->null : paid->bos,
                     "layer " + std::to_string(l) + " head " + std::to_string(h));
    }
  }
}

const forward::BoxBounds& Stack::bounds(const certificate::ByStack& asked) {
  const Degrees degrees = degrees_of(asked);
  const auto found = made_.find(degrees);
  if (found != made_.end()) return found->second;
  forward::BoxRequest request{stated_.length, stated_.first_trigger, stated_.last_trigger,
                              asked.degree,   asked.row_degree,      certificate::Rows::kPre,
                              stated_.box};
  for (const certificate::Property& property : stated_.properties) {
    const Bound* bound = property.bound();
    const auto* by = std::get_if<certificate::ByStack>(&property.proof);
    if (bound == nullptr || by == nullptr || degrees_of(*by) != degrees) continue;
    request.rows = std::max(request.rows, *bound->rows);
  }
  auto made = forward::box_bounds(model_, request);
  require(made.has_value(), "stack", "a number is 2^64 or more");
  return made_.emplace(degrees, *std::move(made)).first->second;
}

}  // namespace sinkproof::check
