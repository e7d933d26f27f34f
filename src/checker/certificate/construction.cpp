#include "certificate/construction.hpp"

#include <algorithm>

#include "certificate/schema.hpp"

namespace sinkproof::certificate {
namespace {

using exact::Rational;

constexpr std::size_t kMaxLength = 256;
constexpr std::size_t kMaxHeads = 64;
constexpr std::size_t kMaxCharacters = 20000;  // of all numbers inside `heads`

constexpr std::array<const char*, 3> kFlagNames = {"bos", "trigger", "content"};

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

// The numbers inside `heads`.
class Heads {
 public:
  explicit Heads(const AttentionKind& kind) : kind_(kind) {}

  void describe(Fields& io, ConstructionHead& of) {
    io.object("kernel", [&](Fields& part) {
      for (std::size_t query = 0; query < 3; ++query) {
        per_flag(part, kFlagNames[query], of.kernel[query]);
        for (const Rational& k : of.kernel[query]) {
          part.require_of(kFlagNames[query], is_kernel_value(kind_.kernel, k),
                          "holds no kernel value of " + std::string(kind_.name), "SP0503");
        }
      }
    });
    io.object("value", [&](Fields& part) {
      number(part, "noise", of.noise);
      part.array("flags", 3, {3, 3, "must be an array of 3 rows", "SP0503"},
                 [&](Fields& rows, std::size_t) {
                   for (std::size_t row = 0; row < 3; ++row) per_flag(rows, row, of.flags[row]);
                 });
    });
    if (!kind_.gated) return;
    io.object("gate", [&](Fields& part) {
      for (std::size_t query = 0; query < 3; ++query) {
        number(part, kFlagNames[query], of.gate[query]);
        part.require_of(kFlagNames[query], is_between_0_and_1(of.gate[query]),
                        "must lie between 0 and 1", "SP0503");
      }
    });
  }

 private:
  void number(Fields& io, const Key& key, Rational& of) {
    std::string digits = exact::to_string(of);
    io.text(key, digits);
    io.require_of(key, digits.size() <= left_,
                  "the numbers in heads have more than 20000 characters together", "SP0503");
    left_ -= std::min(left_, digits.size());
    io.number(key, of);
  }

  void per_flag(Fields& io, const Key& key, PerFlag& of) {
    io.array(key, of.size(), {3, 3, "must be 3 numbers", "SP0503"}, [&](Fields& list, std::size_t) {
      for (std::size_t flag = 0; flag < of.size(); ++flag) number(list, flag, of[flag]);
    });
  }

  const AttentionKind& kind_;
  std::size_t left_ = kMaxCharacters;
};

void describe_range(Fields& io, const char* key, Range& of) {
  io.array(key, 2, {2, 2, "must be 2 numbers", "SP0503"}, [&](Fields& ends, std::size_t) {
    ends.number(0, of.least);
    ends.number(1, of.most);
  });
}

void describe_ranges(Fields& io, const char* key, RowRanges& of, std::size_t length) {
  io.object(key, [&](Fields& part) {
    describe_range(part, "pre", of.pre);
    describe_range(part, "trigger", of.trigger);
    if (length < 4) return;
    if (!of.post) of.post.emplace();
    describe_range(part, "post", *of.post);
  });
}

void describe_statement(Fields& io, Construction& of) {
  std::string name = to_string(of.attention);
  io.text("attention", name);
  const AttentionKind* kind = find_attention(name);
  io.require_of("attention", kind != nullptr && !kind->sinks, "is of no kind FORMAT.md, 3.8, knows",
                "SP0503");
  of.attention = kind->attention;
  io.scope(of.scope);
  io.count("length", of.length, 3, kMaxLength);
  Heads heads(*kind);
  io.list("heads", of.heads, {1, kMaxHeads, "must hold 1 to 64 heads", "SP0503"},
          [&](Fields& list, const Key& key, ConstructionHead& head) {
            list.object(key, [&](Fields& part) { heads.describe(part, head); });
          });
  io.number("sup_loss", of.sup_loss);
  describe_ranges(io, "bos_attention", of.bos_attention, of.length);
  if (!kind->null_slot) return;
  if (!of.null_attention) of.null_attention.emplace();
  describe_ranges(io, "null_attention", *of.null_attention, of.length);
}

}  // namespace

void describe(Fields& io, Construction& of) {
  io.object("statement", [&](Fields& part) { describe_statement(part, of); });
}

}  // namespace sinkproof::certificate
