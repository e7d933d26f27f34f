#include "model/sink_and_diagonal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "model/ldlt.hpp"
#include "rounded/decimal.hpp"
#include "rounded/double.hpp"
#include "rounded/square_root.hpp"

namespace sinkproof::model {
namespace {

using certificate::Pattern;
using certificate::PatternKind;
using exact::Enclosure;
using exact::Integer;
using exact::make_rational;
using exact::Rational;
using exact::RationalMatrix;

using IntegerMatrix = exact::Matrix<Integer>;

// ---- finding

// The rows a pattern names, as whole numbers over one denominator: first BOS, then the copies, then
// the groups one after the other.
struct Rows {
  IntegerMatrix entries;
  Integer denominator = 1;
  std::size_t copies = 0;
  std::vector<std::size_t> sizes;

  [[nodiscard]] std::size_t copy(std::size_t c) const { return 1 + c; }
  [[nodiscard]] std::size_t first_of(std::size_t group) const {
    return 1 + copies +
           std::accumulate(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(group),
                           std::size_t{0});
  }
};

Rows rows_of(const RationalMatrix& tokens, const Pattern& pattern) {
  std::vector<std::size_t> order = {pattern.bos};
  order.insert(order.end(), pattern.copies.begin(), pattern.copies.end());
  Rows rows;
  rows.copies = pattern.copies.size();
  for (const auto& group : pattern.groups) {
    order.insert(order.end(), group.begin(), group.end());
    rows.sizes.push_back(group.size());
  }
  for (const std::size_t row : order) {
    for (std::size_t j = 0; j < tokens.columns(); ++j) {
      rows.denominator = boost::multiprecision::lcm(
          rows.denominator, boost::multiprecision::denominator(tokens(row, j)));
    }
  }
  rows.entries = IntegerMatrix(order.size(), tokens.columns());
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (std::size_t j = 0; j < tokens.columns(); ++j) {
      const Rational& value = tokens(order[k], j);
      rows.entries(k, j) = boost::multiprecision::numerator(value) *
                           (rows.denominator / boost::multiprecision::denominator(value));
    }
  }
  return rows;
}

// Products of the rows; computed when asked for, because most embeddings fail at the first few.
class Products {
 public:
  explicit Products(const Rows& rows) : rows_(rows), square_(rows.denominator * rows.denominator) {}

  [[nodiscard]] Rational operator()(std::size_t k, std::size_t l) const {
    Integer sum = 0;
    for (std::size_t j = 0; j < rows_.entries.columns(); ++j) {
      sum += rows_.entries(k, j) * rows_.entries(l, j);
    }
    return make_rational(sum, square_);
  }

 private:
  const Rows& rows_;
  Integer square_;
};

// The clauses of section 5, in an order in which most embeddings fail early. Each gives "" or why
// it does not hold.
class Search {
 public:
  Search(const RationalMatrix& tokens, const Pattern& pattern)
      : rows_(rows_of(tokens, pattern)), product_(rows_) {
    result_.dimension = tokens.columns();
    result_.groups = rows_.sizes.size();
    result_.sizes = rows_.sizes;
  }

  SinkAndDiagonalSearch run() {
    using Clause = std::string (Search::*)();
    const std::pair<Hypothesis, Clause> clauses[] = {
        {Hypothesis::kRoles, &Search::counts},  {Hypothesis::kFrame, &Search::frame},
        {Hypothesis::kFrame, &Search::members}, {Hypothesis::kFrame, &Search::means},
        {Hypothesis::kLambda, &Search::lambda}, {Hypothesis::kNoise, &Search::noise}};
    for (const auto& [hypothesis, clause] : clauses) {
      if (std::string why = (this->*clause)(); !why.empty()) {
        return {{}, std::move(why), hypothesis};
      }
    }
    covariance();
    return {std::move(result_), "", {}};
  }

 private:
  std::string counts() {
    if (rows_.copies != result_.groups) return "there is not one copy token for each group";
    const bool two = std::all_of(rows_.sizes.begin(), rows_.sizes.end(),
                                 [](std::size_t size) { return size >= 2; });
    return two ? "" : "a group has fewer than two tokens";
  }

