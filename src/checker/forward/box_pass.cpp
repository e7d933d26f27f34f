#include "forward/box_pass.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "certificate/checkpoint.hpp"
#include "exact/whole.hpp"
#include "forward/box_layer.hpp"
#include "forward/rollout.hpp"

namespace sinkproof::forward {
namespace {

using exact::Integer;
using exact::Rational;

constexpr unsigned kBits = kBoxPrecision;

// The token of a flag with its own noise, which lies in the box.
Polynomials token(std::size_t n, std::size_t flag, const certificate::Box& box) {
  const Integer one = unit(kBits);
  Polynomials result(n);
  result[{}][flag] = one;
  for (std::size_t c = certificate::kNoise; c + 1 < n; ++c) {
    const auto put_part = [&](const Monomial& monomial, const Rational& part) {
      Integer& units = result[monomial][c];
      units = exact::floor(part * one);
      if (units != part * one) ++result.remainder[c];
    };
    put_part({}, box.centre(c - certificate::kNoise));
    put_part({{static_cast<std::uint32_t>(c)}, {}, {}}, box.radius(c - certificate::kNoise));
  }
  return result;
}

bool is_small(const Polynomials& x, std::size_t keys) {
  const auto all_small = [](const std::vector<Integer>& row) {
    return std::all_of(row.begin(), row.end(),
                       [](const Integer& n) { return forward::is_small(n, kBits); });
  };
  return all_small(x.remainder) &&
         std::all_of(x.terms.begin(), x.terms.end(), [&](const auto& term) {
           return instances(term.first, keys) == 0 || all_small(term.second);
         });
}

// A class of rows at the entrance of each layer, and after the last.
using States = std::vector<Polynomials>;

// Rows first..last of a class, which all begin with `token`.
struct Class {
  certificate::Rows rows;
  std::size_t first;
  std::size_t last;
  std::size_t trigger;  // its position; of rows after it
  std::size_t kept;
  std::size_t degree;
  Polynomials token;
  Polynomials target;

  [[nodiscard]] std::size_t index() const { return static_cast<std::size_t>(rows); }
  [[nodiscard]] bool is_post() const { return rows == certificate::Rows::kPost; }
};

void include(std::optional<Range>& all, const Range& one) { all = all ? hull(*all, one) : one; }

class BoxPass {
 public:
  BoxPass(const Model& model, const BoxRequest& request) : model_(model), request_(request) {
    for (const AttentionBlock& block : model.blocks) {
      layers_.emplace_back(block);
      bounds_.paid.emplace_back(block.heads);
    }
    if (has_rollout(model)) rollout_.emplace(layers_.size(), request.length, kBits);
  }

  BoxBounds run(const ForEach& each) {
    for (std::size_t rows = 0; rows <= static_cast<std::size_t>(request_.rows); ++rows) {
      bounds_.loss[rows] = 0;
    }
    using certificate::Rows;
    Polynomials bos(model_.width);
    bos[{}][certificate::kBosFlag] = unit(kBits);
    follow({Rows::kPre, 1, 1, 0, 0, 0, bos, target(bos)}, bos_);
    const Polynomials content = content_token();
    follow({Rows::kPre, 2, request_.last_trigger - 1, 0, 0, request_.row_degree, content,
            target(content)},
           before_);
    if (request_.rows == Rows::kPre) return std::move(bounds_);
    // What rows before the trigger leave is the same for all its positions.
    const std::size_t first = request_.first_trigger;
    std::vector<std::optional<BoxBounds>> at(request_.last_trigger - first + 1);
    each(at.size(), [&](std::size_t k) { at[k] = BoxPass(*this).at_trigger(first + k); });
    for (const auto& one : at) {
      if (!one) throw TooCoarse();
      include(bounds_, *one);
    }
    return std::move(bounds_);
  }

 private:
  std::optional<BoxBounds> at_trigger(std::size_t j) try {
    using certificate::Rows;
    const Polynomials content = content_token();
    const Polynomials trigger = token(model_.width, certificate::kTriggerFlag, request_.box);
    Polynomials mean = sum_over_keys(as_key(content), j - 3);
    add(mean, trigger, 1);
    mean = divided(mean, j - 1, j - 2);
    add(mean, target(trigger), 1);
    follow({Rows::kTrigger, j, j, j, j - 2, request_.degree, trigger, mean}, trigger_);
    if (request_.rows == Rows::kPost && j < request_.length) {
      follow({Rows::kPost, j + 1, request_.length, j, 0, request_.row_degree, content,
              target(content)},
             after_);
    }
    return std::move(bounds_);
  } catch (const TooCoarse&) {
    return std::nullopt;
  }

