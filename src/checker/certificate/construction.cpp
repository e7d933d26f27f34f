#include "certificate/construction.hpp"

#include "certificate/fields.hpp"

namespace sinkproof::certificate {
namespace {

using exact::Rational;
using json::Value;

constexpr std::size_t kMaxLength = 256;
constexpr std::size_t kMaxHeads = 64;
constexpr std::size_t kMaxCharacters = 20000;  // of all numbers inside `heads`

const std::array<std::string, 3> kFlagNames = {"bos", "trigger", "content"};

bool is_between_0_and_1(const Rational& value) { return 0 < value && value < 1; }

// The kernel takes the value `k` at some real score.
bool is_kernel_value(Kernel kernel, const Rational& k) {
  switch (kernel) {
    case Kernel::kExp:
    case Kernel::kElu1:
      return k > 0;
    case Kernel::kSigmoid:
      return is_between_0_and_1(k);
    case Kernel::kRelu:
      return k >= 0;
    case Kernel::kLinear:
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

PerFlag read_per_flag(const Value& list, const std::string& where) {
  const std::vector<Rational> numbers = rationals(list, 3, where, "SP0503");
  return {numbers[0], numbers[1], numbers[2]};
}

void read_kernel(const Value& object, const AttentionKind& kind, ConstructionHead& head,
                 const std::string& where) {
  keys(object, {kFlagNames.begin(), kFlagNames.end()}, where);
  for (std::size_t query = 0; query < kFlagNames.size(); ++query) {
    const std::string here = where + "." + kFlagNames[query];
    head.kernel[query] = read_per_flag(object[kFlagNames[query]], here);
    for (const Rational& k : head.kernel[query]) {
      require(is_kernel_value(kind.kernel, k), here,
              "holds no kernel value of " + std::string(kind.name), "SP0503");
    }
  }
}

void read_value(const Value& object, ConstructionHead& head, const std::string& where) {
  keys(object, {"flags", "noise"}, where);
  head.noise = number(object, "noise", where);
  const Value& matrix = object["flags"];
  require(matrix.is_array() && matrix.size() == head.flags.size(), where + ".flags",
          "must be an array of 3 rows", "SP0503");
  for (std::size_t output = 0; output < head.flags.size(); ++output) {
    head.flags[output] =
        read_per_flag(matrix[output], where + ".flags[" + std::to_string(output) + "]");
  }
}

void read_gate(const Value& object, ConstructionHead& head, const std::string& where) {
  keys(object, {kFlagNames.begin(), kFlagNames.end()}, where);
  for (std::size_t query = 0; query < kFlagNames.size(); ++query) {
    head.gate[query] = number(object, kFlagNames[query], where);
    require(is_between_0_and_1(head.gate[query]), where,
            kFlagNames[query] + " must lie between 0 and 1", "SP0503");
  }
}

ConstructionHead read_head(const Value& object, const AttentionKind& kind,
                           const std::string& where) {
  std::vector<std::string> names = {"kernel", "value"};
  if (kind.gated) names.emplace_back("gate");
  keys(object, names, where);
  ConstructionHead head;
  read_kernel(object["kernel"], kind, head, where + ".kernel");
  read_value(object["value"], head, where + ".value");
  if (kind.gated) read_gate(object["gate"], head, where + ".gate");
  return head;
}

void read_heads(const Value& statement, Construction& construction, const std::string& where) {
  const Value& heads = list(statement, "heads", where);
  const std::string here = where + ".heads";
  require(!heads.empty() && heads.size() <= kMaxHeads, here, "must hold 1 to 64 heads", "SP0503");
  require(characters_in(heads) <= kMaxCharacters, here,
          "its numbers have more than 20000 characters together", "SP0503");
  for (std::size_t h = 0; h < heads.size(); ++h) {
    construction.heads.push_back(
        read_head(heads[h], kind_of(construction.attention), here + "[" + std::to_string(h) + "]"));
  }
}

Range read_range(const Value& object, const std::string& name, const std::string& where) {
  const std::vector<Rational> ends = rationals(object[name], 2, where + "." + name, "SP0503");
  return {ends[0], ends[1]};
}

RowRanges read_ranges(const Value& object, std::size_t length, const std::string& where) {
  const bool has_post = length >= 4;
  std::vector<std::string> names = {"pre", "trigger"};
  if (has_post) names.emplace_back("post");
  keys(object, names, where);
  RowRanges ranges = {read_range(object, "pre", where), read_range(object, "trigger", where), {}};
  if (has_post) ranges.post = read_range(object, "post", where);
  return ranges;
}

}  // namespace

Construction read_construction(const Value& statement, const std::string& where) {
  const AttentionKind* kind = find_attention(text(statement, "attention", where));
  require(kind != nullptr && !kind->sinks, where, "attention is of no kind FORMAT.md, 3.8, knows",
          "SP0503");
  std::vector<std::string> names = {"attention", "bos_attention", "heads",
                                    "length",    "scope",         "sup_loss"};
  if (kind->null_slot) names.emplace_back("null_attention");
  keys(statement, names, where);
  require(!text(statement, "scope", where).empty(), where, "scope is empty", "SP0503");
  Construction construction;
  construction.attention = kind->attention;
  construction.length = count(statement, "length", 3, kMaxLength, where);
  read_heads(statement, construction, where);
  construction.sup_loss = number(statement, "sup_loss", where);
  const auto ranges = [&](const std::string& name) {
    return read_ranges(statement[name], construction.length, where + "." + name);
  };
  construction.bos_attention = ranges("bos_attention");
  if (kind->null_slot) construction.null_attention = ranges("null_attention");
  return construction;
}

}  // namespace sinkproof::certificate
