// Verdicts about products of sets against the margin of each of their sequences.
#include "language/cover_product.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "language/cover.hpp"
#include "tiny_model.hpp"

using namespace sinkproof;
using certificate::Cover;
using certificate::CoverVerdict;
using certificate::TargetRule;
using certificate::TokenIds;
using exact::Integer;
using language::CoverProduct;
using language::CoverSequence;
using language::IdProduct;

namespace {

constexpr unsigned kPrecision = 60;
constexpr std::uint32_t kModulo = 7;

// Three positions, of which the last one may repeat the first; every id is an answer.
Cover cover_of(TargetRule rule, bool repeats) {
  Cover cover;
  cover.positions.assign(3, {{{0, kTinyTokens - 1}}, {}});
  if (repeats) cover.positions[2] = {{}, 1};
  cover.answers = {{0, kTinyTokens - 1}};
  cover.precision = kPrecision;
  cover.target.rule = rule;
  cover.target.of = {1, 2};
  if (rule == TargetRule::kCopy) cover.target.of = {2};
  if (rule == TargetRule::kMaximum) cover.target.of = {1, 2, 3};
  if (rule == TargetRule::kSum) cover.target.modulo = kModulo;
  if (rule == TargetRule::kTable) {
    for (Integer n = 0; n < cover.count(); ++n) {
      const Integer target = (5 * n + n / 4) % kTinyTokens;
      cover.target.table.push_back(target.convert_to<std::uint32_t>());
    }
  }
  return cover;
}

std::vector<CoverSequence> sequences_of(const Cover& cover, const IdProduct& product) {
  std::vector<certificate::IdSet> sets;
  for (const TokenIds& ids : product) sets.push_back(certificate::id_set(ids));
  language::SequenceOrder order(cover, sets);
  std::vector<CoverSequence> all;
  CoverSequence next;
  while (order.next(next.tokens)) {
    next.target = language::target_of(cover, next.tokens);
    all.push_back(next);
  }
  return all;
}

class Drawn {
 public:
  explicit Drawn(std::uint64_t seed) : random_(seed) {}

  TokenIds ids(std::size_t most) {
    std::set<std::uint32_t> ids;
    const std::size_t size = 1 + random_() % most;
    while (ids.size() < size) ids.insert(static_cast<std::uint32_t>(random_() % kTinyTokens));
    return {ids.begin(), ids.end()};
  }

  // One id at the last position, some at each other.
  IdProduct product(const Cover& cover, std::size_t last) {
    IdProduct drawn;
    for (std::size_t f = 0; f < cover.free_sets().size(); ++f)
      drawn.push_back(ids(f == last ? 1 : 3));
    return drawn;
  }

