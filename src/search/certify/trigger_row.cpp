#include "certify/trigger_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "certify/kernel.hpp"
#include "certify/logit_forms.hpp"
#include "certify/pieces.hpp"
#include "rounded/double.hpp"

namespace sinkproof::certify {
namespace {

using exact::Rational;
using rounded::to_double_estimate;

// As CHECKPOINT_RULES.md, 4.14, rounds: multipliers to multiples of 2^-20, shares to 2^-32.
const double kMultiplierUnit = std::ldexp(1.0, 20);
const double kShareLoss = std::ldexp(1.0, -29);

// Rows up to this many keys beside BOS are proved one by one, and cells for the longer ones.
struct Rowing {
  std::size_t rows;
  std::size_t cells;
};

Rowing choose_rows(std::size_t length) {
  constexpr std::size_t kFewRows = 9;
  constexpr std::size_t kFirstRows = 1;
  constexpr std::size_t kCells = 5;
  return {length - 1 <= kFewRows ? length - 1 : kFirstRows, kCells};
}

// Shares of the keys beside BOS, each with its product with tau, the mean of the coordinate.
struct Share {
  double weight = 0;
  double product = 0;
};
struct Mixture {
  Share plus;  // content keys at +1; of a flag all content keys
  Share minus;
  Share trigger;
  double side = 0;  // the trigger's own coordinate
};

// (t, t^2) on [first, last] lies in the hull of these: the ends and, for each cell, the
// intersection of the tangents at its ends.
std::vector<std::array<double, 2>> enclose_parabola(double first, double last, std::size_t cells) {
  std::vector<std::array<double, 2>> points = {{first, first * first}};
  const double width = (last - first) / static_cast<double>(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    const double t = first + width * static_cast<double>(i);
    points.push_back({t + width / 2, t * (t + width)});
  }
  points.push_back({last, last * last});
  return points;
}

// A share t of keys at -1, p of the trigger, at +1, and the rest at +1; w stands for t^2.
Mixture mixture(double plus, double p, double t, double w) {
  return {{plus, plus - 2 * t * (1 - p) + 2 * w},
          {t, t - 2 * w},
          {p, plus == 0 ? 1 - 3 * t + 2 * w : p * (1 - 2 * t)},
          1};
}

std::vector<Mixture> noise_mixtures(std::size_t length, const Rowing& of) {
  std::vector<Mixture> result;
  for (std::size_t n = 2; n <= of.rows; ++n) {
    const double p = 1 / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double t = p * static_cast<double>(i);
      result.push_back(mixture(i + 1 == n ? 0 : 1 - p - t, p, t, t * t));
    }
  }
  if (of.rows + 1 < length) {
    const double low = 1 / static_cast<double>(length - 1);
    const double high = 1 / static_cast<double>(of.rows + 1);
    for (const auto& [p, cells] : {std::pair(low, 2 * of.cells), std::pair(high, of.cells)}) {
      const auto points = enclose_parabola(0, 1 - p, cells);
      for (const auto& [t, w] : points) {
        result.push_back(mixture(t == points.back()[0] ? 0 : 1 - p - t, p, t, w));
      }
    }
    for (const auto& [t, w] : enclose_parabola(1 - high, 1 - low, of.cells)) {
      result.push_back(mixture(0, 1 - t, t, w));
    }
  }
  for (std::size_t i = 0, sided = result.size(); i < sided; ++i) {
    const Mixture& one = result[i];
    result.push_back({{one.minus.weight, -one.minus.product},
                      {one.plus.weight, -one.plus.product},
                      {one.trigger.weight, -one.trigger.product},
                      -one.side});
  }
  return result;
}

std::vector<Mixture> flag_mixtures(const Head& head, std::size_t r, double sign, const Rowing& of) {
  std::vector<std::array<double, 2>> points;
  for (std::size_t n = 2; n <= of.rows; ++n) {
    const double p = 1 / static_cast<double>(n);
    points.push_back({p, p * p});
  }
  if (of.rows + 1 < head.length) {
    const auto longer = enclose_parabola(1 / static_cast<double>(head.length - 1),
                                         1 / static_cast<double>(of.rows + 1), of.cells);
    points.insert(points.end(), longer.begin(), longer.end());
  }
  std::vector<Mixture> result;
  for (const auto& [t, w] : points) {
    Mixture one{{1 - t, 0}, {}, {t, 0}, 0};
    if (r == head.content_flag()) {
      one.plus.product = sign * (1 - 2 * t + w);
      one.trigger.product = sign * (t - w);
    } else if (r == kTriggerFlag) {
      one.plus.product = sign * (t - w);
      one.trigger.product = sign * w;
    }
    result.push_back(one);
  }
  return result;
}

// constant + linear . u
struct Affine {
  double constant = 1;
  std::vector<double> linear;
};

// A kernel is between value exp(slope_down (x - start)) and value exp(slope_up (x - start)).
struct Kernels {
  double start = 0;
  double value = 1;
  double slope_up = 1;
  double slope_down = 1;
};

Kernels kernels(model::Attention attention, double low, double high) {
  const KernelValue at = kernel(attention, low, 0);
  Kernels of{low, at.value, at.slope / at.value, 0};
  if (high > low) {
    const double growth = std::max(1.0, kernel(attention, high, 0).value / at.value);
    of.slope_down = 2 * (growth - 1) / ((growth + 1) * (high - low));
  }
  return of;
}

// What holds for every coordinate.
struct Setting {
  const Layer& layer;
  const Head& head;
  ByKey<Kernels> kernels;
  ByKey<Rational> references;  // what a negative class's exponent is near
  Affine gate_below;           // 1/gate
  Affine gate_above;
  double gate_most = 1;
  Rowing rowing;
};

void set_gate(Setting& setting) {
  const std::size_t d = setting.head.noise;
  setting.gate_below.linear.assign(d, 0);
  setting.gate_above.linear.assign(d, 0);
  if (!setting.layer.is_gated()) return;
  const Gate& gate = setting.layer.gates.front();
  const double middle = gate.weight_float[kTriggerFlag] + gate.bias_float;
  double swing = 0;
  for (std::size_t l = 0; l < d; ++l) swing += std::fabs(gate.weight_float[kFirstNoise + l]);
  const double tangent = std::exp(-middle);
  setting.gate_below.constant += tangent;
  setting.gate_above.constant += tangent * std::cosh(swing);
  setting.gate_most += tangent * std::exp(swing);
  for (std::size_t l = 0; swing > 0 && l < d; ++l) {
    const double weight = gate.weight_float[kFirstNoise + l];
    setting.gate_below.linear[l] = -tangent * weight;
    setting.gate_above.linear[l] = -tangent * std::sinh(swing) / swing * weight;
  }
}

// The logit of a class at noise zero, relative or not; of the trigger with the squares of its
// noise.
double middle_logit(const Setting& setting, Key key) {
  const Head& head = setting.head;
  const auto& m = head.logit_float;
  const double content = m(kTriggerFlag, head.content_flag());
  double logit = key == kContentKey ? content : key == kBosKey ? m(kTriggerFlag, kBosFlag) : 0;
  if (key == kTriggerKey) {
    logit = m(kTriggerFlag, kTriggerFlag);
    for (std::size_t k = kFirstNoise; k < head.content_flag(); ++k) logit += m(k, k);
  }
  return setting.layer.is_relative() ? logit - content : logit;
}

Setting make_setting(const Layer& layer, const LayerRanges* ranges) {
  Setting setting{layer, layer.heads.front(), {}, {}, {}, {}, 1, choose_rows(layer.length())};
  set_gate(setting);
  if (!layer.is_relative()) {
    for (const Key key : {kContentKey, kTriggerKey, kBosKey}) {
      const Range& logits = ranges->heads.front().trigger.keys[key].logits;
      setting.kernels[key] = kernels(layer.attention, to_double_estimate(logits.least),
                                     to_double_estimate(logits.greatest));
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

bool is_noise(const Head& head, std::size_t r) {
  return r >= kFirstNoise && r < head.content_flag();
}

// How far the coordinate of keys may move the logits of a class: absolute |q| + linear q.
struct Own {
  double absolute = 0;
  double linear = 0;
};
struct Owns {
  Own content;
  Own other;
};

Owns owns(const Setting& setting, std::size_t r, double sign, double eta) {
  const Head& head = setting.head;
  const double radius = head.token_float(r, r);
  const double gate = radius * setting.gate_below.constant;
  if (gate == 0) return {{1, 0}, {0, 0}};
  const double least_gate = setting.gate_below.constant;
  double eps =
      std::fabs(head.value_float(r, r) / gate - 1) +
      std::fabs(sign * head.value_float(r, head.content_flag()) - least_gate * eta) / gate +
      (1 + std::fabs(eta) / radius) * (setting.gate_most / least_gate - 1);
  for (std::size_t c = kFirstNoise; c < head.content_flag(); ++c) {
    if (c != r) eps += std::fabs(head.value_float(r, c)) / gate;
  }
  constexpr double kNear = 0.5;
  if (!setting.layer.is_relative() || eps > kNear) return {{1, 0}, {0, 0}};
  return {{(1 + eps) / 2, sign * (1 - eps) / 2}, {0.5, -sign / 2}};
}

// A class of keys: its share, and its value at noise zero and by the noise of key and query.
struct KeyClass {
  Key key;
  Share share;
  double value;
  std::vector<double> noise;
  std::vector<double> query;
};

std::vector<KeyClass> classes(const Setting& setting, std::size_t r, double sign,
                              const Mixture& at) {
  const Head& head = setting.head;
  const auto v = [&](std::size_t c) { return sign * head.value_float(r, c); };
  const std::vector<double> none(head.noise);
  std::vector<double> other(head.noise);
  double own = 0;
  for (std::size_t l = 0; l < head.noise; ++l) {
    if (r == kFirstNoise + l) {
      own = head.value_float(r, r);
    } else {
      other[l] = v(kFirstNoise + l);
    }
  }
  const double content = v(head.content_flag());
  std::vector<KeyClass> result = {
      {kContentKey, at.plus, content + own, other, none},
      {kContentKey, at.minus, content - own, other, none},
      {kTriggerKey, at.trigger, v(kTriggerFlag) + at.side * own, none, other},
      {kBosKey, at.trigger, v(kBosFlag), none, none}};
  if (setting.layer.has_null_slot()) result.push_back({kNullSlot, at.trigger, 0, none, none});
  std::erase_if(result, [](const KeyClass& of) { return of.share.weight <= 0; });
  return result;
}

// The largest of slope * logit + multiplier * Q over the key's noise, but for coordinate r, which
// moves logits as `own` says.
SignForm exponent(const Setting& setting, const KeyClass& of, std::size_t r, const Own& own,
                  double slope, double multiplier) {
  const Head& head = setting.head;
  SignForm form(head.noise);
  form.constant = multiplier * of.value;
  for (std::size_t l = 0; l < head.noise; ++l) {
    form.linear[l] = multiplier * of.query[l];
    if (of.key != kContentKey || kFirstNoise + l == r) continue;
    add_absolute_query(form, head, kTriggerFlag, l, multiplier * of.noise[l], slope);
  }
  if (is_noise(head, r)) {
    const std::size_t o = r - kFirstNoise;
    add_absolute_query(form, head, kTriggerFlag, o, 0, std::fabs(slope) * own.absolute);
    add_query(form, head, kTriggerFlag, o, std::fabs(slope) * own.linear);
  }
  if (of.key != kNullSlot) add_base(form, head, kTriggerFlag, head.flag_of(of.key), slope);
  if (setting.layer.is_relative()) {
    add_base(form, head, kTriggerFlag, head.content_flag(), -slope);
  }
  if (of.key == kTriggerKey) add_self(form, head, kTriggerFlag, slope);
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

Claim claim(const Setting& setting, std::size_t r, double sign, const Mixture& at, double eta) {
  Claim result;
  std::vector<SignForm> negative;
  std::vector<double> shares;
  double bound = eta - sign * setting.layer.constant_float[r];
  if (is_noise(setting.head, r)) {
    bound += sign * setting.head.token_float(r, setting.head.content_flag());
  }
  const double radius = setting.head.token_float(r, r);
  const Owns both = owns(setting, r, sign, bound);
  for (KeyClass& of : classes(setting, r, sign, at)) {
    const Own& own = of.key == kContentKey ? both.content : both.other;
    const double theta = radius * of.share.product / of.share.weight + bound;
    const Affine& gate = theta >= 0 ? setting.gate_below : setting.gate_above;
    of.value -= theta * gate.constant;
    double top = of.value;
    for (std::size_t l = 0; l < setting.head.noise; ++l) {
      of.query[l] -= theta * gate.linear[l];
      top += std::fabs(of.noise[l]) + std::fabs(of.query[l]);
    }
    const Kernels& kernel = setting.kernels[of.key];
    if (top > 0) {
      const double lambda = std::ceil(kMultiplierUnit / top) / kMultiplierUnit;
      result.forms.push_back(exponent(setting, of, r, own, kernel.slope_up, lambda));
      result.forms.back().constant -= kernel.slope_up * kernel.start + 1;
      result.weights.push_back(of.share.weight * kernel.value / lambda);
    } else if (top < 0) {
      const double sigma = std::floor(kMultiplierUnit / -of.value) / kMultiplierUnit;
      const double reference = to_double_estimate(setting.references[of.key]);
      negative.push_back(exponent(setting, of, r, own, -kernel.slope_down, sigma));
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

std::vector<Mixture> mixtures(const Setting& setting, std::size_t r, double sign) {
  const Head& head = setting.head;
  if (is_noise(head, r)) return noise_mixtures(head.length, setting.rowing);
  return flag_mixtures(head, r, sign, setting.rowing);
}

std::vector<std::size_t> query_order(const Head& head) {
  SignForm content(head.noise);
  add_query_norm(content, head, kTriggerFlag);
  return influence_order(std::span(&content, 1));
}

json::Value parameters(const Setting& setting) {
  const auto text = [&](Key key) { return exact::to_string(setting.references[key]); };
  json::Value references = {
      {"bos", text(kBosKey)}, {"null", nullptr}, {"trigger", text(kTriggerKey)}};
  if (setting.layer.has_null_slot()) references["null"] = text(kNullSlot);
  return {{"cells", setting.rowing.cells},
          {"references", std::move(references)},
          {"rows", setting.rowing.rows}};
}

// The trees of all mixtures of a side at eta, which is raised where one is not found: those before
// it may not fit then.
Piece prove_side(const Setting& setting, std::size_t side, double eta, double most,
                 std::span<const std::size_t> order, const Effort& effort) {
  const std::size_t r = side / 2;
  const double sign = side % 2 == 0 ? 1 : -1;
  Piece piece;
  for (const Mixture& at : mixtures(setting, r, sign)) {
    std::string tree;
    const auto holds = [&](double bound) {
      if (effort.nodes.has_ended()) return false;
      auto found = prove(claim(setting, r, sign, at, bound), order, effort);
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

std::optional<Proof> bound_trigger_loss(const Layer& layer, const LayerRanges* ranges,
                                        double attained, const std::optional<exact::Rational>& most,
                                        const Effort& effort) {
  if (effort.roots_only) return std::nullopt;
  const Setting setting = make_setting(layer, ranges);
  const auto order = query_order(setting.head);
  const double limit = most ? to_double_estimate(*most) : HUGE_VAL;
  const std::string of_ranges = ranges == nullptr ? "" : " by ranges " + digest(*ranges);
  PieceSearch pieces{2 * setting.head.width,
                     fmt::format("trigger-row below {}{}", limit, of_ranges),
                     [&](std::size_t side, double target, const Effort& own) {
                       return prove_side(setting, side, target, limit, order, own);
                     }};
  // A little more than what is needed saves most of the nodes.
  constexpr double kRoom = 1.002;
  const auto rounds = search_rounds(pieces, attained * 1.001, kRoom, most, effort);
  if (!rounds) return std::nullopt;
  return Proof{rounds->bound,
               tree_proof("trigger-row", order, parameters(setting), rounds->trees())};
}

}  // namespace sinkproof::certify