  // The class's way through the layers. Throws TooCoarse when a number is too large.
  void follow(const Class& rows, States& states) {
    states = {rows.token};
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const View view = view_of(rows, l, states.back());
      const BoxLayer::Output output = layers_[l].seen(view);
      std::optional<Polynomials> together;
      for (std::size_t i = rows.first; i <= rows.last; ++i) {
        Polynomials out = output(counts_of(rows, i), [&](std::size_t h, const Weights& weights) {
          if (i > 1) note_weights(l, h, i, weights, rows.index());
        });
        if (!is_small(out, view.kept_after())) throw TooCoarse();
        if (l + 1 == layers_.size()) note_loss(out, rows, view.kept_after());
        if (together) {
          widen(*together, out, view.kept_after());
        } else {
          together = std::move(out);
        }
      }
      states.push_back(*std::move(together));
    }
  }

  // The layer as the class sees it.
  [[nodiscard]] View view_of(const Class& rows, std::size_t layer, const Polynomials& state) const {
    const bool apart = layer + 1 == layers_.size() && rows.kept == 0;
    return {&state,
            rows.first == 1 ? nullptr : &bos_[layer],
            keys_of(rows, layer),
            rows.kept,
            rows.degree,
            rows.rows,
            first_letter(layer, rows.index()),
            apart ? first_letter(layers_.size(), 0) : 0};
  }

  // What the class sees beside BOS and itself in a layer, and how many of each class row i does.
  [[nodiscard]] std::vector<Keys> keys_of(const Class& rows, std::size_t layer) const {
    if (rows.first == 1) return {};
    std::vector<Keys> all = {{as_key(before_[layer])}};
    if (rows.is_post()) {
      all.push_back({as_key(trigger_[layer]), rows.trigger - 2});
      all.push_back({as_key(after_[layer])});
    }
    return all;
  }
  static Counts counts_of(const Class& rows, std::size_t i) {
    if (i == 1) return {};
    if (rows.is_post()) return {rows.trigger - 2, 1, i - rows.trigger - 1};
    return {i - 2};
  }

  [[nodiscard]] Polynomials content_token() const {
    return token(model_.width, model_.width - 1, request_.box);
  }

  // What a row without a task is to be: its token, with residual connections; else zero.
  [[nodiscard]] Polynomials target(const Polynomials& token) const {
    return model_.blocks.front().residual ? token : Polynomials(token.size);
  }

  // Letters below n are noise coordinates; those of logits follow, by layer, class of rows, head
  // and kind of key.
  [[nodiscard]] std::uint32_t first_letter(std::size_t layer, std::size_t rows) const {
    const std::size_t place = BoxBounds::kClasses * layer + rows;
    return static_cast<std::uint32_t>(model_.width +
                                      place * model_.blocks.front().heads * kLettersAHead);
  }

  // Keys are listed as they stand in the sequence, so that a weight is that of its position.
  void note_weights(std::size_t layer, std::size_t head, std::size_t row, const Weights& weights,
                    std::size_t rows) {
    include(bounds_.paid[layer][head][rows], {weights.keys.front(), weights.null});
    if (!rollout_) return;
    const Range& arrives = rollout_->follow(layer, row, weights.keys);
    if (layer + 1 == layers_.size()) include(bounds_.rollout[rows], arrives);
  }

  void note_loss(const Polynomials& out, const Class& rows, std::size_t kept) {
    Polynomials error = out;
    add(error, rows.target, -1);
    Integer& loss = *bounds_.loss[rows.index()];
    for (std::size_t c = 0; c < error.size; ++c) {
      const Integer most = reach(error, c, kept);
      if (most <= loss) continue;
      const Range ends = absolute(range(error, c, kept, static_cast<std::uint32_t>(c)));
      loss = std::max(loss, std::min(most, ends.upper));
    }
  }

  const Model& model_;
  const BoxRequest& request_;
  std::vector<BoxLayer> layers_;
  BoxBounds bounds_;
  std::optional<Rollout> rollout_;  // of the position at hand
  States bos_;
  States before_;   // rows 2 .. last_trigger - 1
  States trigger_;  // of the position at hand
  States after_;    // of it
};

}  // namespace

void include(std::optional<BoxBounds::Paid>& all, const BoxBounds::Paid& one) {
  all = all ? BoxBounds::Paid{hull(all->bos, one.bos), hull(all->null, one.null)} : one;
}

void include(BoxBounds& all, const BoxBounds& one) {
  for (std::size_t rows = 0; rows < BoxBounds::kClasses; ++rows) {
    if (one.loss[rows]) all.loss[rows] = std::max(all.loss[rows].value_or(0), *one.loss[rows]);
    if (one.rollout[rows]) include(all.rollout[rows], *one.rollout[rows]);
    for (std::size_t l = 0; l < one.paid.size(); ++l) {
      for (std::size_t h = 0; h < one.paid[l].size(); ++h) {
        if (const auto& paid = one.paid[l][h][rows]) include(all.paid[l][h][rows], *paid);
      }
    }
  }
}

std::optional<BoxBounds> box_bounds(const Model& model, const BoxRequest& request,
                                    const ForEach& each) try {
  return BoxPass(model, request).run(each);
} catch (const TooCoarse&) {
  return std::nullopt;
}

}  // namespace sinkproof::forward
