#include "certificate/construction.hpp"

#include "certificate/fields.hpp"

namespace sinkproof::certificate {
namespace {

using exact::Rational;
using exact::Result;
using json::Value;

constexpr std::int64_t kMaxLength = 256;
constexpr std::size_t kMaxHeads = 64;
constexpr std::size_t kMaxCharacters = 20000;  // of all numbers inside `heads`

constexpr std::array<AttentionKind, 9> kKinds = {
    AttentionKind::kSoftmax,           AttentionKind::kSoftmaxGated,   AttentionKind::kSoftmaxNull,
    AttentionKind::kSigmoidNormalised, AttentionKind::kElu1Normalised, AttentionKind::kRelu,
    AttentionKind::kSigmoid,           AttentionKind::kElu1,           AttentionKind::kLinear};
const std::array<std::string, 3> kFlagNames = {"bos", "trigger", "content"};

bool is_between_0_and_1(const Rational& value) { return exact::sign(value) > 0 && value < 1; }

// The kernel of this kind takes the value `k` at some real score.
bool is_kernel_value(AttentionKind kind, const Rational& k) {
  switch (kind) {
    case AttentionKind::kSoftmax:
    case AttentionKind::kSoftmaxGated:
    case AttentionKind::kSoftmaxNull:
    case AttentionKind::kElu1Normalised:
    case AttentionKind::kElu1:
      return k > 0;
    case AttentionKind::kSigmoidNormalised:
    case AttentionKind::kSigmoid:
      return is_between_0_and_1(k);
    case AttentionKind::kRelu:
      return k >= 0;
    case AttentionKind::kLinear:
      return true;
  }
  return false;
}

std::size_t characters_in(const Value& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().size();
  std::size_t sum = 0;
  if (value.is_structured()) {
    for (const Value& part : value) sum += characters_in(part);
  }
  return sum;
}

// An array of `count` rationals.
Result<std::vector<Rational>> read_numbers(const Value& list, std::size_t count,
                                           const std::string& where) {
  if (!list.is_array() || list.size() != count) {
    return exact::fail("SP0503", where,
                       "must be an array of " + std::to_string(count) + " entries");
  }
  std::vector<Rational> numbers;
  for (const Value& entry : list) {
    if (!entry.is_string()) return exact::fail("SP0503", where, "must hold rational strings only");
    auto number = exact::parse_rational(entry.get_ref<const std::string&>());
    if (!number) {
      number.error().where = where + ": " + number.error().where;
      return tl::unexpected(number.error());
    }
    numbers.push_back(std::move(*number));
  }
  return numbers;
}

Result<PerFlag> read_per_flag(const Value& list, const std::string& where) {
  auto numbers = read_numbers(list, 3, where);
  if (!numbers) return tl::unexpected(numbers.error());
  return PerFlag{(*numbers)[0], (*numbers)[1], (*numbers)[2]};
}

Result<void> read_kernel(const Value& object, AttentionKind kind, ConstructionHead& head,
                         const std::string& where) {
  if (auto keys = only_keys(object, {kFlagNames.begin(), kFlagNames.end()}, where); !keys) {
    return keys;
  }
  for (std::size_t query = 0; query < kFlagNames.size(); ++query) {
    const std::string here = where + "." + kFlagNames[query];
    auto row = read_per_flag(object.at(kFlagNames[query]), here);
    if (!row) return tl::unexpected(row.error());
    for (const Rational& k : *row) {
      if (!is_kernel_value(kind, k)) {
        return exact::fail("SP0503", here, "holds no kernel value of " + to_string(kind));
      }
    }
    head.kernel[query] = std::move(*row);
  }
  return {};
}

Result<void> read_value(const Value& object, ConstructionHead& head, const std::string& where) {
  if (auto keys = only_keys(object, {"flags", "noise"}, where); !keys) return keys;
  auto noise = rational_field(object, "noise", where);
  if (!noise) return tl::unexpected(noise.error());
  head.noise = std::move(*noise);
  const Value& matrix = object.at("flags");
  if (!matrix.is_array() || matrix.size() != head.flags.size()) {
    return exact::fail("SP0503", where + ".flags", "must be an array of 3 rows");
  }
  for (std::size_t output = 0; output < head.flags.size(); ++output) {
    auto row = read_per_flag(matrix[output], where + ".flags[" + std::to_string(output) + "]");
    if (!row) return tl::unexpected(row.error());
    head.flags[output] = std::move(*row);
  }
  return {};
}

Result<void> read_gate(const Value& object, ConstructionHead& head, const std::string& where) {
  if (auto keys = only_keys(object, {kFlagNames.begin(), kFlagNames.end()}, where); !keys) {
    return keys;
  }
  for (std::size_t query = 0; query < kFlagNames.size(); ++query) {
    auto gate = rational_field(object, kFlagNames[query], where);
    if (!gate) return tl::unexpected(gate.error());
    if (!is_between_0_and_1(*gate)) {
      return exact::fail("SP0503", where, kFlagNames[query] + " must lie between 0 and 1");
    }
    head.gate[query] = std::move(*gate);
  }
  return {};
}

Result<ConstructionHead> read_head(const Value& object, AttentionKind kind,
                                   const std::string& where) {
  const bool gated = kind == AttentionKind::kSoftmaxGated;
  std::vector<std::string> names = {"kernel", "value"};
  if (gated) names.emplace_back("gate");
  auto done = only_keys(object, names, where);
  ConstructionHead head;
  if (done) done = read_kernel(object.at("kernel"), kind, head, where + ".kernel");
  if (done) done = read_value(object.at("value"), head, where + ".value");
  if (done && gated) done = read_gate(object.at("gate"), head, where + ".gate");
  if (!done) return tl::unexpected(done.error());
  return head;
}

Result<void> read_heads(const Value& statement, Construction& construction,
                        const std::string& where) {
  const auto list = array_field(statement, "heads", where);
  if (!list) return tl::unexpected(list.error());
  const std::string here = where + ".heads";
  if ((*list)->empty() || (*list)->size() > kMaxHeads) {
    return exact::fail("SP0503", here, "must hold 1 to " + std::to_string(kMaxHeads) + " heads");
  }
  construction.characters = characters_in(**list);
  if (construction.characters > kMaxCharacters) {
    return exact::fail(
        "SP0503", here,
        "its numbers have more than " + std::to_string(kMaxCharacters) + " characters together");
  }
  for (std::size_t h = 0; h < (*list)->size(); ++h) {
    auto head =
        read_head((**list)[h], construction.attention, here + "[" + std::to_string(h) + "]");
    if (!head) return tl::unexpected(head.error());
    construction.heads.push_back(std::move(*head));
  }
  return {};
}

Result<Range> read_range(const Value& pair, const std::string& where) {
  auto numbers = read_numbers(pair, 2, where);
  if (!numbers) return tl::unexpected(numbers.error());
  return Range{(*numbers)[0], (*numbers)[1]};
}

Result<RowRanges> read_ranges(const Value& object, std::size_t length, const std::string& where) {
  const bool has_post = length >= 4;
  std::vector<std::string> names = {"pre", "trigger"};
  if (has_post) names.emplace_back("post");
  if (auto keys = only_keys(object, names, where); !keys) return tl::unexpected(keys.error());
  const std::string prefix = where + ".";
  std::vector<Range> ranges;
  for (const std::string& name : names) {
    auto range = read_range(object.at(name), prefix + name);
    if (!range) return tl::unexpected(range.error());
    ranges.push_back(std::move(*range));
  }
  RowRanges result = {ranges[0], ranges[1], std::nullopt};
  if (has_post) result.post = ranges[2];
  return result;
}

Result<AttentionKind> read_kind(const Value& statement, const std::string& where) {
  const auto name = string_field(statement, "attention", where);
  if (!name) return tl::unexpected(name.error());
  for (const AttentionKind kind : kKinds) {
    if (to_string(kind) == *name) return kind;
  }
  return exact::fail("SP0503", where, "attention is of no kind FORMAT.md, 3.8, knows");
}

Result<void> read_figures(const Value& statement, Construction& construction,
                          const std::string& where) {
  auto loss = rational_field(statement, "sup_loss", where);
  if (!loss) return tl::unexpected(loss.error());
  construction.sup_loss = std::move(*loss);
  const auto ranges = [&](const std::string& name) {
    return read_ranges(statement.at(name), construction.length, where + "." + name);
  };
  auto bos = ranges("bos_attention");
  if (!bos) return tl::unexpected(bos.error());
  construction.bos_attention = std::move(*bos);
  if (construction.attention != AttentionKind::kSoftmaxNull) return {};
  auto null = ranges("null_attention");
  if (!null) return tl::unexpected(null.error());
  construction.null_attention = std::move(*null);
  return {};
}

}  // namespace

std::string to_string(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::kSoftmax:
      return "softmax";
    case AttentionKind::kSoftmaxGated:
      return "softmax-gated";
    case AttentionKind::kSoftmaxNull:
      return "softmax-null";
    case AttentionKind::kSigmoidNormalised:
      return "sigmoid-normalised";
    case AttentionKind::kElu1Normalised:
      return "elu1-normalised";
    case AttentionKind::kRelu:
      return "relu";
    case AttentionKind::kSigmoid:
      return "sigmoid";
    case AttentionKind::kElu1:
      return "elu1";
    case AttentionKind::kLinear:
      return "linear";
  }
  return {};
}

