// Attention on BOS, a line for each layer and head, by three kinds of evidence: random sequences
// (estimates), drawn sequences enclosed (certificate of rule forward), all inputs of the box
// (checkpoint certificate). The last two only where the trusted checker accepted the certificate.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "exact/exp_enclosure.hpp"
#include "json/strict.hpp"
#include "report/input.hpp"
#include "reproduce/attention_sample.hpp"

namespace sinkproof::reproduce {

struct BosLine {
  std::string model;
  std::size_t layer = 0;
  std::size_t head = 0;
  ByRows<Moments> sampled;                      // of the sample (attention_sample.hpp); estimates
  Moments alpha;                                // the same
  std::optional<exact::Enclosure> drawn;        // alpha on every one of the certificate's sequences
  ByRows<std::optional<exact::Enclosure>> box;  // the weight on BOS at every row, all inputs
};

// Certificates the checker has not accepted, or about another model than the sample's, leave
// `drawn` and `box` empty.
std::vector<BosLine> bos_lines(const std::string& model, const AttentionSample& sample,
                               const std::vector<report::Input>& certificates);

// {"schema":1,"lines":[...]}: enclosures as pairs of decimals rounded outward, estimates under
// keys that say so.
json::Value table_json(const std::vector<BosLine>& lines);

// The same for a page; `draw` is what the estimates are of.
report::Table page_table(const std::vector<BosLine>& lines, const Draw& draw);

}  // namespace sinkproof::reproduce
