#include "forward/moment_pass.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "forward/content_rows.hpp"
#include "forward/moment_model.hpp"

namespace sinkproof::forward {
namespace {

using certificate::Rows;
using exact::Integer;

// Remainders above this become letters.
constexpr Word kLargeRemainder = kOne >> 10U;

std::size_t index(Rows rows) { return static_cast<std::size_t>(rows); }

// part / whole of it.
Series part_of(const Series& x, std::size_t part, std::size_t whole) {
  Series result = times(x, static_cast<Word>((Wide{kOne} * part) / whole));
  for (std::size_t c = 0; c < x.size; ++c) result.remainder[c] += 1 + (reach(x, c) >> kSeriesBits);
  return result;
}

class MomentPass {
 public:
  MomentPass(const MomentModel& model, const BoxRequest& request)
      : model_(model), request_(request) {
    for (const MomentModel::Layer& layer : model.layers) {
      bounds_.paid.emplace_back(layer.heads.size());
    }
  }

  BoxBounds run(const ForEach& each) {
    const std::size_t first = request_.first_trigger;
    const std::size_t before = request_.last_trigger - 2;  // rows 2 .. last_trigger - 1
    const std::size_t triggers =
        request_.rows == Rows::kPre ? 0 : request_.last_trigger - first + 1;
    const Series& bos = model_.bos_after;
    note_loss(is_residual() ? sum(bos, model_.layers.front().bos, -1) : bos, Rows::kPre);
    share_out(each, before + triggers, [&](MomentPass& part, std::size_t k) {
      k < before ? part.follow_row(Rows::kPre, k + 2)
                 : part.follow_row(Rows::kTrigger, first + k - before);
    });
    if (request_.rows == Rows::kPost) {
      bounds_.loss[index(Rows::kPost)] = 0;
      name_trigger();
      share_out(each, request_.length - first, [&](MomentPass& part, std::size_t k) {
        part.follow_row(Rows::kPost, first + 1 + k);
      });
    }
    return std::move(bounds_);
  }

 private:
  [[nodiscard]] bool is_residual() const { return model_.layers.front().residual; }
  [[nodiscard]] const Alphabet& alphabet() const { return model_.letters.alphabet; }

  // What the parts find, each in a copy of this.
  void share_out(const ForEach& each, std::size_t count,
                 const std::function<void(MomentPass&, std::size_t)>& follow) {
    std::vector<std::optional<MomentPass>> parts(count);
    each(count, [&](std::size_t k) {
      MomentPass part(*this);
      try {
        follow(part, k);
        parts[k].emplace(std::move(part));
      } catch (const TooCoarse&) {
        parts[k].reset();
      }
    });
    for (const auto& part : parts) {
      if (!part) throw TooCoarse();
      include(*part);
    }
  }

  void include(const MomentPass& part) {
    forward::include(bounds_, part.bounds_);
    for (std::size_t l = 0; l < part.reached_.size(); ++l) {
      if (reached_.size() <= l) reached_.push_back(part.reached_[l]);
      for (std::size_t c = 0; c < model_.width; ++c) {
        reached_[l][c].lower = std::min(reached_[l][c].lower, part.reached_[l][c].lower);
        reached_[l][c].upper = std::max(reached_[l][c].upper, part.reached_[l][c].upper);
      }
    }
  }

  // The trigger's row as a key at each layer, at whatever position: in its own noise, then in a
  // letter for each coordinate. Rows after it keep the letters of layers before.
  void name_trigger() {
    const std::size_t n = model_.width;
    trigger_ = {token(model_.first_trigger, model_.letters.trigger)};
    for (const std::vector<WordRange>& at : reached_) {
      std::vector<Word> centre;
      exact::Matrix<Word> columns(n, n);
      for (std::size_t c = 0; c < n; ++c) {
        centre.push_back(at[c].lower + (at[c].upper - at[c].lower) / 2);
        columns(c, c) = std::max(at[c].upper - centre[c], centre[c] - at[c].lower);
      }
      const auto letter = static_cast<Letter>(model_.letters.trigger + trigger_.size() * n);
      trigger_.push_back(sum(constant(centre, std::vector<Word>(n)), linear(columns, letter)));
    }
  }

