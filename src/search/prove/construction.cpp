#include "prove/construction.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace sinkproof::prove {
namespace {

using certificate::Construction;
using certificate::ConstructionHead;
using certificate::Flag;
using exact::Rational;
using exact::Result;

// The flags of x_1..x_i of a sequence whose trigger, if there is one that early, is at `trigger`.
std::vector<Flag> flags_of(std::size_t i, std::size_t trigger) {
  std::vector<Flag> flags(i, certificate::kContent);
  flags.front() = certificate::kBos;
  if (trigger <= i) flags[trigger - 1] = certificate::kTrigger;
  return flags;
}

struct Weighing {
  std::vector<Rational> weights;  // by key
  Rational null_mass;             // what a null slot of weight 1 would get
};

// How the last of the tokens attends.
Weighing attend(const ConstructionHead& head, const certificate::AttentionKind& kind,
                const std::vector<Flag>& flags) {
  Weighing attention;
  Rational sum = kind.null_slot ? 1 : 0;
  for (const Flag key : flags) {
    attention.weights.push_back(head.kernel[flags.back()][key]);
    sum += attention.weights.back();
  }
  if (!kind.normalised) sum = std::max<std::size_t>(1, flags.size() - 1);
  for (Rational& weight : attention.weights) weight /= sum;
  attention.null_mass = 1 / sum;
  return attention;
}

// out_i as it depends on the tokens: a number per key that multiplies the key's noise, and the
// three flags.
struct Output {
  std::vector<Rational> noise;
  std::vector<Rational> flags = std::vector<Rational>(3);
};

void add_head(const ConstructionHead& head, const Weighing& attention,
              const std::vector<Flag>& flags, Output& output) {
  output.noise.resize(flags.size());
  const Rational& gate = head.gate[flags.back()];
  for (std::size_t k = 0; k < flags.size(); ++k) {
    const Rational carried = gate * attention.weights[k];
    output.noise[k] += carried * head.noise;
    for (std::size_t o = 0; o < 3; ++o) output.flags[o] += carried * head.flags[o][flags[k]];
  }
}

// Minus the mean of x_2..x_j, in the trigger's row j.
void subtract_target(const std::vector<Flag>& flags, Output& output) {
  if (flags.back() != certificate::kTrigger) return;
  const Rational share = 1 / Rational(flags.size() - 1);
  for (std::size_t k = 1; k < flags.size(); ++k) {
    output.noise[k] -= share;
    output.flags[flags[k]] -= share;
  }
}

// The largest coordinate of the difference, each noise value at the end of [-1, 1] that is worst.
Rational largest(const Output& difference) {
  Rational noise = 0;
  for (std::size_t k = 1; k < difference.noise.size(); ++k) {
    noise += exact::abs(difference.noise[k]);
  }
  for (const Rational& flag : difference.flags) noise = exact::max(noise, exact::abs(flag));
  return noise;
}

// The values seen in one class of rows.
using Seen = std::vector<Rational>;

struct Found {
  Rational sup_loss = 0;
  Seen bos[3];  // pre, trigger, post
  Seen null[3];
};

constexpr std::size_t kNoClass = 3;

void walk_row(const Construction& construction, std::size_t i, std::size_t trigger,
              std::size_t row_class, Found& found) {
  const std::vector<Flag> flags = flags_of(i, trigger);
  Output output;
  for (const ConstructionHead& head : construction.heads) {
    const Weighing attention = attend(head, kind_of(construction.attention), flags);
    add_head(head, attention, flags, output);
    if (row_class == kNoClass) continue;
    found.bos[row_class].push_back(attention.weights.front());
    found.null[row_class].push_back(attention.null_mass);
  }
  subtract_target(flags, output);
  found.sup_loss = exact::max(found.sup_loss, largest(output));
}

// The first row, the rows before a trigger at L, the trigger's own rows, the rows after one at 3:
// every other row has the flags of one of these in another order.
Found walk(const Construction& construction) {
  const std::size_t length = construction.length;
  Found found;
  walk_row(construction, 1, length, kNoClass, found);
  for (std::size_t i = 2; i < length; ++i) walk_row(construction, i, length, 0, found);
  for (std::size_t j = 3; j <= length; ++j) walk_row(construction, j, j, 1, found);
  for (std::size_t i = 4; i <= length; ++i) walk_row(construction, i, 3, 2, found);
  return found;
}

struct Comparison {
  std::string problems;
  void expect(const std::string& name, const Rational& claimed, const Rational& right) {
    if (claimed == right) return;
    problems += (problems.empty() ? "" : "; ") + name + " must be " + exact::to_string(right);
  }
  void expect(const std::string& name, const certificate::Range& claimed, const Seen& seen) {
    expect(name + "[0]", claimed.least, *std::min_element(seen.begin(), seen.end()));
    expect(name + "[1]", claimed.most, *std::max_element(seen.begin(), seen.end()));
  }
  void expect(const std::string& name, const certificate::RowRanges& claimed,
              const Seen (&seen)[3]) {
    expect(name + ".pre", claimed.pre, seen[0]);
    expect(name + ".trigger", claimed.trigger, seen[1]);
    if (claimed.post) expect(name + ".post", *claimed.post, seen[2]);
  }
};

}  // namespace

Result<void> verify(const Construction& construction, const std::string& where) {
  const Found found = walk(construction);
  Comparison comparison;
  comparison.expect("sup_loss", construction.sup_loss, found.sup_loss);
  comparison.expect("bos_attention", construction.bos_attention, found.bos);
  if (construction.null_attention) {
    comparison.expect("null_attention", *construction.null_attention, found.null);
  }
  if (comparison.problems.empty()) return {};
  return exact::fail("SP0716", where, comparison.problems);
}

}  // namespace sinkproof::prove
