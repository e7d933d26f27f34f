#include "plain_layer.hpp"

#include <algorithm>
#include <functional>
#include <random>

namespace sinkproof::test {
namespace {

// W x + b; b where the file has one.
template <typename T>
std::vector<T> mapped(const RandomCheckpoint& checkpoint, const std::string& name,
                      const std::vector<T>& x) {
  const auto& weight = checkpoint.tensors.at(name + ".weight");
  std::vector<T> result(weight.size() / x.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double w = weight[i * x.size() + j];
      if (w != 0) result[i] = result[i] + T(w) * x[j];
    }
  }
  const auto bias = checkpoint.tensors.find(name + ".bias");
  for (std::size_t i = 0; bias != checkpoint.tensors.end() && i < result.size(); ++i) {
    result[i] = result[i] + T(bias->second[i]);
  }
  return result;
}

template <typename T>
T logistic(const T& x) {
  using std::exp;
  if (number(x) >= 0) return T(1) / (T(1) + exp(T(0) - x));
  return exp(x) / (T(1) + exp(x));
}

template <typename T>
T kernel(const std::string& kind, const T& logit) {
  using std::exp;
  if (kind.starts_with("softmax")) return exp(logit);
  if (kind.starts_with("sigmoid")) return logistic(logit);
  if (kind.starts_with("elu1")) return number(logit) >= 0 ? logit + T(1) : exp(logit);
  return kind == "relu" ? max_with_zero(logit) : logit;
}

bool is_normalised(const std::string& kind) {
  return kind.starts_with("softmax") || kind.ends_with("-normalised");
}

template <typename T>
std::vector<T> converted(const Token& token) {
  return std::vector<T>(token.begin(), token.end());
}

bool has_null_slot(const std::string& kind) {
  return kind == "softmax-null" || kind == "softmax-sink";
}

// Weights of head h by position, after them the null slot's if there is one.
template <typename T>
std::vector<T> weights(const RandomCheckpoint& checkpoint, std::size_t h, std::vector<T> logits) {
  const std::string& kind = checkpoint.kind;
  if (kind == "softmax-null") logits.push_back(T(0));
  if (kind == "softmax-sink") logits.push_back(T(checkpoint.tensors.at("sinks")[h]));
  if (kind.starts_with("softmax")) {
    long double top = number(logits.front());
    for (const T& logit : logits) top = std::max<long double>(top, number(logit));
    for (T& logit : logits) logit = logit - T(top);
  }
  T total(0);
  for (T& logit : logits) {
    logit = kernel(kind, logit);
    total = total + logit;
  }
  if (!is_normalised(kind)) {
    total = T(static_cast<double>(std::max<std::size_t>(1, logits.size() - 1)));
  }
  for (T& weight : logits) weight = weight / total;
  return logits;
}

}  // namespace

template <typename T>
PlainRow<T> plain_row(const RandomCheckpoint& checkpoint, const RowInput& input) {
  const std::size_t n = checkpoint.width;
  const std::vector<T> query_token = converted<T>(input.tokens.back());
  const std::vector<T> query = mapped(checkpoint, "W_Q", query_token);
  std::vector<std::vector<T>> keys;
  std::vector<std::vector<T>> values;
  for (const Token& token : input.tokens) {
    keys.push_back(mapped(checkpoint, "W_K", converted<T>(token)));
    values.push_back(mapped(checkpoint, "W_V", converted<T>(token)));
  }
  PlainRow<T> row;
  std::vector<T> mixed(checkpoint.heads * n);
  for (std::size_t h = 0; h < checkpoint.heads; ++h) {
    std::vector<T> logits;
    for (const auto& key : keys) {
      T logit(0);
      for (std::size_t c = h * n; c < h * n + n; ++c) logit = logit + query[c] * key[c];
      logits.push_back(logit);
    }
    const std::vector<T> paid = weights(checkpoint, h, logits);
    row.bos.push_back(paid.front());
    if (has_null_slot(checkpoint.kind)) row.null.push_back(paid.back());
    for (std::size_t k = 0; k < keys.size(); ++k) {
      for (std::size_t c = h * n; c < h * n + n; ++c) {
        mixed[c] = mixed[c] + paid[k] * values[k][c];
      }
    }
  }
  if (checkpoint.kind == "softmax-gated") {
    const std::vector<T> gates = mapped(checkpoint, "W_G", query_token);
    for (std::size_t c = 0; c < mixed.size(); ++c) mixed[c] = mixed[c] * logistic(gates[c / n]);
  }
  row.out = mapped(checkpoint, "W_O", mixed);
  if (input.trigger != input.tokens.size()) return row;
  const T count(static_cast<double>(input.tokens.size() - 1));
  for (std::size_t r = 0; r < n; ++r) {
    T sum(0);
    for (std::size_t k = 1; k < input.tokens.size(); ++k) sum = sum + T(input.tokens[k][r]);
    row.out[r] = row.out[r] - sum / count;
  }
  return row;
}