  // BOS and the copies.
  std::string frame() {
    const Rational dimension(result_.dimension);
    for (std::size_t k = 0; k <= rows_.copies; ++k) {
      if (product_(k, k) != dimension) {
        return std::string(k == 0 ? "BOS" : "a copy token") + " has not the norm sqrt(d)";
      }
      for (std::size_t l = 0; l < k; ++l) {
        if (product_(k, l) != 0) return "BOS and the copy tokens are not orthogonal";
      }
    }
    return "";
  }

  // Products of the dormant tokens; they are orthogonal to BOS and the copies.
  std::string members() {
    const std::size_t first = rows_.first_of(0);
    const std::size_t count = rows_.entries.rows() - first;
    for (std::size_t k = 0; k < first; ++k) {
      for (std::size_t i = 0; i < count; ++i) {
        if (product_(k, first + i) != 0) {
          return "a dormant token is not orthogonal to BOS and the copy tokens";
        }
      }
    }
    dormant_ = RationalMatrix(count, count);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        dormant_(i, j) = product_(first + i, first + j);
        dormant_(j, i) = dormant_(i, j);
      }
    }
    for (std::size_t c = 0; c < rows_.sizes.size(); ++c) {
      group_.insert(group_.end(), rows_.sizes[c], c);
    }
    return "";
  }

  // mean_c . d_i for the mean of group c.
  [[nodiscard]] Rational mean_with(std::size_t c, std::size_t i) const {
    Rational sum = 0;
    for (std::size_t j = 0; j < group_.size(); ++j) {
      if (group_[j] == c) sum += dormant_(i, j);
    }
    return sum / rows_.sizes[c];
  }

  // The means are orthogonal to each other and to all noise, and their norms are lam sqrt(d):
  // mean_c . d_i is 0 for a token of another group, lam^2 d for one of its own.
  std::string means() {
    const Rational square = mean_with(0, 0);
    for (std::size_t c = 0; c < result_.groups; ++c) {
      for (std::size_t i = 0; i < group_.size(); ++i) {
        const Rational product = mean_with(c, i);
        if (group_[i] == c && product != square) {
          return "the group means are not equally long, or not orthogonal to their noise";
        }
        if (group_[i] != c && product != 0) {
          return "a group mean is not orthogonal to the tokens of another group";
        }
      }
    }
    result_.lam_squared = square / result_.dimension;
    return "";
  }

  std::string lambda() {
    constexpr std::size_t kMostCharacters = 40;
    constexpr unsigned kDigits = 10;
    const Rational& square = result_.lam_squared;
    if (2 * square >= 1 && square < 1) return "";
    std::string value = exact::to_string(square);
    if (value.size() > kMostCharacters) value = rounded::decimal_down(square, kDigits) + "...";
    return "lambda^2 = " + value + " is not in [1/2, 1)";
  }

  std::string noise() {
    noise_ = dormant_;
    const Rational mean = result_.lam_squared * result_.dimension;
    for (std::size_t i = 0; i < group_.size(); ++i) {
      for (std::size_t j = 0; j < group_.size(); ++j) {
        if (group_[i] == group_[j]) noise_(i, j) -= mean;
      }
    }
    result_.noise_squared = noise_(0, 0);
    bool any = false;
    for (std::size_t i = 0; i < group_.size(); ++i) {
      if (noise_(i, i) != result_.noise_squared) return "the noise has not equal norms";
      for (std::size_t j = 0; j < i; ++j) {
        if (group_[i] != group_[j]) continue;
        const Rational distance = noise_(i, i) + noise_(j, j) - 2 * noise_(i, j);
        if (!any || distance < result_.separation) result_.separation = distance;
        any = true;
      }
    }
    return result_.separation > 0 ? "" : "two tokens of a group are equal";
  }

  // With sum_i eta_ci = 0, Sigma = (1/P) sum_c 2 g_c sum_i eta_ci eta_ci^T, P = sum_c g_c (g_c -
  // 1).
  // ||Sigma||_op <= s exactly when s D^-1 - (eta_i . eta_j) >= 0, D = diag(2 g_c/P).
  void covariance() {
    const auto factors = model::decide_psd(noise_);
    for (const Rational& pivot : factors.factors->diagonal) {
      if (pivot != 0) ++result_.noise_rank;
    }
    Rational pairs = 0;
    for (const std::size_t size : rows_.sizes) pairs += Rational(size) * Rational(size - 1);
    for (const std::size_t c : group_) weights_.push_back(2 * Rational(rows_.sizes[c]) / pairs);
    result_.covariance_norm.lower = rayleigh();
    result_.covariance_norm.upper = norm_from_above(result_.covariance_norm.lower);
  }

  // x^T E D E x / x^T E x <= ||Sigma||_op for x from power iteration in doubles, rounded to whole
  // numbers; x = e_0 where rounding leaves nothing. E is the Gram matrix of the noise.
  [[nodiscard]] Rational rayleigh() const {
    std::vector<Rational> image;  // E x
    Rational below = 0;
    Rational above = 0;
    const std::vector<Rational> x = top_direction();
    for (std::size_t i = 0; i < x.size(); ++i) {
      image.emplace_back(0);
      for (std::size_t j = 0; j < x.size(); ++j) image[i] += noise_(i, j) * x[j];
      below += x[i] * image[i];
      above += weights_[i] * image[i] * image[i];
    }
    return above / below;
  }

  [[nodiscard]] std::vector<Rational> top_direction() const {
    constexpr int kSteps = 300;
    constexpr double kScale = 1048576;  // whole numbers of 20 bits
    const std::size_t n = group_.size();
    exact::Matrix<double> step(n, n);  // D E
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = 1 / (1.0 + static_cast<double>(i));
      for (std::size_t j = 0; j < n; ++j) {
        step(i, j) = rounded::to_double_estimate(weights_[i] * noise_(i, j));
      }
    }
    for (int k = 0; k < kSteps; ++k) x = normalised(applied(step, x));
    std::vector<Rational> direction;
    direction.reserve(x.size());
    for (const double entry : x) {
      direction.emplace_back(std::isfinite(entry) ? static_cast<long>(std::lround(kScale * entry))
                                                  : 0L);
    }
    std::vector<Rational> first(n, 0);
    first[0] = 1;
    return model::quadratic_form(noise_, direction) > 0 ? direction : first;
  }

  static std::vector<double> applied(const exact::Matrix<double>& step,
                                     const std::vector<double>& x) {
    std::vector<double> next(x.size(), 0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) next[i] += step(i, j) * x[j];
    }
    return next;
  }

  static std::vector<double> normalised(std::vector<double> x) {
    double most = 0;
    for (const double entry : x) most = std::max(most, std::abs(entry));
    if (most > 0) {
      for (double& entry : x) entry /= most;
    }
    return x;
  }

  [[nodiscard]] bool is_above_norm(const Rational& bound) const {
    RationalMatrix difference(group_.size(), group_.size());
    for (std::size_t i = 0; i < group_.size(); ++i) {
      for (std::size_t j = 0; j < group_.size(); ++j) difference(i, j) = -noise_(i, j);
      difference(i, i) += bound / weights_[i];
    }
    return model::decide_psd(difference).factors.has_value();
  }

  // The norm is at most the trace.
  [[nodiscard]] Rational norm_from_above(const Rational& estimate) const {
    constexpr unsigned kDigits = 12;
    if (is_above_norm(estimate)) return estimate;
    Rational trace = 0;
    for (const Rational& weight : weights_) trace += weight * result_.noise_squared;
    for (Rational slack = exact::power_of_two(-36);; slack *= 16) {
      Rational bound = rounded::round_up_decimal(estimate * (1 + slack), kDigits);
      if (bound >= trace) return trace;
      if (is_above_norm(bound)) return bound;
    }
  }

  Rows rows_;
  Products product_;
  SinkAndDiagonal result_;
  RationalMatrix dormant_;            // products d_i . d_j
  RationalMatrix noise_;              // products eta_i . eta_j
  std::vector<std::size_t> group_{};  // of each dormant token
  std::vector<Rational> weights_{};   // D
};

