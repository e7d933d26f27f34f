#include <array>
#include <optional>

#include "certificate/rule.hpp"
#include "theory/steps.hpp"

namespace sinkproof::check {
namespace {

using certificate::Construction;
using certificate::ConstructionHead;
using certificate::Flag;
using certificate::kBos;
using certificate::kContent;
using certificate::kTrigger;
using certificate::PerFlag;
using certificate::Range;
using exact::Rational;

constexpr const char* kWrong = " is not what the heads give";
constexpr std::array<Flag, 3> kFlags = {kBos, kTrigger, kContent};

// Row i of a sequence, as far as the weights can tell it from others.
struct Row {
  std::size_t i = 0;           // position, from 1
  Flag query = kBos;           // the flag of x_i
  std::array<long, 3> keys{};  // how many of x_1..x_i have each flag
  Rational target = 0;         // the share of each key but BOS in y_i
  std::size_t row_class = 0;   // 0 pre, 1 trigger, 2 post, 3 none (position 1)
};

// What the rows seen so far amount to; the arrays are by class.
struct Figures {
  Rational sup_loss = 0;
  std::array<std::optional<Range>, 4> bos;
  std::array<std::optional<Range>, 4> null;
};

void include(std::optional<Range>& range, const Rational& value) {
  if (!range) range = Range{value, value};
  range->least = exact::min(range->least, value);
  range->most = exact::max(range->most, value);
}

Rational denominator(const Construction& construction, const ConstructionHead& head,
                     const Row& row) {
  const certificate::AttentionKind& kind = kind_of(construction.attention);
  if (!kind.normalised) {
    return row.i == 1 ? Rational(1) : Rational(static_cast<long>(row.i) - 1);
  }
  Rational sum = kind.null_slot ? 1 : 0;
  for (const Flag e : kFlags) sum += Rational(row.keys[e]) * head.kernel[row.query][e];
  return sum;
}

// The row's share in the figures: T |p_T - t| + C |p_C - t| and |r_o - t m_o| of FORMAT.md, 3.8.
void add_row(const Construction& construction, const Row& row, Figures& figures) {
  PerFlag noise = {0, 0, 0};   // p: what one key of each flag carries of its noise
  PerFlag output = {0, 0, 0};  // r: the output's flags
  for (const ConstructionHead& head : construction.heads) {
    const Rational below = denominator(construction, head, row);
    for (const Flag e : kFlags) {
      const Rational weight = head.kernel[row.query][e] / below;
      if (e == kBos) include(figures.bos[row.row_class], weight);
      const Rational gated = head.gate[row.query] * weight;
      noise[e] += gated * head.noise;
      for (const Flag o : kFlags) output[o] += Rational(row.keys[e]) * gated * head.flags[o][e];
    }
    include(figures.null[row.row_class], Rational(1) / below);
  }
  Rational noise_loss = 0;
  for (const Flag e : {kTrigger, kContent}) {
    noise_loss += Rational(row.keys[e]) * exact::abs(noise[e] - row.target);
  }
  figures.sup_loss = exact::max(figures.sup_loss, noise_loss);
  for (const Flag o : kFlags) {
    const Rational wanted = o == kBos ? Rational(0) : Rational(row.keys[o]) * row.target;
    figures.sup_loss = exact::max(figures.sup_loss, exact::abs(output[o] - wanted));
  }
}

// All rows of all sequences of the length.
Figures figures_of(const Construction& construction) {
  Figures figures;
  add_row(construction, {1, kBos, {1, 0, 0}, 0, 3}, figures);
  for (std::size_t i = 2; i <= construction.length; ++i) {
    const long others = static_cast<long>(i) - 1;  // keys that are not BOS
    if (i < construction.length) {
      add_row(construction, {i, kContent, {1, 0, others}, 0, 0}, figures);
    }
    if (i >= 3) {
      const Rational share = Rational(1) / Rational(others);
      add_row(construction, {i, kTrigger, {1, 1, others - 1}, share, 1}, figures);
    }
    if (i >= 4) add_row(construction, {i, kContent, {1, 1, others - 1}, 0, 2}, figures);
  }
  return figures;
}

void require_equal(const certificate::RowRanges& claimed,
                   const std::array<std::optional<Range>, 4>& found, const std::string& name,
                   const std::string& where) {
  const std::optional<Range> claims[] = {claimed.pre, claimed.trigger, claimed.post};
  const char* const rows[] = {".pre", ".trigger", ".post"};
  for (std::size_t k = 0; k < 3; ++k) {
    require(claims[k] == found[k], where, name + rows[k] + kWrong, "SP0809");
  }
}

}  // namespace

void check_exactly(const Construction& construction, const std::string& where) {
  const Figures figures = figures_of(construction);
  require(construction.sup_loss == figures.sup_loss, where, std::string("sup_loss") + kWrong,
          "SP0809");
  require_equal(construction.bos_attention, figures.bos, "bos_attention", where);
  if (!construction.null_attention) return;
  require_equal(*construction.null_attention, figures.null, "null_attention", where);
}

}  // namespace sinkproof::check
