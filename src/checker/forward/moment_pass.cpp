#include "forward/moment_pass.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "forward/content_rows.hpp"
#include "forward/moment_model.hpp"
#include "forward/row_keys.hpp"

namespace sinkproof::forward {
namespace {

using certificate::Rows;
using exact::Integer;

// Remainders above this become letters.
constexpr Word kLargeRemainder = kOne >> 10U;

std::size_t index(Rows rows) { return static_cast<std::size_t>(rows); }

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
    follow_content(each, Rows::kPre, 2, before);
    share_out(each, triggers,
              [&](MomentPass& part, std::size_t k) { part.follow_row(Rows::kTrigger, first + k); });
    if (request_.rows == Rows::kPost) {
      bounds_.loss[index(Rows::kPost)] = 0;
      follow_content(each, Rows::kPost, first + 1, request_.length - first);
    }
    return std::move(bounds_);
  }

 private:
  [[nodiscard]] bool is_residual() const { return model_.layers.front().residual; }
  [[nodiscard]] const Alphabet& alphabet() const { return model_.letters.alphabet; }

  // Rows of content tokens; one after the other where the later ones see what the earlier became.
  void follow_content(const ForEach& each, Rows rows, std::size_t first, std::size_t count) {
    if (model_.kind.normalised) {
      return share_out(each, count,
                       [&](MomentPass& part, std::size_t k) { part.follow_row(rows, first + k); });
    }
    for (std::size_t i = first; i < first + count; ++i) {
      share_out(each, 1, [&](MomentPass& part, std::size_t) { part.follow_row(rows, i); });
    }
  }

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
    rows_ = part.rows_;
    if (!part.own_rows_.empty()) trigger_rows_.push_back(part.own_rows_);
  }

  // The trigger's row as a key at each layer, at whatever position before row i: in its own noise,
  // then in a letter for each coordinate. Rows after it keep the letters of layers before.
  [[nodiscard]] std::vector<Series> trigger_before(std::size_t i) const {
    std::vector<Series> trigger = {token(model_.first_trigger, model_.letters.trigger)};
    const std::size_t positions =
        std::min(i - 1, request_.last_trigger) - request_.first_trigger + 1;
    for (std::size_t l = 1; l < model_.layers.size(); ++l) {
      std::vector<std::vector<const LinearRow*>> rows(1);
      for (std::size_t k = 0; k < positions; ++k) {
        rows.front().push_back(&trigger_rows_[k][l - 1]);
      }
      trigger.push_back(trigger_key(row_keys(rows, l, model_).keys, l));
    }
    return trigger;
  }

  // In the letters of its noise and in those of the layer.
  [[nodiscard]] Series trigger_key(const ContentKeys& keys, std::size_t layer) const {
    const std::size_t n = model_.width;
    Series key = constant(keys.centre, keys.remainder);
    for (std::size_t a = 0; a < keys.numbers.size(); ++a) {
      const std::size_t number = a < model_.noise ? a : layer * n + a - model_.noise;
      key.terms.push_back({static_cast<Letter>(model_.letters.trigger + number)});
      for (std::size_t c = 0; c < n; ++c) key.values.push_back(keys.columns(c, a));
    }
    return key;
  }

  // Row i of a class, through all layers.
  void follow_row(Rows rows, std::size_t i) {
    const std::size_t count = rows == Rows::kPost ? i - 3 : i - 2;
    trigger_.clear();
    if (rows == Rows::kPost) trigger_ = trigger_before(i);
    if (model_.kind.normalised) {
      const ContentRows content(model_, count, trigger_.empty() ? nullptr : &trigger_);
      return follow_row(rows, i, count, [&](std::size_t l) { return content.seen(l); });
    }
    std::vector<RowKeys> keys = {token_keys_of(model_.content, count)};
    for (std::size_t l = 1; count > 0 && l < model_.layers.size(); ++l) {
      keys.push_back(row_keys(content_rows(l, count), l, model_));
    }
    follow_row(rows, i, count, [&](std::size_t l) {
      return count == 0 ? SeenKeys{nullptr, 0, {}, {}} : seen_of(keys[l], count);
    });
  }

  // At the entrance of a layer, by position: content rows that are as many as so many others see.
  [[nodiscard]] std::vector<std::vector<const LinearRow*>> content_rows(std::size_t layer,
                                                                        std::size_t count) const {
    std::vector<std::vector<const LinearRow*>> found(count);
    for (const auto& of_class : rows_) {
      for (std::size_t k = 0; k < count; ++k) {
        if (const auto row = of_class.find(k); row != of_class.end()) {
          found[k].push_back(&row->second[layer - 1]);
        }
      }
    }
    return found;
  }

  template <typename Seen>
  void follow_row(Rows rows, std::size_t i, std::size_t count, const Seen& seen) {
    const bool is_trigger = rows == Rows::kTrigger;
    const Series begin = token(is_trigger ? model_.first_trigger : model_.content, 1);
    Series row = begin;
    own_rows_.clear();
    for (std::size_t l = 0; l < model_.layers.size(); ++l) {
      row = output(rows, l, row, seen(l));
      if (l + 1 == model_.layers.size()) continue;
      const bool is_key = is_trigger ? request_.rows == Rows::kPost : !model_.kind.normalised;
      if (is_key) own_rows_.push_back(linear_row(row, model_));
    }
    if (!is_trigger && !own_rows_.empty()) {
      rows_[rows == Rows::kPost ? 1 : 0][count] = std::exchange(own_rows_, {});
    }
    Series target = is_residual() ? begin : Series(model_.width);
    if (is_trigger) {
      const Series keys = mean_of(seen(0), model_.letters.keys);  // there is one at least
      target = sum(target, sum(part_of(keys, count, i - 1), part_of(begin, 1, i - 1)));
    }
    note_loss(sum(row, target, -1), rows);
  }

  Series output(Rows rows, std::size_t l, const Series& row, const SeenKeys& seen) {
    const MomentModel::Layer& layer = model_.layers[l];
    const Series* trigger = rows == Rows::kPost ? &trigger_[l] : nullptr;
    const std::size_t degree = rows == Rows::kTrigger ? request_.degree : request_.row_degree;
    Series out = layer.begin(row);
    for (std::size_t h = 0; h < layer.heads.size(); ++h) {
      const FixedHead& head = layer.heads[h];
      if (!model_.kind.normalised) {
        WeighedHead part = weighed(model_.kind, head, row, &layer.bos, seen, trigger,
                                   model_.letters.keys, degree, alphabet());
        forward::include(bounds_.paid[l][h][index(rows)], {part.bos, {0, 0}});
        name_remainders(part.output, l * layer.heads.size() + h);
        out = sum(out, part.output);
        continue;
      }
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
  // Rows at the entrance of layers 2, 3, ..: content rows before and behind the trigger, by how
  // many others they see; the trigger's, by its position; those of the row that is followed.
  std::array<std::map<std::size_t, std::vector<LinearRow>>, 2> rows_;
  std::vector<std::vector<LinearRow>> trigger_rows_;
  std::vector<LinearRow> own_rows_;
  std::vector<Series> trigger_;  // as a key of the row, at the entrance of each layer
  BoxBounds bounds_;
};

}  // namespace

std::optional<BoxBounds> moment_bounds(const Model& model, const BoxRequest& request,
                                       const ForEach& each) try {
  const MomentModel fixed(model, request.box);
  return MomentPass(fixed, request).run(each);
} catch (const TooCoarse&) {
  return std::nullopt;
}

}  // namespace sinkproof::forward