// ---- closed forms. All numbers are positive.

Enclosure point(const Rational& value) { return {value, value}; }
Enclosure operator+(const Enclosure& a, const Enclosure& b) {
  return {a.lower + b.lower, a.upper + b.upper};
}
Enclosure operator*(const Enclosure& a, const Enclosure& b) {
  return {a.lower * b.lower, a.upper * b.upper};
}
Enclosure operator/(const Enclosure& a, const Enclosure& b) {
  return {a.lower / b.upper, a.upper / b.lower};
}
Enclosure root(const Enclosure& a) {
  return {rounded::square_root(a.lower).lower, rounded::square_root(a.upper).upper};
}

struct Numbers {
  Rational groups;   // C
  Rational unit;     // m/d
  Rational squared;  // lam^2
  Enclosure lam;
};

Numbers numbers_of(const SinkAndDiagonal& structure, const Rational& margin) {
  return {Rational(structure.groups), margin / structure.dimension, structure.lam_squared,
          root(point(structure.lam_squared))};
}

Enclosure sink_least(const Numbers& n) {
  const Enclosure e = root(point(1 + n.groups + n.groups / n.squared));
  const Enclosure norm = root(point(n.groups) + point(2 * n.groups) / e + point(1) / (e * e));
  return point(2 * n.unit) * (point(n.groups - 1) + norm) / n.lam;
}

