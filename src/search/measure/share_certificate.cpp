#include "measure/share_certificate.hpp"

#include <utility>

#include "certificate/checkpoint.hpp"
#include "claim/refusal.hpp"
#include "measure/digits.hpp"
#include "model/certificate_entry.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::measure {
namespace {

json::Value enclosed(std::string name, const exact::Rational& lower, const exact::Rational& upper) {
  return {{"name", std::move(name)},
          {"verdict", "enclosed"},
          {"lower", exact::to_string(lower)},
          {"upper", exact::to_string(upper)},
          {"proof", {{"rule", "forward"}}}};
}

json::Value inputs_entry(const TokenSource& source, const TokenRows& tokens) {
  if (source.file.empty()) return {{"count", source.random}, {"seed", source.seed}};
  return {{"sha256", tokens.sha256}, {"tensor", tokens.tensor}};
}

json::Value properties_entry(const SinkShare& share) {
  json::Value all = json::Value::array();
  all.push_back(enclosed("sink-share", share.lower(), share.upper()));
  all.back()["epsilon"] = exact::to_string(share.epsilon);
  all.back()["position"] = share.position;
  const Alphas& first = share.alphas.front();
  for (std::size_t l = 0; l < first.rows(); ++l) {
    for (std::size_t h = 0; h < first.columns(); ++h) {
      const HeadShare head = head_share(share, l, h);
      all.push_back(enclosed("value.alpha." + std::to_string(l) + "." + std::to_string(h),
                             rounded::round_down_decimal(head.smallest.lower, kDigits),
                             rounded::round_up_decimal(head.largest.upper, kDigits)));
      all.back()["readout"] = {{"kind", "alpha"},
                               {"sequence", nullptr},
                               {"layer", l},
                               {"head", h},
                               {"position", share.position}};
    }
  }
  return all;
}

}  // namespace

exact::Result<CertifiedShare> certified_share(const ShareRequest& request, const Accept& accept,
                                              const std::function<void(std::size_t)>& finished) {
  auto share = sink_share(request.model, sequences_of(request.tokens.rows, request.tokens.length),
                          request.epsilon, request.position, request.jobs, finished);
  if (!share) return tl::unexpected(share.error());
  json::Value made =
      share_certificate(request.model, request.source, request.tokens, *share, request.claim_hash);
  if (const auto accepted = accept(made, request.files); !accepted) {
    return tl::unexpected(claim::refusal("measure", accepted.error()));
  }
  return CertifiedShare{std::move(*share), std::move(made)};
}

json::Value share_certificate(const model::AttentionModel& model, const TokenSource& source,
                              const TokenRows& tokens, const SinkShare& share,
                              const std::string& claim_hash) {
  return {{"format", certificate::kCheckpointFormat},
          {"kind", "checkpoint"},
          {"claim", "checkpoint"},
          {"claim_sha256", claim_hash},
          {"semantics", "real"},
          {"length", tokens.length},
          {"box", nullptr},
          {"triggers", nullptr},
          {"model", model::certificate_entry(model)},
          {"inputs", inputs_entry(source, tokens)},
          {"ranges", nullptr},
          {"properties", properties_entry(share)}};
}

}  // namespace sinkproof::measure
