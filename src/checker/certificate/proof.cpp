#include "certificate/proof.hpp"

#include "certificate/checkpoint.hpp"
#include "certificate/schema.hpp"

namespace sinkproof::certificate {
namespace {

constexpr std::size_t kMaxLayerLength = 4096;
constexpr std::size_t kMaxApart = 64;  // of rows one by one, and of cells

void describe_order(Fields& io, std::vector<std::size_t>& order, std::size_t noise) {
  const std::string what = "must be a permutation of 0..d-1";
  io.list("order", order, {noise, noise, what},
          [&](Fields& list, const Key& key, auto& one) { list.count(key, one, 0, noise - 1); });
  const std::set<std::size_t> different(order.begin(), order.end());
  io.require_of("order", different.size() == noise, what);
}

// d characters, of which @ stands for 0.
void describe_numbers(Fields& io, const Key& key, std::vector<int>& numbers, std::size_t noise) {
  constexpr int kZero = 64;
  constexpr int kOne = 16;
  std::string characters;
  for (const int number : numbers) characters += static_cast<char>(number + kZero);
  io.text(key, characters);
  io.require(characters.size() == noise, "a string must have d characters");
  numbers.clear();
  for (const char code : characters) {
    numbers.push_back(code - kZero);
    io.require(-kOne <= numbers.back() && numbers.back() <= kOne,
               "a character stands for no number");
  }
}

void describe_points(Fields& io, std::vector<Point>& points, std::size_t noise) {
  if (!io.has("points", !points.empty())) return;
  constexpr std::size_t kMaxStrings = 8;
  io.list("points", points, {}, [&](Fields& list, const Key& at, Point& point) {
    list.list(at, point, {0, kMaxStrings, "must be lists of at most 8 strings"},
              [&](Fields& strings, const Key& key, std::vector<int>& numbers) {
                describe_numbers(strings, key, numbers, noise);
              });
  });
}

// Rules of which nothing but their name is said.
template <typename Rule>
requires std::is_empty_v<Rule>
void describe(Fields& /*io*/, Rule& /*of*/, const Property& /*stated*/,
              const Checkpoint& /*whole*/) {}

template <typename Rule>
requires std::is_base_of_v<Premises, Rule>
void describe(Fields& io, Rule& of, const Property& /*stated*/, const Checkpoint& /*whole*/) {
  io.texts(Rule::kPremises, of.names);
}

template <typename Rule>
requires std::is_base_of_v<Polynomials, Rule>
void describe(Fields& io, Rule& of, const Property& /*stated*/, const Checkpoint& /*whole*/) {
  io.count("degree", of.degree, Rule::kLeast, Rule::kMost);
  io.count("row_degree", of.row_degree, Rule::kLeast, Rule::kMost);
}

void describe(Fields& io, ByLayerRow& /*of*/, const Property& /*stated*/, const Checkpoint& whole) {
  io.require(whole.length <= kMaxLayerLength, "needs a length of at most 4096");
}

void describe_parameters(Fields& io, ByRow& of, const Property& stated, const Checkpoint& whole) {
  const bool is_trigger = stated.bound()->rows == Rows::kTrigger;
  if (is_trigger) {
    if (!of.apart) of.apart.emplace();
    io.count("rows", of.apart->rows, 1, std::min(kMaxApart, whole.length - 1));
    io.require_of("rows", of.apart->rows + 2 != whole.length, "leaves one row: it can be L - 1");
    io.count("cells", of.apart->cells, 1, kMaxApart);
  } else {
    for (const char* key : {"rows", "cells"}) io.null(key, "must be null for these rows");
  }
  io.object("references", [&](Fields& references) {
    references.number("bos", of.bos);
    references.number("trigger", of.trigger);
    if (whole.model.kind().null_slot) {
      if (!of.null) of.null.emplace();
      references.number("null", *of.null);
    } else {
      references.null("null", "there is no null slot");
    }
  });
}

void describe_parameters(Fields& /*io*/, BySoftmaxFloor& /*of*/, const Property& /*stated*/,
                         const Checkpoint& /*whole*/) {}

void describe_positives(Fields& io, const Key& key, std::vector<BySeparableRow::Positives>& of,
                        const Entries& entries, bool may_be_null, const Checkpoint& whole) {
  const std::size_t sides = 2 * whole.model.d_model;
  const auto one = [&](Fields& list, const Key& at, std::optional<exact::Rational>& number) {
    list.number(at, number);
    list.require(number ? *number > 0 : may_be_null, "must be positive");
  };
  io.list(
      key, of, {sides, sides, "must have one entry for each coordinate and sign"},
      [&](Fields& list, const Key& at, auto& numbers) { list.list(at, numbers, entries, one); });
}

void describe_parameters(Fields& io, BySeparableRow& of, const Property& stated,
                         const Checkpoint& whole) {
  using Kernels = BySeparableRow::Kernels;
  static const std::map<std::string, Kernels> names = {{"chord", Kernels::kChord},
                                                       {"product", Kernels::kProduct}};
  const Entries few{1, 8, "an entry must have 1 to 8 numbers"};
  const Rows rows = *stated.bound()->rows;
  const std::string what = "no such bound for this kernel";
  io.choice("bound", of.bound, names, what);
  io.require_of("bound", of.bound == Kernels::kChord || whole.model.kind().kernel == Kernel::kRelu,
                what);
  describe_positives(io, "content", of.content, few, false, whole);
  describe_positives(io, "own", of.own, {2, 2, "an entry must have 2 numbers"},
                     rows != Rows::kTrigger, whole);
  if (rows == Rows::kPost) {
    describe_positives(io, "trigger", of.trigger, few, false, whole);
  } else {
    io.null("trigger", "must be null for these rows");
  }
}

template <typename Rule>
requires std::is_base_of_v<Trees, Rule>
void describe(Fields& io, Rule& of, const Property& stated, const Checkpoint& whole) {
  describe(io, static_cast<Trees&>(of), whole);
  io.object("parameters",
            [&](Fields& parameters) { describe_parameters(parameters, of, stated, whole); });
}

}  // namespace

bool rests_on_ranges(std::string_view rule, const AttentionKind& kind) {
  return rule == ByLayerRow::kName || rule == ByLayerAttention::kName ||
         rule == BySeparableRow::kName || (rule == ByRow::kName && !kind.is_relative());
}

void describe(Fields& io, Trees& of, const Checkpoint& whole) {
  describe_order(io, of.order, whole.noise());
  io.texts("trees", of.trees);
  describe_points(io, of.points, whole.noise());
}

void describe(Fields& io, Proof& of, const std::set<std::string_view>& rules,
              const Property& stated, const Checkpoint& whole) {
  io.alternative("rule", of, "no such rule");
  io.require_of("rule", rules.contains(rule_of(of)),
                "no such rule for these rows and this attention");
  std::visit([&](auto& by) { describe(io, by, stated, whole); }, of);
}

}  // namespace sinkproof::certificate