Enclosure sink_with_bos_lower(const Numbers& n) {
  const Enclosure f = root(point(n.groups + n.squared));
  const Enclosure z = root(point(n.groups + (1 + n.groups) * n.squared));
  const Enclosure averages =
      point(n.groups) / (n.lam * f) + point(n.groups * (2 + n.squared)) / (f * z);
  return point(2 * n.unit) * (point(2 * (n.groups - 1)) / n.lam + averages);
}

Enclosure sink_with_bos_upper(const Numbers& n) {
  const Rational spread = n.groups + (n.groups + 1) * n.squared;
  const Rational both = n.groups * (1 + n.squared);
  const Rational first = (both * both + 4 * n.squared) / (n.squared * spread);
  const Enclosure nu = root(point(first) + point(4 * n.groups) / (n.lam * root(point(spread))));
  return point(2 * n.unit) * (point(2 * (n.groups - 1)) / n.lam + nu);
}

Enclosure diagonal_lower(const SinkAndDiagonal& structure, const Numbers& n,
                         const Rational& margin) {
  const Rational last = (n.groups + 4 + n.squared) / (n.groups + (1 + n.groups) * n.squared);
  const Enclosure copies = point(n.groups - 1) * root(point(1 + 4 / n.squared)) + root(point(last));
  return point(4 * margin) / structure.covariance_norm + point(2 * n.unit) * copies;
}

Enclosure diagonal_upper(const SinkAndDiagonal& structure, const Numbers& n,
                         const Rational& margin) {
  const Enclosure group = root(point((1 + 4 * n.squared) * (4 + n.squared)));
  const Rational noise = 4 * margin * structure.noise_rank / structure.separation;
  return point(n.unit * n.groups / n.squared) * group + point(noise);
}

}  // namespace

SinkAndDiagonalSearch find_sink_and_diagonal(const RationalMatrix& tokens, const Pattern& pattern) {
  return Search(tokens, pattern).run();
}

ClosedForm closed_form_cost(const SinkAndDiagonal& structure, PatternKind kind,
                            const Rational& margin) {
  const Numbers numbers = numbers_of(structure, margin);
  if (kind == PatternKind::kDiagonal) {
    return {diagonal_lower(structure, numbers, margin), diagonal_upper(structure, numbers, margin)};
  }
  if (kind == PatternKind::kSinkB) {
    return {sink_with_bos_lower(numbers), sink_with_bos_upper(numbers)};
  }
  const Enclosure least = sink_least(numbers);
  return {least, least};
}

bool contradicts(const ClosedForm& closed, const Rational& lower, const Rational& upper) {
  return upper < closed.lower.lower || closed.upper.upper < lower;
}

std::size_t named_tokens(const Pattern& pattern) {
  return std::accumulate(pattern.groups.begin(), pattern.groups.end(), 1 + pattern.copies.size(),
                         [](std::size_t sum, const auto& group) { return sum + group.size(); });
}

bool same_roles(const Pattern& a, const Pattern& b) {
  const bool listed = a.kind == PatternKind::kMargins;
  if (listed != (b.kind == PatternKind::kMargins)) return false;
  if (!listed) return a.bos == b.bos && a.groups == b.groups && a.copies == b.copies;
  return std::equal(
      a.constraints.begin(), a.constraints.end(), b.constraints.begin(), b.constraints.end(),
      [](const auto& x, const auto& y) { return x.triple == y.triple && x.weight == y.weight; });
}

}  // namespace sinkproof::model
