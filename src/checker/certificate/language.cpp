#include "certificate/language.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "certificate/envelope.hpp"
#include "certificate/schema.hpp"
#include "certificate/sha256.hpp"

namespace sinkproof::certificate {
namespace {

using exact::Rational;

constexpr std::size_t kMostSequences = 4096;
constexpr std::size_t kMostTokens = 4096;
constexpr std::size_t kMostStatements = 65536;
constexpr std::size_t kMostNumbers = std::size_t{1} << 22U;
constexpr std::size_t kMostCharacters = 100;
constexpr std::size_t kMostSize = std::size_t{1} << 20U;
constexpr std::size_t kMostAblated = std::size_t{1} << 19U;

void describe_files(Fields& io, std::map<std::string, std::string>& files) {
  io.texts("files", files);
  io.require_of("files", files.size() >= 2 && files.size() <= 1024,
                "must be an object of 2 to 1024 names", "SP0503");
  for (const auto& [name, hash] : files) {
    io.require_of("files." + name.substr(0, 80),
                  is_sha256_hex(hash) && name.find('/') == std::string::npos,
                  "must be a file's name and its SHA-256 of 64 hexadecimal digits");
  }
  const bool single = files.contains("model.safetensors");
  const bool sharded = files.contains("model.safetensors.index.json");
  io.require_of(
      "files", files.contains("config.json") && single != sharded && (sharded || files.size() == 2),
      "must be config.json and model.safetensors, or its index and shards");
}

void describe(Fields& io, Intervention& of) {
  if (io.has("ablated", !of.ablated.empty())) {
    io.list("ablated", of.ablated, {1, kMostAblated, "must be 1 to 524288 pairs [layer, head]"},
            [](Fields& list, const Key& key, std::pair<std::size_t, std::size_t>& of_head) {
              list.array(key, 2, {}, [&](Fields& at, std::size_t size) {
                at.require(size == 2, "must be [layer, head]", "SP0503");
                at.count(0, of_head.first, 0, kMostSize - 1);
                at.count(1, of_head.second, 0, kMostSize - 1);
              });
            });
    const bool ascending = std::adjacent_find(of.ablated.begin(), of.ablated.end(),
                                              std::greater_equal<>()) == of.ablated.end();
    io.require_of("ablated", ascending, "must be in ascending order, each head once", "SP0503");
    return;
  }
  if (!of.eviction) of.eviction.emplace();
  io.count("first", of.eviction->first, 0, kMostSize);
  io.count("window", of.eviction->window, 1, kMostSize);
  io.flag("renumbered", of.eviction->renumbered);
}

// `numbers`: how many there were before them.
void describe_numbers(Fields& io, const Key& key, std::vector<Rational>& of, std::size_t& numbers) {
  io.list(key, of, {}, [&](Fields& list, const Key& at, Rational& number) {
    list.short_number(at, number, kMostCharacters);
    list.require(++numbers <= kMostNumbers, "there may be at most 4194304 numbers in all");
  });
}

void describe_statement(Fields& io, LanguageStatement& of, std::size_t sequences,
                        std::size_t& numbers) {
  static const std::map<std::string, LanguageReadout> names = [] {
    std::map<std::string, LanguageReadout> table;
    for (const auto& row : kLanguageReadouts) table.emplace(row.name, row.readout);
    return table;
  }();
  LanguageQuestion& question = of.question;
  io.choice("readout", question.readout, names, "no such readout", "SP0503");
  const LanguageReadoutRow& row = question.row();
  if (row.has_position) io.count("position", question.position, 1, kMostTokens);
  if (row.is_share) {
    io.short_number("epsilon", question.epsilon, kMostCharacters);
  } else {
    io.count("sequence", question.sequence, 0, sequences - 1);
  }
  if (row.readout == LanguageReadout::kMoved) {
    io.object("intervention", [&](Fields& part) { describe(part, question.intervention); });
  }
  describe_numbers(io, "lower", of.lower, numbers);
  describe_numbers(io, "upper", of.upper, numbers);
  io.require(of.lower.size() == of.upper.size() && !of.lower.empty(),
             "lower and upper must be lists of one length");
}

}  // namespace

void describe_model(Fields& io, ModelFiles& of) {
  if (io.has("assumed_neutral", !of.assumed_neutral.empty())) {
    std::vector<std::string> assumed(of.assumed_neutral.begin(), of.assumed_neutral.end());
    io.texts("assumed_neutral", assumed);
    of.assumed_neutral = {assumed.begin(), assumed.end()};
    io.require_of(
        "assumed_neutral",
        !assumed.empty() && std::equal(assumed.begin(), assumed.end(), of.assumed_neutral.begin(),
                                       of.assumed_neutral.end()),
        "must be keys in ascending order", "SP0503");
  }
  io.text("architecture", of.architecture);
  describe_files(io, of.files);
}

void describe(Fields& io, Language& of) {
  std::int64_t format = kFormat;
  io.integer("format", format, kFormat, kFormat);
  io.constant("kind", "language");
  io.constant("claim", "language");
  io.constant("semantics", "real");
  io.text("claim_sha256", of.claim_sha256);
  io.object("model", [&](Fields& model) { describe_model(model, of); });
  io.list("sequences", of.sequences, {1, kMostSequences, "must be 1 to 4096 lists of token ids"},
          [](Fields& list, const Key& key, TokenIds& ids) {
            list.list(key, ids, {1, kMostTokens, "must be lists of 1 to 4096 token ids"},
                      [](Fields& tokens, const Key& at, std::uint32_t& id) {
                        tokens.count(at, id, 0, (std::uint64_t{1} << 31U) - 1);
                      });
          });
  io.count("precision", of.precision, 64, 2048);
  std::size_t numbers = 0;
  io.list("statements", of.statements, {1, kMostStatements, "must be 1 to 65536"},
          [&](Fields& list, const Key& key, LanguageStatement& statement) {
            list.object(key, [&](Fields& part) {
              describe_statement(part, statement, of.sequences.size(), numbers);
            });
          });
}

Language read_language(const json::Value& certificate) {
  return read<Language>(certificate, "certificate");
}

}  // namespace sinkproof::certificate
