// A sink share as a checkpoint certificate: rule `forward` of
// src/checker/certificate/CHECKPOINT_RULES.md, 4.18. It states the share, and for every head
// between which numbers its alphas lie.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "json/strict.hpp"
#include "measure/accept.hpp"
#include "measure/sink_share.hpp"
#include "measure/token_rows.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::measure {

// What a share is asked of: `tokens` came from `source`, `files` are the bytes of the model and of
// the token file, `claim_hash` is of proofs/checkpoint.
struct ShareRequest {
  const model::AttentionModel& model;
  const TokenSource& source;
  const TokenRows& tokens;
  exact::Rational epsilon;
  std::size_t position = 1;
  unsigned jobs = 1;
  std::vector<std::string> files;
  std::string claim_hash;
};

struct CertifiedShare {
  SinkShare share;
  json::Value certificate;  // taken by the checker
};

// sink_share() and its certificate. Their errors, and those of claim::refusal.
exact::Result<CertifiedShare> certified_share(
    const ShareRequest& request, const Accept& accept,
    const std::function<void(std::size_t)>& finished = {});

// `tokens` are the share's, from `source`; `claim_hash` is of proofs/checkpoint.
json::Value share_certificate(const model::AttentionModel& model, const TokenSource& source,
                              const TokenRows& tokens, const SinkShare& share,
                              const std::string& claim_hash);

}  // namespace sinkproof::measure
