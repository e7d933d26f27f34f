#include "measure/run.hpp"

#include <utility>

#include "claim/refusal.hpp"

namespace sinkproof::measure {
namespace {

using exact::fail;
using exact::Result;

Result<std::vector<Kind>> chosen_kinds(const RunRequest& request) {
  std::vector<Kind> kinds;
  for (const Kind kind : kKinds) {
    const bool named = request.names(to_string(kind));
    const bool on_demand = kind == Kind::kRepresentable;  // it can refute
    if (!named && (on_demand || !request.properties.empty())) continue;
    const bool may = request.forward() || applies(kind, !request.model.empty());
    if (may) kinds.push_back(kind);
    if (!may && named) {
      return fail("SP1507", "--property " + to_string(kind),
                  applies(kind, false)
                      ? "is about rows as queries; leave --model out"
                      : "is about a head; give the file that holds it with --model");
    }
  }
  return kinds;
}

// What representable asks of the rows. All targets have as many rows.
Result<PatternDemand> demanded(const RunRequest& request, const Targets& targets) {
  const std::size_t count = targets.list.front().subject.tokens.rows.rows();
  const auto margin = margin_of(request.pattern);
  if (!margin) return tl::unexpected(margin.error());
  PatternDemand demand;
  demand.margin = *margin;
  demand.kinds = kinds_of(request.pattern, demand.kinds);
  if (!request.anchor && !request.vectors) {
    auto roles = roles_of(request.pattern, *targets.input, count);
    if (!roles) return tl::unexpected(roles.error());
    demand.roles = std::move(*roles);
  }
  auto constraints = constraints_of(request.pattern, count, *margin);
  if (!constraints) return tl::unexpected(constraints.error());
  demand.constraints = std::move(*constraints);
  return demand;
}

Result<Request> asked(const RunRequest& request, const Targets& targets) {
  Request each{{}, request.anchor, request.vectors, targets.beta, {}};
  if (!request.names(to_string(Kind::kRepresentable))) return each;
  auto demand = demanded(request, targets);
  if (!demand) return tl::unexpected(demand.error());
  each.demand = std::move(*demand);
  return each;
}

Result<void> have_accepted(const json::Value& certificate, const Targets& targets,
                           const Accept& accept) {
  std::vector<std::string> files = {targets.input->bytes};
  if (targets.model) files.push_back(targets.model->bytes);
  const auto accepted = accept(certificate, files);
  if (accepted) return {};
  return tl::unexpected(claim::refusal("measure", accepted.error()));
}

Result<std::vector<Found>> measure_all(Request request, const Targets& targets,
                                       const std::string& claim_hash, const Accept& accept,
                                       const Progress& progress) {
  std::vector<Found> found;
  for (const Target& target : targets.list) {
    progress("measuring " + target.place.text(),
             static_cast<double>(found.size()) / static_cast<double>(targets.list.size()));
    request.kinds = target.kinds;
    auto measurement = measure(target.subject, request, claim_hash);
    if (!measurement) return tl::unexpected(measurement.error());
    const bool decided = !measurement->certificate.is_null();
    if (!decided && measurement->patterns.empty()) continue;
    if (decided) {
      const auto accepted = have_accepted(measurement->certificate, targets, accept);
      if (!accepted) return tl::unexpected(accepted.error());
    }
    found.push_back({&target, std::move(*measurement)});
  }
  return found;
}

}  // namespace

Result<Run> run(const RunRequest& request, const std::string& claim_hash, const Accept& accept,
                const Progress& progress) {
  const auto kinds = chosen_kinds(request);
  if (!kinds) return tl::unexpected(kinds.error());
  auto targets = read_targets(request, *kinds);
  if (!targets) return tl::unexpected(targets.error());
  auto each = asked(request, *targets);
  if (!each) return tl::unexpected(each.error());
  auto found = measure_all(std::move(*each), *targets, claim_hash, accept, progress);
  if (!found) return tl::unexpected(found.error());
  return Run{std::move(*targets), std::move(*found)};
}

}  // namespace sinkproof::measure
