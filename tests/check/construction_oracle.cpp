#include "construction_oracle.hpp"

#include <algorithm>
#include <vector>

#include "exact/matrix.hpp"

namespace sinkproof::test {
namespace {

using certificate::Attention;
using certificate::Construction;
using certificate::ConstructionHead;
using certificate::Range;
using certificate::RowRanges;
using exact::Rational;
using exact::RationalMatrix;
using Vector = std::vector<Rational>;

std::size_t coordinate(std::size_t flag, std::size_t n) { return flag == 2 ? n - 1 : flag; }

// Entries at the coordinates of the flags.
RationalMatrix at_flags(const std::array<certificate::PerFlag, 3>& entries, std::size_t n) {
  RationalMatrix matrix(n, n);
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      matrix(coordinate(row, n), coordinate(column, n)) = entries[row][column];
    }
  }
  return matrix;
}

Vector times(const RationalMatrix& matrix, const Vector& x) {
  Vector result(x.size());
  for (std::size_t row = 0; row < x.size(); ++row) {
    for (std::size_t column = 0; column < x.size(); ++column) {
      if (x[column] != 0) result[row] += matrix(row, column) * x[column];
    }
  }
  return result;
}

Rational dot(const Vector& x, const Vector& y) {
  Rational sum = 0;
  for (std::size_t c = 0; c < x.size(); ++c) {
    if (x[c] != 0) sum += x[c] * y[c];
  }
  return sum;
}

struct Head {
  RationalMatrix kernel;  // x^T kernel y is the kernel of query x and key y
  RationalMatrix value;
  Vector gate;  // its dot product with the query
};

Head head_in(const ConstructionHead& head, std::size_t n) {
  Head result{at_flags(head.kernel, n), at_flags(head.flags, n), Vector(n)};
  for (std::size_t c = 2; c + 1 < n; ++c) result.value(c, c) = head.noise;
  for (std::size_t flag = 0; flag < 3; ++flag) {
    result.gate[coordinate(flag, n)] = head.gate[flag];
  }
  return result;
}

// x_1..x_L with the trigger at j; bit b of `corner` is the sign of the b-th noise value.
std::vector<Vector> sequence(std::size_t length, std::size_t j, std::size_t n, std::size_t corner) {
  std::vector<Vector> tokens(length, Vector(n));
  tokens[0][0] = 1;
  for (std::size_t i = 1; i < length; ++i) {
    tokens[i][i + 1 == j ? 1 : n - 1] = 1;
    for (std::size_t c = 2; c + 1 < n; ++c) {
      tokens[i][c] = (corner & 1U) != 0 ? 1 : -1;
      corner >>= 1U;
    }
  }
  return tokens;
}

struct Seen {
  std::vector<Rational> pre, trigger, post;
  void add(std::size_t i, std::size_t j, const Rational& value) {
    (i < j ? pre : i == j ? trigger : post).push_back(value);
  }
  [[nodiscard]] RowRanges ranges() const {
    RowRanges result{range(pre), range(trigger), std::nullopt};
    if (!post.empty()) result.post = range(post);
    return result;
  }
  static Range range(const std::vector<Rational>& values) {
    return {*std::min_element(values.begin(), values.end()),
            *std::max_element(values.begin(), values.end())};
  }
};

struct Run {
  Attention kind;
  std::vector<Head> heads;
  Rational sup_loss = 0;
  Seen bos, null;
};

