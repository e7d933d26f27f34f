#include "attention/stack.hpp"

#include "certificate/rule.hpp"
#include "forward/moment_pass.hpp"

namespace sinkproof::check {
namespace {

using certificate::Bound;
using certificate::Readout;
using exact::Integer;

// Of a whole number in units of 2^-p.
exact::Rational value(const Integer& units) {
  return exact::make_rational(units, Integer(1) << forward::kBoxPrecision);
}

void require_within(const Bound& bound, const forward::Range& proved, std::string_view rule,
                    const std::string& where) {
  const bool holds = is_floor(bound.readout) ? bound.lower <= value(proved.lower)
                                             : value(proved.upper) <= bound.upper;
  require(holds, std::string(rule), where + " may have attention outside its bounds");
}

}  // namespace

void Stack::require_bound(const Bound& bound, std::string_view rule,
                          const certificate::Polynomials& proof) {
  const std::string where(rule);
  const forward::BoxBounds& proved = bounds({rule, proof.degree, proof.row_degree});
  const auto rows = static_cast<std::size_t>(*bound.rows);
  require(proved.loss[rows].has_value(), where, "the pass does not reach these rows");
  if (bound.readout == Readout::kLoss) {
    return require(value(*proved.loss[rows]) <= bound.upper, where, "the loss may be larger");
  }
  if (is_rollout(bound.readout)) {
    require(proved.rollout[rows].has_value(), where, "the pass followed no rollout of these rows");
    return require_within(bound, *proved.rollout[rows], rule, "the layers together");
  }
  for (std::size_t l = 0; l < proved.paid.size(); ++l) {
    for (std::size_t h = 0; h < proved.paid[l].size(); ++h) {
      if (bound.head && (*bound.head != h || *bound.layer != l)) continue;
      const auto& paid = proved.paid[l][h][rows];
      if (!paid) continue;
      require_within(bound, is_null(bound.readout) ? paid->null : paid->bos, rule,
                     "layer " + std::to_string(l) + " head " + std::to_string(h));
    }
  }
}

const forward::BoxBounds& Stack::bounds(const Asked& asked) {
  const auto found = made_.find(asked);
  if (found != made_.end()) return found->second;
  const auto& [rule, degree, row_degree] = asked;
  forward::BoxRequest request{stated_.length, stated_.first_trigger,   stated_.last_trigger, degree,
                              row_degree,     certificate::Rows::kPre, stated_.box};
  for (const certificate::Property& property : stated_.properties) {
    const Bound* bound = property.bound();
    const auto* by = certificate::part_of<certificate::Polynomials>(property.proof);
    if (bound == nullptr || by == nullptr) continue;
    if (Asked(rule_of(property.proof), by->degree, by->row_degree) != asked) continue;
    request.rows = std::max(request.rows, *bound->rows);
  }
  auto made = rule == certificate::ByMoments::kName ? forward::moment_bounds(model_, request)
                                                    : forward::box_bounds(model_, request);
  require(made.has_value(), std::string(rule), "a number is too large");
  return made_.emplace(asked, *std::move(made)).first->second;
}

}  // namespace sinkproof::check
