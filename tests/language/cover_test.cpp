// Figures of many sequences at once against the pass over each alone, to many more bits.
#include "language/cover.hpp"

#include <catch2/catch.hpp>

#include "certificate/cover.hpp"
#include "certificate/strict.hpp"
#include "language/pass.hpp"
#include "tiny_model.hpp"

using namespace sinkproof;
using certificate::Cover;
using certificate::CoverFigure;
using certificate::CoverStatement;
using certificate::TokenIds;
using exact::Integer;
using forward::Range;
using language::CoverSequence;

namespace {

constexpr unsigned kCoarse = 60;
constexpr unsigned kFine = 400;

// Three tokens of any id; margin, a logit, and the attention of layer 1, head 1 on its keys.
Cover asked() {
  Cover cover;
  cover.positions.assign(3, {{{0, kTinyTokens - 1}}, {}});
  cover.answers = {{0, kTinyTokens - 1}};
  cover.precision = kCoarse;
  cover.statements.resize(5);
  cover.statements[0].figure = CoverFigure::kMargin;
  cover.statements[1].figure = CoverFigure::kLogit;
  cover.statements[1].id = 4;
  for (std::size_t k = 1; k <= 3; ++k) {
    CoverStatement& one = cover.statements[1 + k];
    one.figure = CoverFigure::kAttention;
    one.layer = 1;
    one.head = 1;
    one.key = k;
  }
  return cover;
}

// The same figures of one sequence, in units of 2^-kFine.
std::vector<Range> alone(const language::Model& model, const CoverSequence& one) {
  std::vector<Range> figures(5);
  language::Observer observer;
  observer.head = [&](const language::HeadRows& rows) {
    if (rows.layer != 1 || rows.head != 1) return;
    for (std::size_t k = 0; k < 3; ++k) figures[2 + k] = rows.weights[2][k];
  };
  const auto rows = language::pass(model, one.tokens, {}, kFine, observer, language::in_turn);
  REQUIRE(rows.has_value());
  const auto logits = language::apply(*model.head, *rows, kFine, language::in_turn);
  std::optional<Integer> best;
  for (std::uint32_t id = 0; id < kTinyTokens; ++id) {
    const Integer& logit = logits.centre(2, id);
    if (id != one.target && (!best || logit > *best)) best = logit;
  }
  const Integer margin = logits.centre(2, one.target) - *best;
  figures[0] = {margin, margin};
  figures[1] = {logits.centre(2, 4), logits.centre(2, 4)};
  return figures;
}

void check_covered(const std::string& model_type, const json::Value& keys) {
  TinyModel tiny = tiny_model(model_type, keys, 3);
  const auto model = tiny.read();
  REQUIRE(model.has_value());
  const Cover cover = asked();
  REQUIRE(language::check_cover(cover, *model).has_value());
  std::vector<CoverSequence> sequences;
  for (std::uint32_t s = 0; s < 7; ++s) {
    sequences.push_back({{s, (3 * s + 1) % 11, (s * s) % 11}, (s + 2) % 11});
  }
  const auto found = language::cover_figures(cover, *model, sequences);
  REQUIRE(found.has_value());
  const unsigned finer = kFine - kCoarse;
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    const std::vector<Range> fine = alone(*model, sequences[s]);
    const std::vector<Range>& coarse = (*found)[s];
    REQUIRE(coarse.size() == 6);
    CHECK(coarse[0].lower == coarse[1].lower);
    for (std::size_t n = 0; n < fine.size(); ++n) {
      INFO(model_type << ", sequence " << s << ", figure " << n);
      CHECK(coarse[1 + n].lower << finer <= fine[n].lower);
      CHECK(fine[n].upper <= coarse[1 + n].upper << finer);
      CHECK(coarse[1 + n].upper - coarse[1 + n].lower < Integer(1) << (kCoarse - 16));
    }
  }
}

}  // namespace

