#include "certificate/language.hpp"

#include <algorithm>
#include <utility>

#include "certificate/fields.hpp"
#include "certificate/sha256.hpp"

namespace sinkproof::certificate {
namespace {

using exact::Rational;
using json::Value;

constexpr std::size_t kMostSequences = 4096;
constexpr std::size_t kMostTokens = 4096;
constexpr std::size_t kMostStatements = 65536;
constexpr std::size_t kMostNumbers = std::size_t{1} << 22U;
constexpr std::size_t kMostCharacters = 100;
constexpr std::size_t kMostSize = std::size_t{1} << 20U;

const LanguageReadoutRow& readout_of(const std::string& name, const std::string& where) {
  const auto* found = std::find_if(std::begin(kLanguageReadouts), std::end(kLanguageReadouts),
                                   [&](const LanguageReadoutRow& row) { return row.name == name; });
  require(found != std::end(kLanguageReadouts), where, "no such readout", "SP0503");
  return *found;
}

std::map<std::string, std::string> read_files(const Value& model) {
  const Value& files = model["files"];
  require(files.is_object() && files.size() >= 2 && files.size() <= 1024, "model.files",
          "must be an object of 2 to 1024 names", "SP0503");
  std::map<std::string, std::string> result;
  for (const auto& [name, hash] : files.items()) {
    require(hash.is_string() && is_sha256_hex(hash.get<std::string>()) &&
                name.find('/') == std::string::npos,
            "model.files." + name.substr(0, 80),
            "must be a file's name and its SHA-256 of 64 hexadecimal digits");
    result[name] = hash.get<std::string>();
  }
  const bool single = result.contains("model.safetensors");
  const bool sharded = result.contains("model.safetensors.index.json");
  require(result.contains("config.json") && single != sharded && (sharded || result.size() == 2),
          "model.files", "must be config.json and model.safetensors, or its index and shards");
  return result;
}

std::vector<TokenIds> read_sequences(const Value& certificate) {
  const Value& lists = list(certificate, "sequences", "certificate");
  require(!lists.empty() && lists.size() <= kMostSequences, "sequences",
          "must be 1 to 4096 lists of token ids");
  std::vector<TokenIds> sequences;
  for (const Value& ids : lists) {
    require(ids.is_array() && !ids.empty() && ids.size() <= kMostTokens, "sequences",
            "must be lists of 1 to 4096 token ids");
    TokenIds tokens;
    for (const Value& id : ids) {
      require(id.is_number_unsigned() && id.get<std::uint64_t>() < (std::uint64_t{1} << 31U),
              "sequences", "a token id must be an integer from 0 to 2^31 - 1", "SP0503");
      tokens.push_back(id.get<std::uint32_t>());
    }
    sequences.push_back(std::move(tokens));
  }
  return sequences;
}

bool boolean(const Value& object, const std::string& key, const std::string& where) {
  require(object[key].is_boolean(), where + "." + key, "must be true or false", "SP0503");
  return object[key].get<bool>();
}

Intervention read_intervention(const Value& object, const std::string& where) {
  require(object.is_object(), where, "must be an object", "SP0503");
  Intervention result;
  if (object.contains("ablated")) {
    keys(object, {"ablated"}, where);
    const Value& at = list(object, "ablated", where);
    require(at.size() == 2, where, "ablated must be [layer, head]", "SP0503");
    result.ablated = {index_of(at[0], kMostSize, where), index_of(at[1], kMostSize, where)};
    return result;
  }
  keys(object, {"first", "window", "renumbered"}, where);
  result.eviction = {count(object, "first", 0, kMostSize, where),
                     count(object, "window", 1, kMostSize, where),
                     boolean(object, "renumbered", where)};
  return result;
}

std::vector<Rational> read_numbers(const Value& object, const std::string& key,
                                   std::size_t& numbers, const std::string& where) {
  const std::string place = where + "." + key;
  std::vector<Rational> result;
  for (const std::string& digits : texts(object, key, where)) {
    require(digits.size() <= kMostCharacters && ++numbers <= kMostNumbers, place,
            "at most 4194304 numbers of at most 100 characters are allowed");
    result.push_back(rational(digits, place));
  }
  return result;
}

LanguageStatement read_statement(const Value& object, std::size_t sequences, std::size_t& numbers,
                                 const std::string& where) {
  const LanguageReadoutRow& row = readout_of(text(object, "readout", where), where + ".readout");
  std::vector<std::string> expected = {"readout", "lower", "upper"};
  if (row.has_position) expected.emplace_back("position");
  expected.emplace_back(row.is_share ? "epsilon" : "sequence");
  const bool moved = row.readout == LanguageReadout::kMoved;
  if (moved) expected.emplace_back("intervention");
  keys(object, expected, where);
  LanguageStatement result;
  result.question.readout = row.readout;
  if (row.has_position) result.question.position = count(object, "position", 1, kMostTokens, where);
  if (row.is_share) {
    result.question.epsilon = short_number(object, "epsilon", kMostCharacters, where);
  } else {
    result.question.sequence = count(object, "sequence", 0, sequences - 1, where);
  }
  if (moved) result.question.intervention = read_intervention(object["intervention"], where);
  result.lower = read_numbers(object, "lower", numbers, where);
  result.upper = read_numbers(object, "upper", numbers, where);
  require(result.lower.size() == result.upper.size() && !result.lower.empty(), where,
          "lower and upper must be lists of one length");
  return result;
}

}  // namespace

Language read_language(const Value& certificate) {
  keys(certificate,
       {"format", "kind", "claim", "claim_sha256", "semantics", "model", "sequences", "precision",
        "statements"},
       "certificate");
  require(text(certificate, "semantics", "certificate") == "real", "semantics", "must be real");
  Language result;
  result.claim_sha256 = text(certificate, "claim_sha256", "certificate");
  const Value& model = certificate["model"];
  if (model.is_object() && model.contains("assumed_neutral")) {
    keys(model, {"architecture", "assumed_neutral", "files"}, "model");
    const std::vector<std::string> assumed = texts(model, "assumed_neutral", "model");
    result.assumed_neutral = {assumed.begin(), assumed.end()};
    require(!assumed.empty() &&
                std::equal(assumed.begin(), assumed.end(), result.assumed_neutral.begin(),
                           result.assumed_neutral.end()),
            "model.assumed_neutral", "must be keys in ascending order", "SP0503");
  } else {
    keys(model, {"architecture", "files"}, "model");
  }
  result.architecture = text(model, "architecture", "model");
  result.files = read_files(model);
  result.sequences = read_sequences(certificate);
  result.precision =
      static_cast<unsigned>(count(certificate, "precision", 64, 2048, "certificate"));
  const Value& statements = list(certificate, "statements", "certificate");
  require(!statements.empty() && statements.size() <= kMostStatements, "statements",
          "must be 1 to 65536");
  std::size_t numbers = 0;
  for (std::size_t s = 0; s < statements.size(); ++s) {
    result.statements.push_back(read_statement(statements[s], result.sequences.size(), numbers,
                                               "statements[" + std::to_string(s) + "]"));
  }
  return result;
}

}  // namespace sinkproof::certificate