template PlainRow<double> plain_row(const RandomCheckpoint&, const RowInput&);
template PlainRow<Tracked> plain_row(const RandomCheckpoint&, const RowInput&);

RowKind kind_of(const RowInput& input) {
  if (input.tokens.size() < input.trigger) return RowKind::kPre;
  return input.tokens.size() == input.trigger ? RowKind::kTrigger : RowKind::kPost;
}

void Found::include(const PlainRow<Tracked>& row, bool first_position) {
  for (const Tracked& x : row.out) loss = std::max(loss, std::fabs(x.value) - x.error);
  if (first_position) return;
  for (const Tracked& x : row.bos) {
    least_bos = std::min(least_bos, x.value + x.error);
    most_bos = std::max(most_bos, x.value - x.error);
  }
  for (const Tracked& x : row.null) {
    least_null = std::min(least_null, x.value + x.error);
    most_null = std::max(most_null, x.value - x.error);
  }
}

namespace {

// What a row is tried for: a number of it to push up.
using Goal = double (*)(const PlainRow<double>&);

double largest_loss(const PlainRow<double>& row) {
  double loss = 0;
  for (const double x : row.out) loss = std::fmax(loss, std::fabs(x));
  return loss;
}
double most_bos(const PlainRow<double>& row) {
  return *std::max_element(row.bos.begin(), row.bos.end());
}
double least_bos(const PlainRow<double>& row) {
  return -*std::min_element(row.bos.begin(), row.bos.end());
}
double most_null(const PlainRow<double>& row) {
  return *std::max_element(row.null.begin(), row.null.end());
}
double least_null(const PlainRow<double>& row) {
  return -*std::min_element(row.null.begin(), row.null.end());
}

class Attack {
 public:
  Attack(const RandomCheckpoint& checkpoint, std::uint64_t seed)
      : checkpoint_(checkpoint), random_(seed) {}

  // Tries random inputs of a row, and flips of signs at the best one for each goal.
  void run(std::size_t row, std::size_t trigger, Found& found) {
    constexpr int kInputs = 12;
    std::vector<RowInput> inputs;
    for (int i = 0; i < kInputs; ++i) inputs.push_back(draw(row, trigger, i % 4 == 3));
    for (const RowInput& input : inputs) include(input, found);
    std::vector<Goal> goals = {largest_loss, most_bos, least_bos};
    if (has_null_slot(checkpoint_.kind)) {
      goals.push_back(most_null);
      goals.push_back(least_null);
    }
    for (const Goal goal : goals) {
      RowInput best = inputs.front();
      for (const RowInput& input : inputs) {
        if (value(goal, input) > value(goal, best)) best = input;
      }
      flip(goal, best);
      include(best, found);
    }
  }

  void include(const RowInput& input, Found& found) const {
    found.include(plain_row<Tracked>(checkpoint_, input), input.tokens.size() == 1);
  }

 private:
  RowInput draw(std::size_t row, std::size_t trigger, bool inside) {
    RowInput input;
    input.trigger = trigger;
    for (std::size_t position = 1; position <= row; ++position) {
      Token token(checkpoint_.width);
      token[position == 1 ? 0 : position == trigger ? 1 : checkpoint_.width - 1] = 1;
      for (std::size_t c = 2; position > 1 && c + 1 < checkpoint_.width; ++c) {
        const auto& [least, greatest] = checkpoint_.box[c - 2];
        token[c] = (random_() & 1U) != 0 ? greatest : least;
        if (!inside) continue;
        token[c] = least + (greatest - least) * static_cast<double>(random_() % 1025) / 1024;
      }
      input.tokens.push_back(std::move(token));
    }
    return input;
  }

  [[nodiscard]] double value(Goal goal, const RowInput& input) const {
    return goal(plain_row<double>(checkpoint_, input));
  }

