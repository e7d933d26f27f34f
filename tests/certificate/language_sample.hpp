// A language certificate with one statement of each form, about a model there is not.
#pragma once

#include <string>

#include "json/strict.hpp"

namespace sinkproof::test {

inline const std::string kHash(64, 'a');

inline json::Value language_statement(const std::string& readout) {
  return {{"readout", readout}, {"lower", {"0", "-1/3"}}, {"upper", {"1", "2"}}, {"sequence", 1}};
}

// One statement of each form.
inline json::Value accepted_language() {
  json::Value alpha = language_statement("alpha");
  alpha["position"] = 2;
  json::Value evicted = language_statement("moved");
  evicted["intervention"] = {{"first", 0}, {"window", 1}, {"renumbered", true}};
  json::Value ablated = language_statement("moved");
  ablated["intervention"] = {{"ablated", {{0, 1}, {1, 0}}}};
  json::Value share = language_statement("sink-share");
  share.erase("sequence");
  share["position"] = 1;
  share["epsilon"] = "3/10";
  const json::Value certificate = {
      {"format", 1},
      {"kind", "language"},
      {"claim", "language"},
      {"claim_sha256", kHash},
      {"semantics", "real"},
      {"model",
       {{"architecture", "gpt2"},
        {"files", {{"config.json", kHash}, {"model.safetensors", kHash}}}}},
      {"sequences", {{0, 2147483647}, {5}}},
      {"precision", 64},
      {"statements", {alpha, evicted, ablated, share, language_statement("mean-cosine")}}};
  return json::Value::parse(certificate.dump());
}

}  // namespace sinkproof::test
