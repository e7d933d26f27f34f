// A language certificate as data, read strictly and in one place: what a language model computes on
// given token ids. LANGUAGE_RULES.md. Whether what it states is true is for check/ to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "certificate/intervention.hpp"
#include "exact/rational.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

using TokenIds = std::vector<std::uint32_t>;

// What is measured, and over what its numbers run. LANGUAGE_RULES.md, 5.4.
enum class LanguageReadout {
  kAlpha,
  kValueAlpha,
  kNormProduct,
  kCosine,
  kValueRatio,
  kBroadcastShare,
  kHiddenNorm,
  kQueryNorm,
  kKeyNorm,
  kValueNorm,
  kMeanCosine,
  kMoved,
  kSinkShare,
  kValueSinkShare
};

struct LanguageReadoutRow {
  LanguageReadout readout;
  std::string_view name;
  bool has_position;  // of a key
  bool is_share;      // of all sequences, one number; has an epsilon
};

inline constexpr LanguageReadoutRow kLanguageReadouts[] = {
    {LanguageReadout::kAlpha, "alpha", true, false},
    {LanguageReadout::kValueAlpha, "value-alpha", true, false},
    {LanguageReadout::kNormProduct, "norm-product", true, false},
    {LanguageReadout::kCosine, "cosine", true, false},
    {LanguageReadout::kValueRatio, "value-ratio", true, false},
    {LanguageReadout::kBroadcastShare, "broadcast-share", true, false},
    {LanguageReadout::kHiddenNorm, "hidden-norm", false, false},
    {LanguageReadout::kQueryNorm, "query-norm", false, false},
    {LanguageReadout::kKeyNorm, "key-norm", false, false},
    {LanguageReadout::kValueNorm, "value-norm", false, false},
    {LanguageReadout::kMeanCosine, "mean-cosine", false, false},
    {LanguageReadout::kMoved, "moved", false, false},
    {LanguageReadout::kSinkShare, "sink-share", true, true},
    {LanguageReadout::kValueSinkShare, "value-sink-share", true, true}};

constexpr const LanguageReadoutRow& row_of(LanguageReadout readout) {
  return kLanguageReadouts[static_cast<int>(readout)];
}

// Which numbers are asked for.
struct LanguageQuestion {
  LanguageReadout readout = LanguageReadout::kAlpha;
  std::size_t sequence = 0;   // from 0; of shares: all
  std::size_t position = 1;   // from 1
  exact::Rational epsilon;    // of shares
  Intervention intervention;  // of moved

  [[nodiscard]] const LanguageReadoutRow& row() const { return row_of(readout); }
};

// Between which numbers each of them lies.
struct LanguageStatement {
  LanguageQuestion question;
  std::vector<exact::Rational> lower;
  std::vector<exact::Rational> upper;
};

// A language model by its files.
struct ModelFiles {
  std::string architecture;                  // config.json's model_type
  std::map<std::string, std::string> files;  // SHA-256 by name
  std::set<std::string> assumed_neutral;     // keys of config.json, taken as absent
};

struct Language : ModelFiles {
  std::string claim_sha256;
  std::vector<TokenIds> sequences;
  unsigned precision = 0;
  std::vector<LanguageStatement> statements;
};

// Throws Rejected: SP0503, SP0101: a key or value that is not of the form; SP0901: a value outside
// what the page allows. All name the field.
Language read_language(const json::Value& certificate);

// The description that reads and writes it (schema.hpp).
class Fields;
void describe(Fields& io, Language& of);
void describe_model(Fields& io, ModelFiles& of);

}  // namespace sinkproof::certificate
