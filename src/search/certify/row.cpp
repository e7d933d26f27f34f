#include "certify/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "attention/row.hpp"
#include "certify/kernel.hpp"
#include "certify/logit_forms.hpp"
#include "certify/pieces.hpp"
#include "rounded/double.hpp"

namespace sinkproof::certify {
namespace {

using exact::Rational;
using rounded::to_double_estimate;

// As CHECKPOINT_RULES.md, 4.12, rounds: multipliers to multiples of 2^-20, shares to 2^-32.
const double kMultiplierUnit = std::ldexp(1.0, 20);
const double kShareLoss = std::ldexp(1.0, -29);

// Rows up to this many keys beside BOS are proved one by one, and cells for the longer ones.
constexpr std::size_t kCells = 5;
std::size_t rows_apart(std::size_t length) {
  constexpr std::size_t kFewRows = 9;
  return length - 1 <= kFewRows ? length - 1 : 1;
}

// The checker's mixtures in doubles.
struct Share {
  double weight = 0;
  double product = 0;
};
struct Mixture {
  Share plus, minus, one;
  double side;

  explicit Mixture(const check::Mixture& of)
      : plus(estimated(of.plus)),
        minus(estimated(of.minus)),
        one(estimated(of.one)),
        side(of.side) {}

 private:
  static Share estimated(const check::Share& of) {
    return {to_double_estimate(of.weight), to_double_estimate(of.product)};
  }
};

// A kernel is between value exp(slope_down (x - start)) and value exp(slope_up (x - start)).
struct Kernels {
  double start = 0;
  double value = 1;
  double slope_up = 1;
  double slope_down = 1;
};

Kernels estimated(const check::Kernels& of) {
  return {to_double_estimate(of.start), to_double_estimate(of.up), to_double_estimate(of.slope_up),
          to_double_estimate(of.slope_down)};
}

// What holds for every coordinate.
struct Setting {
  const Layer& layer;
  const Head& head;
  ByKey<Kernels> kernels;
  ByKey<Rational> references;  // what a negative class's exponent is near
  double gate_least = 1;       // of 1/gate
  double gate_most = 1;
  RowClass rows;

  [[nodiscard]] bool is_trigger() const { return rows == RowClass::kTrigger; }
  [[nodiscard]] std::size_t query() const {
    return is_trigger() ? kTriggerFlag : head.content_flag();
  }
};

void set_gate(Setting& setting) {
  if (!setting.layer.is_gated()) return;
  const Gate& gate = setting.layer.gates.front();
  const double middle = gate.weight_float[setting.query()] + gate.bias_float;
  double swing = 0;
  for (std::size_t l = 0; l < setting.head.noise; ++l) {
    swing += std::fabs(gate.weight_float[kFirstNoise + l]);
  }
  setting.gate_least += std::exp(-middle - swing);
  setting.gate_most += std::exp(swing - middle);
}

// The logit of a class at noise zero, relative or not; of the query as its own key with the squares
// of its noise.
double middle_logit(const Setting& setting, Key key) {
  const Head& head = setting.head;
  const auto& m = head.logit_float;
  double logit = key == kNullSlot ? 0 : m(setting.query(), head.flag_of(key));
  if (key == kTriggerKey && setting.is_trigger()) {
    for (std::size_t k = kFirstNoise; k < head.content_flag(); ++k) logit += m(k, k);
  }
  return setting.layer.is_relative() ? logit - m(setting.query(), head.content_flag()) : logit;
}

Setting make_setting(const Layer& layer, const LayerRanges* ranges, RowClass rows) {
  Setting setting{layer, layer.heads.front(), {}, {}, 1, 1, rows};
  set_gate(setting);
  if (!layer.is_relative()) {
    const auto classes = check::classes_of(ranges->layer.ranges.front(), rows);
    for (const Key key : {kContentKey, kTriggerKey, kBosKey}) {
      setting.kernels[key] = estimated(check::kernels_of(layer.kind().kernel, classes[key]));
    }
  }
  for (const Key key : {kTriggerKey, kBosKey, kNullSlot}) {
    const Kernels& of = setting.kernels[key];
    const double exponent = of.slope_down * (middle_logit(setting, key) - of.start);
    setting.references[key] =
        short_dyadic(std::clamp(exponent, -double{kMostExpArgument}, double{kMostExpArgument}));
  }
  return setting;
}

// Whether the keys are looked at by their coordinate r, which is +1 or -1.
bool splits(const Setting& setting, std::size_t r) {
  return setting.is_trigger() && r >= kFirstNoise && r < setting.head.content_flag();
}

// A class of keys: its share, its value without noise, and what the noise of key or query adds.
struct KeyClass {
  enum class Noise { kNone, kOwn, kQuery };
  Key key;
  Noise noise;
  Share share;
  double value;
};

// How far the coordinate that is split may move the logits of a class: absolute |q| + linear q.
struct Own {
  double absolute = 0;
  double linear = 0;
};

// What all mixtures of a side have in common.
struct SideParts {
  std::size_t r;
  double sign;
  double split = 0;           // what the coordinate that is split adds to a value
  std::vector<double> noise;  // of values; 0 where split
  double swing = 0;           // its sum
  Own of_content{1, 0};
  Own of_others;