 private:
  std::mt19937_64 random_;
};

struct Shown {
  std::size_t right = 0;
  std::size_t wrong = 0;
};

// What is shown is true of each sequence. With one head all that is right is shown to be, and with
// one sequence all that is wrong.
void compare(const json::Value& keys, TargetRule rule, bool repeats, std::uint64_t seed,
             Shown& shown) {
  TinyModel tiny = tiny_model("sinkproof", keys, seed);
  const auto model = tiny.read();
  REQUIRE(model.has_value());
  const Cover cover = cover_of(rule, repeats);
  REQUIRE(language::check_cover(cover, *model).has_value());
  REQUIRE(language::check_product(cover, *model).has_value());
  const auto product = CoverProduct::of(cover, *model);
  REQUIRE(product.has_value());
  const Integer clear = Integer(1) << (kPrecision - 25);
  Drawn drawn(seed);
  for (int n = 0; n < 40; ++n) {
    const IdProduct part = drawn.product(cover, product->last_free());
    const auto last = product->last(part[product->last_free()].front());
    REQUIRE(last.has_value());
    const std::vector<CoverSequence> all = sequences_of(cover, part);
    const auto figures = language::cover_figures(cover, *model, all);
    REQUIRE(figures.has_value());
    Integer least = figures->front().front().lower;
    Integer most = figures->front().front().upper;
    for (const auto& figure : *figures) {
      least = std::min(least, figure.front().lower);
      most = std::max(most, figure.front().upper);
    }
    const bool right = product->shows(CoverVerdict::kRight, *last, part);
    const bool wrong = product->shows(CoverVerdict::kWrong, *last, part);
    INFO(keys.dump() << ", rule " << static_cast<int>(rule) << ", seed " << seed << ", product "
                     << n);
    if (right) CHECK(least > 0);
    if (wrong) CHECK(most < 0);
    if (model->config.heads == 1 || all.size() == 1) CHECK(right == (least > clear));
    if (all.size() == 1) CHECK(wrong == (most < -clear));
    shown.right += right ? 1 : 0;
    shown.wrong += wrong ? 1 : 0;
  }
}

json::Value keys_of(std::size_t heads, const json::Value& more) {
  json::Value keys = {{"num_hidden_layers", 1}, {"num_attention_heads", heads}};
  keys.update(more);
  return keys;
}

std::string refusal(const std::string& model_type, const json::Value& keys) {
  TinyModel tiny = tiny_model(model_type, keys, 1);
  const auto model = tiny.read();
  REQUIRE(model.has_value());
  const auto fits = language::check_product(cover_of(TargetRule::kCopy, false), *model);
  return fits ? "" : fits.error().what;
}

}  // namespace

TEST_CASE("What is shown of a product is true of each of its sequences") {
  Shown shown;
  for (const std::size_t heads : {1, 2}) {
    for (const json::Value& more :
         {json::Value::object(), json::Value{{"attention_bias", true}, {"unembed_bias", true}}}) {
      for (const TargetRule rule :
           {TargetRule::kMaximum, TargetRule::kCopy, TargetRule::kSum, TargetRule::kTable}) {
        compare(keys_of(heads, more), rule, false, 7 + heads, shown);
        compare(keys_of(heads, more), rule, true, 9 + heads, shown);
      }
    }
  }
  CHECK(shown.right > 20);
  CHECK(shown.wrong > 20);
}

TEST_CASE("A product is divided by the target into products that hold each sequence once") {
  for (const TargetRule rule :
       {TargetRule::kMaximum, TargetRule::kCopy, TargetRule::kSum, TargetRule::kTable}) {
    for (const bool repeats : {false, true}) {
      const Cover cover = cover_of(rule, repeats);
      Drawn drawn(3);
      for (int n = 0; n < 20; ++n) {
        IdProduct whole;
        for (std::size_t f = 0; f < cover.free_sets().size(); ++f) whole.push_back(drawn.ids(5));
        std::vector<TokenIds> found;
        language::by_target(cover, whole, [&](const IdProduct& part, std::uint32_t target) {
          for (const CoverSequence& one : sequences_of(cover, part)) {
            CHECK(one.target == target);
            found.push_back(one.tokens);
          }
          return true;
        });
        std::vector<TokenIds> all;
        for (const CoverSequence& one : sequences_of(cover, whole)) all.push_back(one.tokens);
        std::sort(found.begin(), found.end());
        CHECK(found == all);
      }
    }
  }
}

TEST_CASE("A leaf by product is refused of any other model, which is named") {
  CHECK(refusal("sinkproof", keys_of(2, json::Value::object())).empty());
  CHECK_THAT(refusal("sinkproof", {{"num_hidden_layers", 2}}), Catch::Contains("has 2 layers"));
  CHECK_THAT(refusal("sinkproof", keys_of(2, {{"intermediate_size", 5}})),
             Catch::Contains("has an MLP"));
  CHECK_THAT(refusal("gpt2", {{"n_layer", 1}, {"sinkproof_attention", "softmax-gated"}}),
             Catch::Contains("has attention of kind softmax-gated"));
  CHECK_THAT(refusal("gpt2", {{"n_layer", 1}}), Catch::Contains("has an MLP"));
}
