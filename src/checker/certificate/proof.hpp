// What proves a property of a checkpoint certificate: for each rule what the certificate says for
// it beside the bound. CHECKPOINT_RULES.md, 4.7 and 4.10 to 4.21. The names of the rules and what
// belongs to each stand here alone.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "certificate/attention.hpp"
#include "exact/rational.hpp"

namespace sinkproof::certificate {

// y, x^1, x^2, .. of CHECKPOINT_RULES.md, 4.5, in sixteenths: d numbers from -16 to 16 each.
using Point = std::vector<std::vector<int>>;

// Of rules with obligations, 4.5.
struct Trees {
  std::vector<std::size_t> order;  // a permutation of 0..d-1
  std::vector<std::string> trees;  // one for each of the rule's obligations
  std::vector<Point> points;       // what numbers of leaves name
};

// Of rules that rest on other properties.
struct Premises {
  std::vector<std::string> names;
};

struct ByMaximum : Premises {
  static constexpr std::string_view kName = "maximum";
  static constexpr const char* kPremises = "of";
};
struct ByTheorem : Premises {
  static constexpr std::string_view kName = "theorem";
  static constexpr const char* kPremises = "floors";
};
struct BySampling : Premises {
  static constexpr std::string_view kName = "sampling";
  static constexpr const char* kPremises = "floors";
};
struct ByForward {
  static constexpr std::string_view kName = "forward";
};
struct ByRandom {
  static constexpr std::string_view kName = "random";
};
// Of rules that follow rows over the box as polynomials.
struct Polynomials {
  std::size_t degree = 1;      // of the trigger's row
  std::size_t row_degree = 1;  // and of all others
};
struct ByStack : Polynomials {
  static constexpr std::string_view kName = "stack";
  static constexpr std::size_t kLeast = 1;
  static constexpr std::size_t kMost = 6;
};
struct ByMoments : Polynomials {
  static constexpr std::string_view kName = "moments";
  static constexpr std::size_t kLeast = 1;
  static constexpr std::size_t kMost = 4;
};
struct ByLayerAttention {
  static constexpr std::string_view kName = "layer-attention";
};
struct ByLayerRow {
  static constexpr std::string_view kName = "layer-row";
};
// Of trigger rows alone.
struct Apart {
  std::size_t rows = 1;
  std::size_t cells = 1;
};
struct ByRow : Trees {
  static constexpr std::string_view kName = "row";
  std::optional<Apart> apart;
  exact::Rational bos;  // references
  exact::Rational trigger;
  std::optional<exact::Rational> null;
};
struct BySoftmaxFloor : Trees {
  static constexpr std::string_view kName = "softmax-floor";
};
struct BySeparableRow : Trees {
  static constexpr std::string_view kName = "separable-row";
  enum class Kernels { kChord, kProduct };
  using Positives = std::vector<std::optional<exact::Rational>>;  // none: of `own` alone
  Kernels bound = Kernels::kChord;
  std::vector<Positives> content;  // these have one entry for each coordinate and sign
  std::vector<Positives> trigger;  // of rows after the trigger alone
  std::vector<Positives> own;
};

using Proof =
    std::variant<ByMaximum, ByTheorem, BySampling, ByForward, ByRandom, ByStack, ByMoments,
                 ByLayerAttention, ByLayerRow, ByRow, BySoftmaxFloor, BySeparableRow>;

inline std::string_view rule_of(const Proof& proof) {
  return std::visit([](const auto& by) { return by.kName; }, proof);
}

// Whether proofs by this rule rest on the certificate's `ranges`.
bool rests_on_ranges(std::string_view rule, const AttentionKind& kind);

// The Trees, Premises or Polynomials of its rule; null where that has none.
template <typename Part>
const Part* part_of(const Proof& proof) {
  return std::visit(
      []<typename By>(const By& by) -> const Part* {
        if constexpr (std::is_base_of_v<Part, By>) return &by;
        return nullptr;
      },
      proof);
}

// Their descriptions (schema.hpp), as parts of `whole`, of which what is before them has been read;
// a proof is by one of `rules`, of the property `stated`.
class Fields;
struct Checkpoint;
struct Property;
void describe(Fields& io, Trees& of, const Checkpoint& whole);
void describe(Fields& io, Proof& of, const std::set<std::string_view>& rules,
              const Property& stated, const Checkpoint& whole);

}  // namespace sinkproof::certificate