  SideParts(const Setting& setting, std::size_t coordinate, double s)
      : r(coordinate), sign(s), noise(setting.head.noise) {
    for (std::size_t l = 0; l < noise.size(); ++l) {
      const double value = setting.head.value_float(r, kFirstNoise + l);
      if (splits(setting, r) && r == kFirstNoise + l) {
        split = value;
      } else {
        noise[l] = sign * value;
      }
      swing += std::fabs(noise[l]);
    }
  }

  // Keys of value above theta are nearly those above the mean: their logits are taken less its own.
  void shift(const Head& head, double eta) {
    of_content = {1, 0};
    of_others = {};
    const double radius = head.token_float(r, r);
    if (radius == 0) return;
    const double content = sign * head.value_float(r, head.content_flag());
    const double eps = std::fabs(split / radius - 1) + (std::fabs(content - eta) + swing) / radius;
    constexpr double kNear = 0.5;
    if (eps > kNear) return;
    of_content = {(1 + eps) / 2, sign * (1 - eps) / 2};
    of_others = {0.5, -sign / 2};
  }
};

std::vector<KeyClass> classes(const Setting& setting, const SideParts& parts, const Mixture& at) {
  using Noise = KeyClass::Noise;
  const Head& head = setting.head;
  const auto value = [&](std::size_t flag, double side) {
    return parts.sign * head.value_float(parts.r, flag) + side * parts.split;
  };
  const std::size_t content = head.content_flag();
  std::vector<KeyClass> result = {{kContentKey, Noise::kOwn, at.plus, value(content, 1)},
                                  {kContentKey, Noise::kOwn, at.minus, value(content, -1)},
                                  {setting.is_trigger() ? kTriggerKey : kContentKey, Noise::kQuery,
                                   at.one, value(setting.query(), at.side)},
                                  {kBosKey, Noise::kNone, at.one, value(kBosFlag, 0)}};
  if (setting.rows == RowClass::kPost) {
    result.push_back({kTriggerKey, Noise::kOwn, at.one, value(kTriggerFlag, 0)});
  }
  if (setting.layer.has_null_slot()) result.push_back({kNullSlot, Noise::kNone, at.one, 0});
  std::erase_if(result, [](const KeyClass& of) { return of.share.weight <= 0; });
  return result;
}

// Shares are of rows of every length; beside the trigger's rows a row may have no other content.
bool is_in_every_row(const Setting& setting, const KeyClass& of) {
  return setting.is_trigger() || of.key != kContentKey || of.noise == KeyClass::Noise::kQuery;
}

// The largest of slope * logit + multiplier * Q over the key's noise.
SignForm exponent(const Setting& setting, const SideParts& parts, const KeyClass& of, double slope,
                  double multiplier) {
  const Head& head = setting.head;
  const std::size_t query = setting.query();
  SignForm form(head.noise);
  form.constant = multiplier * of.value;
  for (std::size_t l = 0; l < head.noise; ++l) {
    const double value = multiplier * parts.noise[l];
    if (splits(setting, parts.r) && kFirstNoise + l == parts.r) {
      const Own& own = of.key == kContentKey ? parts.of_content : parts.of_others;
      add_absolute_query(form, head, query, l, 0, std::fabs(slope) * own.absolute);
      add_query(form, head, query, l, std::fabs(slope) * own.linear);
    } else if (of.noise == KeyClass::Noise::kOwn) {
      add_absolute_query(form, head, query, l, value, slope);
    } else if (of.noise == KeyClass::Noise::kQuery) {
      form.linear[l] += value;
    }
  }
  if (of.key != kNullSlot) add_base(form, head, query, head.flag_of(of.key), slope);
  if (setting.layer.is_relative()) add_base(form, head, query, head.content_flag(), -slope);
  if (of.noise == KeyClass::Noise::kQuery) add_self(form, head, query, slope);
  return form;
}

void add(SignForm& sum, const SignForm& form, double factor) {
  const std::size_t d = sum.dimension();
  sum.constant += factor * form.constant;
  for (std::size_t k = 0; k < d; ++k) sum.linear[k] += factor * form.linear[k];
  for (std::size_t i = 0; i < form.cross.size(); ++i) {
    if (form.cross[i] != 0) sum.cross_at(i / d, i % d) += factor * form.cross[i];
  }
  sum.own += factor * form.own;
  if (form.coupling != nullptr) sum.coupling = form.coupling;
  for (std::size_t i = 0; i < form.offset.size(); ++i) {
    std::vector<double> row(form.rows.begin() + static_cast<std::ptrdiff_t>(i * d),
                            form.rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * d));
    for (double& entry : row) entry *= factor;
    sum.add_absolute(factor * form.offset[i], row, form.keys[i], factor * form.scales[i]);
  }
}

// sum of weight exp(form) <= most.
struct Claim {
  std::vector<SignForm> forms;
  std::vector<double> weights;
  double most = 0;