// Row i (from 1) of a sequence with the trigger at j.
void run_row(Run& run, const std::vector<Vector>& x, std::size_t i, std::size_t j) {
  const std::size_t n = x[0].size();
  Vector error(n);
  for (const Head& head : run.heads) {
    Vector kernels;
    Rational below = run.kind == Attention::kSoftmaxNull ? 1 : 0;
    for (std::size_t k = 0; k < i; ++k) {
      kernels.push_back(dot(x[i - 1], times(head.kernel, x[k])));
      below += kernels.back();
    }
    if (run.kind == Attention::kRelu || run.kind == Attention::kSigmoid ||
        run.kind == Attention::kElu1 || run.kind == Attention::kLinear) {
      below = i == 1 ? 1 : Rational(i - 1);
    }
    const Rational gate = dot(head.gate, x[i - 1]);
    for (std::size_t k = 0; k < i; ++k) {
      const Vector value = times(head.value, x[k]);
      for (std::size_t c = 0; c < n; ++c) error[c] += gate * kernels[k] / below * value[c];
    }
    if (i == 1) continue;
    run.bos.add(i, j, kernels[0] / below);
    run.null.add(i, j, Rational(1) / below);
  }
  if (i == j) {  // minus the mean of x_2..x_j
    for (std::size_t k = 1; k < j; ++k) {
      for (std::size_t c = 0; c < n; ++c) error[c] -= x[k][c] / Rational(j - 1);
    }
  }
  for (const Rational& coordinate : error) {
    run.sup_loss = exact::max(run.sup_loss, exact::abs(coordinate));
  }
}

json::Value texts(const certificate::PerFlag& numbers) {
  json::Value list = json::Value::array();
  for (const Rational& number : numbers) list.push_back(exact::to_string(number));
  return list;
}

json::Value ranges_value(const RowRanges& ranges) {
  const auto pair = [](const Range& range) {
    return json::Value::array({exact::to_string(range.least), exact::to_string(range.most)});
  };
  json::Value value = {{"pre", pair(ranges.pre)}, {"trigger", pair(ranges.trigger)}};
  if (ranges.post) value["post"] = pair(*ranges.post);
  return value;
}

json::Value head_value(const ConstructionHead& head, bool gated) {
  json::Value value = {{"kernel",
                        {{"bos", texts(head.kernel[0])},
                         {"trigger", texts(head.kernel[1])},
                         {"content", texts(head.kernel[2])}}},
                       {"value",
                        {{"noise", exact::to_string(head.noise)},
                         {"flags", json::Value::array({texts(head.flags[0]), texts(head.flags[1]),
                                                       texts(head.flags[2])})}}}};
  if (gated) {
    value["gate"] = {{"bos", exact::to_string(head.gate[0])},
                     {"trigger", exact::to_string(head.gate[1])},
                     {"content", exact::to_string(head.gate[2])}};
  }
  return value;
}

bool same_ranges(const RowRanges& a, const RowRanges& b) {
  return a.pre == b.pre && a.trigger == b.trigger && a.post == b.post;
}

}  // namespace

Construction simulated(const Construction& construction, std::size_t n) {
  Run run{construction.attention, {}, 0, {}, {}};
  for (const ConstructionHead& head : construction.heads) run.heads.push_back(head_in(head, n));
  const std::size_t corners = std::size_t{1} << ((construction.length - 1) * (n - 3));
  for (std::size_t j = 3; j <= construction.length; ++j) {
    for (std::size_t corner = 0; corner < corners; ++corner) {
      const auto tokens = sequence(construction.length, j, n, corner);
      for (std::size_t i = 1; i <= construction.length; ++i) run_row(run, tokens, i, j);
    }
  }
  Construction result = construction;
  result.sup_loss = run.sup_loss;
  result.bos_attention = run.bos.ranges();
  result.null_attention.reset();
  if (run.kind == Attention::kSoftmaxNull) result.null_attention = run.null.ranges();
  return result;
}

bool same_figures(const Construction& a, const Construction& b) {
  return a.sup_loss == b.sup_loss && same_ranges(a.bos_attention, b.bos_attention) &&
         a.null_attention.has_value() == b.null_attention.has_value() &&
         (!a.null_attention || same_ranges(*a.null_attention, *b.null_attention));
}

json::Value statement_of(const Construction& construction) {
  json::Value heads = json::Value::array();
  for (const ConstructionHead& head : construction.heads) {
    heads.push_back(head_value(head, construction.attention == Attention::kSoftmaxGated));
  }
  json::Value statement = {{"scope", "all"},
                           {"length", construction.length},
                           {"attention", certificate::to_string(construction.attention)},
                           {"heads", heads},
                           {"sup_loss", exact::to_string(construction.sup_loss)},
                           {"bos_attention", ranges_value(construction.bos_attention)}};
  if (construction.null_attention) {
    statement["null_attention"] = ranges_value(*construction.null_attention);
  }
  return statement;
}

}  // namespace sinkproof::test
