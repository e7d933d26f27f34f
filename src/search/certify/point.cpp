#include "certify/point.hpp"

#include <algorithm>
#include <cmath>

namespace sinkproof::certify {
namespace {

constexpr std::size_t kMaxGroups = 7;
constexpr int kSweeps = 40;
constexpr double kNextToNothing = 0x1p-20;
constexpr double kSettled = 1e-3;  // a move too small for sixteenths to see
constexpr double kCodesPerUnit = 16;
constexpr char kZero = '@';

std::string encoded(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) {
    text += static_cast<char>(kZero + std::lround(number * kCodesPerUnit));
  }
  return text;
}

double decoded(char code) { return (code - kZero) / kCodesPerUnit; }

// Where value + slope * t - square * t^2 is largest on [-1 - value, 1 - value], t the move.
double best_move(double value, double slope, double square) {
  const double top = square > 0 ? value + slope / (2 * square) : (slope < 0 ? -1.0 : 1.0);
  return std::clamp(top, -1.0, 1.0) - value;
}

}  // namespace

PointForm::PointForm(const SignForm& form)
    : coupling_(*form.coupling),
      constant_(form.constant),
      own_(form.own),
      linear_(form.linear),
      square_(form.dimension()) {
  const Multipliers& multipliers = *coupling_.multipliers();
  const std::size_t d = form.dimension();
  std::vector<std::size_t> seen(d);
  std::vector<Group> groups;
  const auto stand_alone = [&](std::size_t i) {
    constant_ += std::fabs(form.offset[i]);
    for (std::size_t k = 0; k < d; ++k) constant_ += std::fabs(form.rows[i * d + k]);
  };
  std::vector<std::vector<std::size_t>> members;
  double least = 0;
  for (const double scale : form.scales) least = std::max(least, kNextToNothing * std::fabs(scale));
  for (std::size_t i = 0; i < form.offset.size(); ++i) {
    const std::size_t l = std::fabs(form.scales[i]) > least ? form.keys[i] : kNoKey;
    const std::size_t g = l == kNoKey ? kMaxGroups : seen[l]++;
    if (g >= kMaxGroups) {
      stand_alone(i);
      continue;
    }
    if (g >= members.size()) members.resize(g + 1);
    members[g].push_back(i);
  }
  for (const auto& group : members) {
    Group& made = groups_.emplace_back();  // empty where its one member stands alone
    if (group.size() == 1) {
      stand_alone(group.front());
      continue;
    }
    for (const std::size_t i : group) {
      made.mean += std::fabs(form.scales[i]) / static_cast<double>(group.size());
    }
    for (const std::size_t i : group) {
      const double scale = form.scales[i];
      const std::size_t l = form.keys[i];
      made.keys.push_back(
          {l, scale, form.offset[i], scale * scale / made.mean * multipliers.keys[l]});
      constant_ += made.keys.back().square;
    }
    for (std::size_t k = 0; k < d; ++k) square_[k] += made.mean * multipliers.queries[k];
  }
  for (std::size_t k = 0; k < d; ++k) {
    square_[k] += std::fabs(own_) * multipliers.own[k];
    constant_ += square_[k];
  }
}

PointForm::State PointForm::start() const {
  State state{std::vector<double>(linear_.size()), {}, linear_, {}};
  for (const Group& group : groups_) {
    state.x.emplace_back(group.keys.size());
    std::vector<double>& w = state.w.emplace_back();
    for (const Key& key : group.keys) w.push_back(key.offset);
  }
  return state;
}

void PointForm::move_y(State& state, std::size_t k, double by) const {
  if (by == 0) return;
  state.y[k] += by;
  state.h[k] -= 2 * square_[k] * by;
  const double* own = coupling_.own(k);
  if (own_ != 0) {
    for (std::size_t l = 0; l < linear_.size(); ++l) state.h[l] += own_ * by * own[l];
  }
  const double* noise = coupling_.query(k);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::size_t i = 0; i < groups_[g].keys.size(); ++i) {
      const Key& key = groups_[g].keys[i];
      state.w[g][i] += key.scale * by * noise[key.l];
    }
  }
}

void PointForm::move_x(State& state, std::size_t g, std::size_t i, double by) const {
  if (by == 0) return;
  const Key& key = groups_[g].keys[i];
  state.x[g][i] += by;
  state.w[g][i] -= 2 * key.square * by;
  const double* noise = coupling_.key(key.l);
  for (std::size_t k = 0; k < linear_.size(); ++k) state.h[k] += key.scale * by * noise[k];
}

void PointForm::set(State& state, const Point& point) const {
  for (std::size_t k = 0; !point.empty() && k < linear_.size(); ++k) {
    move_y(state, k, decoded(point.front()[k]));
  }
  for (std::size_t g = 0; g < groups_.size() && g + 1 < point.size(); ++g) {
    for (std::size_t i = 0; i < groups_[g].keys.size(); ++i) {
      move_x(state, g, i, decoded(point[g + 1][groups_[g].keys[i].l]));
    }
  }
}

PointForm::Bound PointForm::bound_at(const Point& point) const {
  State state = start();
  set(state, point);
  // P(y, x) is half of z . grad P, and grad P what the slopes have lost.
  double value = constant_;
  for (std::size_t k = 0; k < linear_.size(); ++k) {
    value += state.y[k] * (linear_[k] - state.h[k]) / 2 + std::fabs(state.h[k]);
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::size_t i = 0; i < groups_[g].keys.size(); ++i) {
      const double w = state.w[g][i];
      value += state.x[g][i] * (groups_[g].keys[i].offset - w) / 2 + std::fabs(w);
    }
  }
  return {value, std::move(state.h)};
}

Point PointForm::best_point() const {
  State state = start();
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double moved = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (std::size_t i = 0; i < groups_[g].keys.size(); ++i) {
        const double by = best_move(state.x[g][i], state.w[g][i], groups_[g].keys[i].square);
        move_x(state, g, i, by);
        moved = std::max(moved, std::fabs(by));
      }
    }
    for (std::size_t k = 0; k < linear_.size(); ++k) {
      const double by = best_move(state.y[k], state.h[k], square_[k]);
      move_y(state, k, by);
      moved = std::max(moved, std::fabs(by));
    }
    if (moved < kSettled) break;
  }
  Point point = {encoded(state.y)};
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::vector<double> x(linear_.size());
    for (std::size_t i = 0; i < groups_[g].keys.size(); ++i) {
      x[groups_[g].keys[i].l] = state.x[g][i];
    }
    point.push_back(encoded(x));
  }
  return point;
}

}  // namespace sinkproof::certify