  // Of the forms' bounds: the left side over the right.
  [[nodiscard]] double quotient(std::span<const double> bounds) const {
    double sum = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i) sum += weights[i] * std::exp(bounds[i]);
    return sum == 0 ? 0 : sum / most;
  }
};

Claim claim(const Setting& setting, SideParts parts, const Mixture& at, double eta) {
  Claim result;
  std::vector<SignForm> negative;
  std::vector<double> shares;
  double bound = eta - parts.sign * setting.layer.constant_float[parts.r];
  if (splits(setting, parts.r)) {
    bound += parts.sign * setting.head.token_float(parts.r, setting.head.content_flag());
  }
  const double radius = setting.head.token_float(parts.r, parts.r);
  if (splits(setting, parts.r) && setting.layer.is_relative() && !setting.layer.is_gated()) {
    parts.shift(setting.head, bound);
  }
  for (KeyClass& of : classes(setting, parts, at)) {
    const double theta = radius * of.share.product / of.share.weight + bound;
    of.value -= theta * (theta >= 0 ? setting.gate_least : setting.gate_most);
    const double top = of.value + (of.noise == KeyClass::Noise::kNone ? 0 : parts.swing);
    const Kernels& kernel = setting.kernels[of.key];
    if (top > 0) {
      const double lambda = std::ceil(kMultiplierUnit / top) / kMultiplierUnit;
      result.forms.push_back(exponent(setting, parts, of, kernel.slope_up, lambda));
      result.forms.back().constant -= kernel.slope_up * kernel.start + 1;
      result.weights.push_back(of.share.weight * kernel.value / lambda);
    } else if (top < 0 && is_in_every_row(setting, of)) {
      const double sigma = std::floor(kMultiplierUnit / -of.value) / kMultiplierUnit;
      const double reference = to_double_estimate(setting.references[of.key]);
      negative.push_back(exponent(setting, parts, of, -kernel.slope_down, sigma));
      negative.back().constant += kernel.slope_down * kernel.start - sigma * top + reference;
      shares.push_back(of.share.weight * kernel.value * -top * std::exp(reference));
    }
  }
  result.most = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (SignForm& form : result.forms) {
    for (std::size_t j = 0; j < negative.size() && result.most > 0; ++j) {
      add(form, negative[j], shares[j] / result.most);
    }
  }
  return result;
}

// The tree that proves the claim, if one is found.
std::optional<std::string> prove(const Claim& claim, std::span<const std::size_t> order,
                                 const Effort& effort) {
  if (claim.forms.empty()) return "0";
  const double most = 1 - kShareLoss - effort.margin;
  const LeafTest passes = [&](std::span<const double> bounds) {
    return claim.quotient(bounds) <= most;
  };
  TreeSearch search = search_tree(claim.forms, order, passes, effort.nodes);
  if (!search.complete) return std::nullopt;
  return std::move(search.tree);
}