  // Single signs, the query's among them, as long as there is time.
  void flip(Goal goal, RowInput& input) {
    constexpr int kFlips = 60;
    if (input.tokens.size() == 1) return;
    double best = value(goal, input);
    for (int i = 0; i < kFlips; ++i) {
      const bool own = i % 2 == 0;
      const std::size_t last = input.tokens.size() - 1;
      Token& token = input.tokens[own ? last : 1 + random_() % last];
      const std::size_t l = random_() % (checkpoint_.width - 3);
      double& x = token[2 + l];
      const double before = x;
      const auto& [least, greatest] = checkpoint_.box[l];
      x = x == greatest ? least : greatest;
      const double now = value(goal, input);
      if (now > best) {
        best = now;
      } else {
        x = before;
      }
    }
  }

  const RandomCheckpoint& checkpoint_;
  std::mt19937_64 random_;
};

}  // namespace

std::map<RowKind, Found> attack(const RandomCheckpoint& checkpoint, std::uint64_t seed,
                                const std::vector<RowInput>& starts) {
  Attack attack(checkpoint, seed);
  std::map<RowKind, Found> found;
  const std::size_t length = checkpoint.length;
  for (const std::size_t row : {std::size_t{1}, std::size_t{2}, length - 1}) {
    attack.run(row, length, found[RowKind::kPre]);
  }
  for (const std::size_t row : {std::size_t{3}, length}) {
    attack.run(row, row, found[RowKind::kTrigger]);
  }
  for (const std::size_t row : {std::size_t{4}, length}) {
    if (length >= 4) attack.run(row, 3, found[RowKind::kPost]);
  }
  for (const RowInput& start : starts) attack.include(start, found[kind_of(start)]);
  return found;
}

namespace {

// The most a map can make of a token's entry in absolute value: noise in the box, and one flag.
std::vector<long double> entry_reach(const RandomCheckpoint& checkpoint, const std::string& name) {
  const auto& weight = checkpoint.tensors.at(name + ".weight");
  std::vector<long double> reach(weight.size() / checkpoint.width);
  for (std::size_t i = 0; i < weight.size(); ++i) {
    const std::size_t c = i % checkpoint.width;
    const bool noise = c >= 2 && c + 1 < checkpoint.width;
    const auto [least, greatest] = noise ? checkpoint.box[c - 2] : std::pair(-1.0, 1.0);
    reach[i / checkpoint.width] += std::fabs(weight[i]) * std::max({1.0, -least, greatest});
  }
  const auto bias = checkpoint.tensors.find(name + ".bias");
  for (std::size_t i = 0; bias != checkpoint.tensors.end() && i < reach.size(); ++i) {
    reach[i] += std::fabs(bias->second[i]);
  }
  return reach;
}

}  // namespace

long double logit_reach(const RandomCheckpoint& checkpoint) {
  const auto query = entry_reach(checkpoint, "W_Q");
  const auto key = entry_reach(checkpoint, "W_K");
  long double most = 0;
  for (std::size_t h = 0; h < checkpoint.heads; ++h) {
    long double reach = 0;
    for (std::size_t c = h * checkpoint.width; c < (h + 1) * checkpoint.width; ++c) {
      reach += query[c] * key[c];
    }
    if (checkpoint.kind == "softmax-sink") reach += std::fabs(checkpoint.tensors.at("sinks")[h]);
    most = std::max(most, reach);
  }
  if (checkpoint.kind != "softmax-gated") return most;
  for (const long double gate : entry_reach(checkpoint, "W_G")) most = std::max(most, gate);
  return most;
}

long double output_reach(const RandomCheckpoint& checkpoint) {
  const auto value = entry_reach(checkpoint, "W_V");
  const auto& output = checkpoint.tensors.at("W_O.weight");
  const long double logits = logit_reach(checkpoint);
  // i weights in row i, each at most 1 or (1 + |logit|)/max(1, i - 1).
  const long double weights = is_normalised(checkpoint.kind) ? 1 : 2 * (1 + logits);
  long double most = logits;
  for (std::size_t r = 0; r < checkpoint.width; ++r) {
    long double reach = 0;
    for (std::size_t c = 0; c < value.size(); ++c) {
      reach += std::fabs(output[r * value.size() + c]) * value[c];
    }
    most = std::max(most, weights * reach);
  }
  return most;
}

}  // namespace sinkproof::test
