#include "measure/share_certificate.hpp"

#include <utility>

#include "certificate/checkpoint.hpp"
#include "claim/refusal.hpp"
#include "measure/digits.hpp"
#include "model/reading.hpp"
#include "rounded/decimal.hpp"
#include "write/write.hpp"

namespace sinkproof::measure {
namespace {

using certificate::ByForward;

certificate::GivenInputs inputs_of(const TokenSource& source, const TokenRows& tokens) {
  certificate::GivenInputs inputs;
  if (source.file.empty()) {
    inputs.count = source.random;
    inputs.seed = source.seed;
  } else {
    inputs.sha256 = tokens.sha256;
    inputs.tensor = tokens.tensor;
  }
  return inputs;
}

std::vector<certificate::Property> properties_of(const SinkShare& share) {
  const certificate::SinkShare whole{share.epsilon, share.position, share.lower(), share.upper()};
  std::vector<certificate::Property> all = {{"sink-share", "enclosed", ByForward(), whole}};
  const Alphas& first = share.alphas.front();
  for (std::size_t l = 0; l < first.rows(); ++l) {
    for (std::size_t h = 0; h < first.columns(); ++h) {
      const HeadShare head = head_share(share, l, h);
      certificate::GivenValue value;
      value.kind = certificate::GivenValue::Kind::kAlpha;
      value.layer = l;
      value.head = h;
      value.key = share.position;
      value.lower = rounded::round_down_decimal(head.smallest.lower, kDigits);
      value.upper = rounded::round_up_decimal(head.largest.upper, kDigits);
      all.push_back({"value.alpha." + std::to_string(l) + "." + std::to_string(h), "enclosed",
                     ByForward(), std::move(value)});
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
  certificate::Checkpoint whole;
  whole.claim_sha256 = claim_hash;
  whole.length = tokens.length;
  whole.over_box = false;
  whole.model = model::reading_of(model);
  whole.inputs = inputs_of(source, tokens);
  whole.properties = properties_of(share);
  return write::written(std::move(whole));
}

}  // namespace sinkproof::measure