  // Row i of a class, through all layers.
  void follow_row(Rows rows, std::size_t i) {
    const bool is_trigger = rows == Rows::kTrigger;
    const bool is_post = rows == Rows::kPost;
    const std::size_t count = is_post ? i - 3 : i - 2;
    const ContentRows content(model_, count, is_post ? &trigger_ : nullptr);
    const Series begin = token(is_trigger ? model_.first_trigger : model_.content, 1);
    Series row = begin;
    for (std::size_t l = 0; l < model_.layers.size(); ++l) {
      row = output(rows, l, row, content);
      if (!is_trigger || l + 1 == model_.layers.size() || request_.rows != Rows::kPost) continue;
      reached_.emplace_back();
      for (std::size_t c = 0; c < row.size; ++c) {
        reached_.back().push_back(range(row, c, alphabet()));
      }
    }
    Series target = is_residual() ? begin : Series(model_.width);
    if (is_trigger) {
      const Series keys = mean_of(content.seen(0), model_.letters.keys);  // there is one at least
      target = sum(target, sum(part_of(keys, count, i - 1), part_of(begin, 1, i - 1)));
    }
    note_loss(sum(row, target, -1), rows);
  }

  Series output(Rows rows, std::size_t l, const Series& row, const ContentRows& content) {
    const MomentModel::Layer& layer = model_.layers[l];
    const SeenKeys seen = content.seen(l);
    const Series* trigger = rows == Rows::kPost ? &trigger_[l] : nullptr;
    const std::size_t degree = rows == Rows::kTrigger ? request_.degree : request_.row_degree;
    Series out = layer.begin(row);
    for (std::size_t h = 0; h < layer.heads.size(); ++h) {
      const FixedHead& head = layer.heads[h];
      TiltedHead part =
          tilted(head, row, layer.bos, seen, trigger, model_.letters.keys, degree, alphabet());
      forward::include(bounds_.paid[l][h][index(rows)], {part.bos, {0, 0}});
      Series moved =
          part.others ? scaled(*part.others, part.mean, degree, alphabet()) : std::move(part.mean);
      name_remainders(moved, l * layer.heads.size() + h);
      out = sum(out, apply(head.value, layer.bos));
      out = sum(out, apply(without_bias(head.value), moved));
    }
    return out;
  }

  void name_remainders(Series& x, std::size_t head) const {
    for (std::size_t c = 0; c < x.size; ++c) {
      if (x.remainder[c] <= kLargeRemainder) continue;
      x.terms.push_back({static_cast<Letter>(model_.letters.fresh + head * x.size + c)});
      x.values.resize(x.values.size() + x.size);
      x.values[x.values.size() - x.size + c] = std::exchange(x.remainder[c], 0);
    }
  }

  void note_loss(const Series& error, Rows rows) {
    std::optional<Integer>& loss = bounds_.loss[index(rows)];
    if (!loss) loss = 0;
    for (std::size_t c = 0; c < error.size; ++c) {
      if (fine(reach(error, c)) <= *loss) continue;
      const WordRange ends = range(error, c, alphabet());
      loss = std::max(*loss, fine(std::max(size_of(ends.lower), size_of(ends.upper))));
    }
  }

  const MomentModel& model_;
  const BoxRequest& request_;
  // Of the trigger's rows, at the entrance of layers 2, 3, ..
  std::vector<std::vector<WordRange>> reached_;
  std::vector<Series> trigger_;  // as a key, at the entrance of each layer
  BoxBounds bounds_;
};

}  // namespace

bool has_moments(const Model& model) {
  return std::all_of(model.blocks.begin(), model.blocks.end(), [](const AttentionBlock& block) {
    return block.kind.kernel == certificate::Kernel::kExp && block.kind.averages();
  });
}

std::optional<BoxBounds> moment_bounds(const Model& model, const BoxRequest& request,
                                       const ForEach& each) try {
  const MomentModel fixed(model, request.box);
  return MomentPass(fixed, request).run(each);
} catch (const TooCoarse&) {
  return std::nullopt;
}

}  // namespace sinkproof::forward