bool is_normalised(AttentionKind kind) {
  return kind != AttentionKind::kRelu && kind != AttentionKind::kSigmoid &&
         kind != AttentionKind::kElu1 && kind != AttentionKind::kLinear;
}

Result<Construction> read_construction(const Value& statement, const std::string& where) {
  Construction construction;
  const auto kind = read_kind(statement, where);
  if (!kind) return tl::unexpected(kind.error());
  construction.attention = *kind;
  std::vector<std::string> names = {"attention", "bos_attention", "heads",
                                    "length",    "scope",         "sup_loss"};
  if (*kind == AttentionKind::kSoftmaxNull) names.emplace_back("null_attention");
  auto done = only_keys(statement, names, where);
  if (!done) return tl::unexpected(done.error());
  const auto scope = string_field(statement, "scope", where);
  if (!scope) return tl::unexpected(scope.error());
  if (scope->empty()) return exact::fail("SP0503", where, "scope is empty");
  const auto length = integer_field(statement, "length", 3, kMaxLength, where);
  if (!length) return tl::unexpected(length.error());
  construction.length = static_cast<std::size_t>(*length);
  if (done = read_heads(statement, construction, where); !done) return tl::unexpected(done.error());
  if (done = read_figures(statement, construction, where); !done) {
    return tl::unexpected(done.error());
  }
  return construction;
}

}  // namespace sinkproof::certificate
