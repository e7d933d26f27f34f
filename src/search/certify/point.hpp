// Points (CHECKPOINT_RULES.md, 4.5): what a form's bound by multipliers is taken at. With the
// multipliers fixed, the best point maximises a concave quadratic function over a box, one
// coordinate at a time in closed form; a sweep costs what evaluating the form does.
#pragma once

#include <string>
#include <vector>

#include "certify/sign_form.hpp"

namespace sinkproof::certify {

// Its certificate strings, in order: y, x^1, x^2, ..
using Point = std::vector<std::string>;

// In a label: not among the characters of points.
inline constexpr char kBetweenForms = '|';
inline constexpr char kBetweenStrings = ',';

// The points of a label, one for each form.
std::vector<Point> points_of(const Label& label);

// A form as points see it. Keeps a reference to the form's coupling. Precondition: the coupling has
// multipliers.
class PointForm {
 public:
  explicit PointForm(const SignForm& form);

  struct Bound {
    double value;           // with nothing fixed
    std::vector<double> h;  // what u_k still moves: fixing u_k = s takes |h_k| - s h_k off
  };
  [[nodiscard]] Bound bound_at(const Point& point) const;
  // The best one near which sixteenths allow.
  [[nodiscard]] Point best_point() const;

 private:
  struct Key {
    std::size_t l;
    double scale;
    double offset;
    double square;  // of w in P
  };
  struct Group {
    double mean = 0;
    std::vector<Key> keys;
  };
  // y, then the x of each group's keys; and the slopes of what is maximised.
  struct State {
    std::vector<double> y;
    std::vector<std::vector<double>> x;
    std::vector<double> h;
    std::vector<std::vector<double>> w;
  };

  [[nodiscard]] State start() const;
  void move_y(State& state, std::size_t k, double by) const;
  void move_x(State& state, std::size_t g, std::size_t i, double by) const;
  void set(State& state, const Point& point) const;

  const Coupling& coupling_;
  double constant_ = 0;
  double own_ = 0;
  std::vector<double> linear_;
  std::vector<double> square_;  // of u in P
  std::vector<Group> groups_;
};

}  // namespace sinkproof::certify