TEST_CASE("Figures of many sequences are those of each alone, of every architecture with logits") {
  for (const language::Architecture& table : language::architectures()) {
    if (!table.head.empty()) check_covered(std::string(table.model_type), json::Value::object());
  }
  check_covered("sinkproof",
                {{"intermediate_size", 5}, {"mlp_bias", true}, {"unembed_bias", true}});
  check_covered("gpt2", {{"sinkproof_attention", "softmax-gated"}});
}

TEST_CASE("A pass takes fewer sequences where one holds much, and no sequence holds 2^31 words") {
  TinyModel tiny = tiny_model("llama", json::Value::object(), 3);
  const auto model = tiny.read();
  REQUIRE(model.has_value());
  Cover cover = asked();
  CHECK(language::batch_of(cover, *model) == 128);
  // Of 2^26 words as many as (c + 4) (T (10 n + 2 T) + V + 2 S) goes into.
  cover.precision = 2048;
  CHECK(language::batch_of(cover, *model) == 128);
  cover.statements.resize(7974);
  CHECK(language::batch_of(cover, *model) == 114);  // 36 (3 86 + 11 + 15948)
  cover.positions.resize(256, cover.positions.front());
  CHECK(language::batch_of(cover, *model) == 11);  // 36 (256 592 + 11 + 15948)
  cover.positions.resize(4096, cover.positions.front());
  CHECK(language::batch_of(cover, *model) == 1);
  CHECK(language::check_cover(cover, *model).has_value());
  cover.positions.resize(8192, cover.positions.front());
  const auto refused = language::check_cover(cover, *model);
  REQUIRE(!refused.has_value());
  CHECK(refused.error().where == "precision");
}

// A certificate's tree of so many splits on a path, and what reading the certificate says.
std::string reading_of(std::size_t splits) {
  json::Value node = {{"verdict", "undecided"}};
  const json::Value ids = json::Value::array({{0, 1}});
  for (std::size_t i = 0; i < splits; ++i) {
    const json::Value part = {{"ids", ids}, {"node", node}};
    node = {{"position", 1}, {"parts", json::Value::array({part})}};
  }
  const json::Value certificate = {
      {"format", 1},
      {"kind", "cover"},
      {"claim", "cover"},
      {"claim_sha256", ""},
      {"semantics", "real"},
      {"model",
       {{"architecture", "sinkproof"},
        {"files",
         {{"config.json", std::string(64, '0')}, {"model.safetensors", std::string(64, '0')}}}}},
      {"precision", 52},
      {"positions", json::Value::array({{{"ids", ids}}})},
      {"answers", ids},
      {"target", {{"rule", "copy"}, {"of", json::Value::array({1})}}},
      {"cover", node},
      {"statements",
       json::Value::array(
           {{{"property", "accuracy"}, {"right", "0"}, {"wrong", "0"}, {"undecided", "2"}}})}};
  const auto read = certificate::result_of([&] { return certificate::read_cover(certificate); });
  return read ? "" : read.error().where + ": " + read.error().what;
}

TEST_CASE("A tree splits 20 times on a path at most") {
  CHECK(reading_of(20).empty());
  CHECK_THAT(reading_of(21),
             Catch::Contains("node") && Catch::Contains("lies below more than 20 splits"));
}

TEST_CASE("Sequences come in their order, each once, and a repeated position follows its own") {
  certificate::Cover cover;
  cover.positions = {{{{1, 2}}, {}}, {{}, 1}, {{{0, 0}, {5, 6}}, {}}};
  language::SequenceOrder order(cover, cover.free_sets());
  std::vector<TokenIds> all;
  TokenIds next;
  while (order.next(next)) all.push_back(next);
  CHECK(all ==
        std::vector<TokenIds>{{1, 1, 0}, {1, 1, 5}, {1, 1, 6}, {2, 2, 0}, {2, 2, 5}, {2, 2, 6}});
}