std::vector<Mixture> mixtures(const Setting& setting, std::size_t r, int sign) {
  const check::Head& head = setting.layer.exact.heads.front();
  if (!setting.is_trigger()) return {Mixture(check::longest_mixture(head))};
  const check::Rowing rowing{rows_apart(head.length), kCells, head.length};
  const auto exact =
      splits(setting, r) ? noise_mixtures(rowing) : flag_mixtures(rowing, head, {r, sign});
  return {exact.begin(), exact.end()};
}

std::vector<std::size_t> query_order(const Setting& setting) {
  const Head& head = setting.head;
  std::vector<SignForm> forms(1, SignForm(head.noise));
  add_query_norm(forms[0], head, setting.query());
  if (!setting.is_trigger()) {
    add_base(forms[0], head, setting.query(), head.content_flag(), 1);
    add_base(forms[0], head, setting.query(), kBosFlag, -1);
    forms.emplace_back(head.noise);
    add_self(forms[1], head, setting.query(), 1);
  }
  return influence_order(forms);
}

certificate::ByRow stated_proof(const Setting& setting, certificate::Trees trees) {
  certificate::ByRow by{
      std::move(trees), {}, setting.references[kBosKey], setting.references[kTriggerKey], {}};
  if (setting.layer.has_null_slot()) by.null = setting.references[kNullSlot];
  if (setting.is_trigger()) by.apart = {rows_apart(setting.head.length), kCells};
  return by;
}

// The largest that BOS's own row may lose, and a little more.
double first_row(const Setting& setting, std::size_t r, double sign) {
  const Layer& layer = setting.layer;
  double value = sign * setting.head.value_float(r, kBosFlag);
  if (layer.has_null_slot() || layer.is_gated()) value = std::max(value, 0.0);
  const double loss = value + sign * layer.constant_float[r];
  return loss + 1e-9 * std::fabs(loss);
}

// The trees of all mixtures of a side at eta, which is raised where one is not found: those before
// it may not fit then.
Piece prove_side(const Setting& setting, std::size_t side, double eta, double most,
                 std::span<const std::size_t> order, const Effort& effort) {
  const std::size_t r = side / 2;
  const int sign = side % 2 == 0 ? 1 : -1;
  if (setting.rows == RowClass::kPre) eta = std::max(eta, first_row(setting, r, sign));
  const SideParts parts(setting, r, sign);
  Piece piece;
  for (const Mixture& at : mixtures(setting, r, sign)) {
    std::string tree;
    const auto holds = [&](double bound) {
      if (effort.nodes.has_ended()) return false;
      auto found = prove(claim(setting, parts, at, bound), order, effort);
      if (!found) return false;
      tree = *std::move(found);
      return true;
    };
    if (!holds(eta)) eta = least_above(eta, most, holds);
    if (std::isinf(eta)) break;
    piece.trees.push_back(std::move(tree));
  }
  piece.target = eta;
  return piece;
}

}  // namespace

std::optional<Proof> bound_row_loss(const Layer& layer, const LayerRanges* ranges, RowClass rows,
                                    double attained, const std::optional<exact::Rational>& most,
                                    const Effort& effort) {
  if (effort.roots_only) return std::nullopt;
  const Setting setting = make_setting(layer, ranges, rows);
  const auto order = query_order(setting);
  const double limit = most ? to_double_estimate(*most) : HUGE_VAL;
  const std::string of_ranges = ranges == nullptr ? "" : " by ranges " + digest(layer, *ranges);
  PieceSearch pieces{2 * setting.head.width,
                     fmt::format("row {} below {}{}", to_string(rows), limit, of_ranges),
                     [&](std::size_t side, double target, const Effort& own) {
                       return prove_side(setting, side, target, limit, order, own);
                     }};
  // A little more than what is needed saves most of the nodes of many trees.
  constexpr double kRoom = 1.002;
  const bool one = !setting.is_trigger();
  const auto rounds =
      search_rounds(pieces, attained * (one ? 1.002 : 1.001), one ? 1 : kRoom, most, effort);
  if (!rounds) return std::nullopt;
  return Proof{rounds->bound, stated_proof(setting, stated_trees(order, rounds->trees()))};
}

}  // namespace sinkproof::certify
