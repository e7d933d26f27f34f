#include "decoder_reference.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sinkproof::language_training {
namespace {

// Row-major.
struct Matrix {
  Matrix() = default;
  Matrix(std::size_t row_count, std::size_t col_count)
      : rows(row_count), cols(col_count), values(row_count * col_count) {}
  double& at(std::size_t row, std::size_t col) { return values[row * cols + col]; }
  [[nodiscard]] double at(std::size_t row, std::size_t col) const {
    return values[row * cols + col];
  }
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<double> values;
};

// A tensor among the weights, and its gradient.
struct Tensor {
  const double* value;
  double* gradient;
};

// y = x w, w [x.cols][cols].
Matrix linear(const Matrix& x, Tensor w, std::size_t cols) {
  Matrix y(x.rows, cols);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t k = 0; k < x.cols; ++k) {
      for (std::size_t j = 0; j < cols; ++j) y.at(i, j) += x.at(i, k) * w.value[k * cols + j];
    }
  }
  return y;
}
// d x; adds to d w.
Matrix linear_backward(const Matrix& x, Tensor w, const Matrix& d_y) {
  Matrix d_x(x.rows, x.cols);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t k = 0; k < x.cols; ++k) {
      for (std::size_t j = 0; j < d_y.cols; ++j) {
        d_x.at(i, k) += d_y.at(i, j) * w.value[k * d_y.cols + j];
        w.gradient[k * d_y.cols + j] += x.at(i, k) * d_y.at(i, j);
      }
    }
  }
  return d_x;
}

struct Normed {
  Matrix unit;  // of mean square 1, and where the kind has it so of mean 0
  std::vector<double> inverse;
  Matrix out;
};

double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
double gelu_slope(double x) {
  const double root = std::sqrt(2 / std::numbers::pi);
  const double tanh = std::tanh(root * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + tanh) + 0.5 * x * (1 - tanh * tanh) * root * (1 + 3 * 0.044715 * x * x);
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

void add(const Matrix& what, Matrix& to) {
  for (std::size_t i = 0; i < what.values.size(); ++i) to.values[i] += what.values[i];
}

// One sequence's way through the decoder and back.
class Sequence {
 public:
  Sequence(const Decoder& decoder, const std::vector<double>& weights,
           std::vector<double>& gradient, const std::uint16_t* tokens)
      : decoder_(decoder),
        layout_(layout(decoder)),
        weights_(weights),
        gradient_(gradient),
        tokens_(tokens),
        layers_(decoder.layers) {}

  // The sum of losses; each weighs `factor` in the gradient.
  double run(double factor) {
    Matrix x = embed();
    for (std::size_t l = 0; l < decoder_.layers; ++l) x = forward(l, std::move(x));
    const Normed last = post() ? Normed{{}, {}, x} : norm(x, layout_.norm);
    Matrix d_x(x.rows, x.cols);
    const double loss = head(last.out, factor, d_x);
    if (!post()) d_x = norm_backward(last, layout_.norm, d_x);
    for (std::size_t l = decoder_.layers; l-- > 0;) backward(l, d_x);
    embed_backward(d_x);
    return loss;
  }

  void append_attention(std::vector<double>& all) const {
    for (const Layer& layer : layers_) {
      for (const Matrix& weights : layer.weights) {
        all.insert(all.end(), weights.values.begin(), weights.values.end());
      }
    }
  }

 private:
  struct Layer {
    Normed outer, middle;
    Matrix in, raw, inner, qkv, mixed, ungated, gates, wide, active;
    std::vector<Matrix> keys, values, logits, weights;  // of each head; with the slot
  };

  [[nodiscard]] Tensor tensor(std::size_t at) const {
    return {weights_.data() + at, gradient_.data() + at};
  }

  [[nodiscard]] bool rms() const { return decoder_.norm.name == "rms"; }
  [[nodiscard]] bool post() const { return decoder_.norm_place.name == "post"; }

  [[nodiscard]] Normed norm(const Matrix& x, const NormLayout& at) const {
    Normed result{Matrix(x.rows, x.cols), std::vector<double>(x.rows), Matrix(x.rows, x.cols)};
    const auto n = static_cast<double>(x.cols);
    for (std::size_t i = 0; i < x.rows; ++i) {
      double mean = 0;
      double square = 0;
      for (std::size_t c = 0; c < x.cols && !rms(); ++c) mean += x.at(i, c) / n;
      for (std::size_t c = 0; c < x.cols; ++c) square += std::pow(x.at(i, c) - mean, 2) / n;
      result.inverse[i] = 1 / std::sqrt(square + static_cast<double>(kNormEpsilon));
      for (std::size_t c = 0; c < x.cols; ++c) {
        result.unit.at(i, c) = (x.at(i, c) - mean) * result.inverse[i];
        result.out.at(i, c) =
            result.unit.at(i, c) * weights_[at.weight + c] + (rms() ? 0 : weights_[at.bias + c]);
      }
    }
    return result;
  }

  // d x.
  Matrix norm_backward(const Normed& normed, const NormLayout& at, const Matrix& d_out) {
    const auto n = static_cast<double>(d_out.cols);
    Matrix d_x(d_out.rows, d_out.cols);
    for (std::size_t i = 0; i < d_out.rows; ++i) {
      double sum = 0;
      double along = 0;
      for (std::size_t c = 0; c < d_out.cols; ++c) {
        const double d_unit = d_out.at(i, c) * weights_[at.weight + c];
        if (!rms()) sum += d_unit / n;
        along += d_unit * normed.unit.at(i, c) / n;
        gradient_[at.weight + c] += d_out.at(i, c) * normed.unit.at(i, c);
        if (!rms()) gradient_[at.bias + c] += d_out.at(i, c);
      }
      for (std::size_t c = 0; c < d_out.cols; ++c) {
        const double d_unit = d_out.at(i, c) * weights_[at.weight + c];
        d_x.at(i, c) = (d_unit - sum - normed.unit.at(i, c) * along) * normed.inverse[i];
      }
    }
    return d_x;
  }

  [[nodiscard]] static double angle(std::size_t i, std::size_t c, std::size_t width) {
    return static_cast<double>(i) /
           std::pow(10000, 2.0 * static_cast<double>(c) / static_cast<double>(width));
  }
  [[nodiscard]] double added(std::size_t i, std::size_t c) const {
    if (decoder_.positions.name == "learned")
      return weights_[layout_.positions + i * decoder_.width + c];
    if (decoder_.positions.name != "absolute") return 0;
    const double turn = angle(i, c / 2, decoder_.width);
    return c % 2 == 0 ? std::sin(turn) : std::cos(turn);
  }

  // What is added to the logit of token k at row i; and where it lies among the weights, 0 if not.
  [[nodiscard]] double logit_bias(std::size_t i, std::size_t k, std::size_t h) const {
    const double distance = i > k ? static_cast<double>(i - k) : 0;
    // Of 2 heads, and behind them the first of 4 for a third one (arXiv:2108.12409).
    const double slope = h == 0 ? 1.0 / 16 : h == 1 ? 1.0 / 256 : 1.0 / 4;
    if (decoder_.positions.name == "alibi") return -distance * slope;
    return relative(i, k, h) == 0 ? 0 : weights_[relative(i, k, h)];
  }
  [[nodiscard]] std::size_t relative(std::size_t i, std::size_t k, std::size_t h) const {
    if (decoder_.positions.name != "relative") return 0;
    const std::size_t distance = i > k ? i - k : 0;
    // 16 exact ones, then 16 for each factor of 8: the first distances of buckets 16, 17, ...
    constexpr std::size_t kFirst[] = {16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67};
    std::size_t bucket = distance;
    for (std::size_t at = 0; distance >= 16 && at < std::size(kFirst); ++at) {
      if (distance >= kFirst[at]) bucket = 16 + at;
    }
    return layout_.relative + bucket * decoder_.heads + h;
  }
  // Turns row i of a head's queries or keys, which begin at column `first`; sign -1: back.
  void turn(Matrix& qkv, std::size_t i, std::size_t first, double sign) const {
    if (decoder_.positions.name != "rotary") return;
    const std::size_t half = decoder_.head_width() / 2;
    for (std::size_t c = 0; c < half; ++c) {
      const double by = sign * angle(i, c, decoder_.head_width());
      const double x = qkv.at(i, first + c);
      const double y = qkv.at(i, first + half + c);
      qkv.at(i, first + c) = x * std::cos(by) - y * std::sin(by);
      qkv.at(i, first + half + c) = x * std::sin(by) + y * std::cos(by);
    }
  }
  void turn_all(Matrix& qkv, double sign) const {
    for (std::size_t i = 0; i < qkv.rows; ++i) {
      for (std::size_t at = 0; at < 2 * decoder_.width; at += decoder_.head_width())
        turn(qkv, i, at, sign);
    }
  }

  [[nodiscard]] Matrix embed() const {
    Matrix x(decoder_.length, decoder_.width);
    for (std::size_t i = 0; i < x.rows; ++i) {
      for (std::size_t c = 0; c < x.cols; ++c) {
        x.at(i, c) = weights_[layout_.tokens + tokens_[i] * x.cols + c] + added(i, c);
      }
    }
    return x;
  }
  void embed_backward(const Matrix& d_x) {
    for (std::size_t i = 0; i < d_x.rows; ++i) {
      for (std::size_t c = 0; c < d_x.cols; ++c) {
        gradient_[layout_.tokens + tokens_[i] * d_x.cols + c] += d_x.at(i, c);
        if (decoder_.positions.name == "learned")
          gradient_[layout_.positions + i * d_x.cols + c] += d_x.at(i, c);
      }
    }
  }

  double head(const Matrix& x, double factor, Matrix& d_x) {
    const Tensor w = tensor(layout_.head);
    double loss = 0;
    for (std::size_t i = decoder_.first_asked(); i < x.rows; ++i) {
      std::vector<double> shares(decoder_.vocabulary());
      for (std::size_t v = 0; v < shares.size(); ++v) {
        for (std::size_t c = 0; c < x.cols; ++c) shares[v] += x.at(i, c) * w.value[v * x.cols + c];
      }
      const double most = *std::max_element(shares.begin(), shares.end());
      double sum = 0;
      for (double& share : shares) sum += share = std::exp(share - most);
      for (double& share : shares) share /= sum;
      loss -= std::log(shares[tokens_[i + 1]]);
      shares[tokens_[i + 1]] -= 1;
      for (std::size_t v = 0; v < shares.size(); ++v) {
        for (std::size_t c = 0; c < x.cols; ++c) {
          d_x.at(i, c) += factor * shares[v] * w.value[v * x.cols + c];
          w.gradient[v * x.cols + c] += factor * shares[v] * x.at(i, c);
        }
      }
    }
    return loss;
  }

  // What attention reads.
  [[nodiscard]] const Matrix& read(const Layer& layer) const {
    return post() ? layer.in : layer.outer.out;
  }

  Matrix forward(std::size_t l, Matrix x) {
    const LayerLayout& at = layout_.layers[l];
    Layer& layer = layers_[l];
    layer.in = x;
    if (!post()) layer.outer = norm(x, at.outer);
    layer.qkv = linear(read(layer), tensor(at.attention), 3 * decoder_.width);
    turn_all(layer.qkv, 1);
    layer.raw = layer.qkv;
    featurise(at, layer);
    layer.mixed = Matrix(x.rows, x.cols);
    for (std::size_t h = 0; h < decoder_.heads; ++h) head_forward(at, layer, h);
    for (double& value : layer.mixed.values) value *= decoder_.scale;
    layer.ungated = layer.mixed;
    if (decoder_.kind.gated) gate(at, layer);
    add(linear(layer.mixed, tensor(at.attention_out), decoder_.width), x);
    layer.middle = norm(x, at.middle);
    if (post()) x = layer.middle.out;
    layer.wide = linear(layer.middle.out, tensor(at.mlp_in), decoder_.wide());
    layer.active = Matrix(x.rows, decoder_.hidden());
    for (std::size_t i = 0; i < x.rows; ++i) {
      for (std::size_t c = 0; c < decoder_.hidden(); ++c) {
        layer.active.at(i, c) = activation(layer.wide.at(i, c)).first *
                                (gated() ? layer.wide.at(i, decoder_.hidden() + c) : 1);
      }
    }
    add(linear(layer.active, tensor(at.mlp_out), decoder_.width), x);
    if (!post()) return x;
    layer.outer = norm(x, at.outer);
    return layer.outer.out;
  }

  void backward(std::size_t l, Matrix& d_x) {
    const LayerLayout& at = layout_.layers[l];
    Layer& layer = layers_[l];
    if (post()) d_x = norm_backward(layer.outer, at.outer, d_x);
    const Matrix d_active = linear_backward(layer.active, tensor(at.mlp_out), d_x);
    Matrix d_wide(d_x.rows, decoder_.wide());
    const std::size_t hidden = decoder_.hidden();
    for (std::size_t i = 0; i < d_x.rows; ++i) {
      for (std::size_t c = 0; c < hidden; ++c) {
        const auto [value, slope] = activation(layer.wide.at(i, c));
        d_wide.at(i, c) = d_active.at(i, c) * slope * (gated() ? layer.wide.at(i, hidden + c) : 1);
        if (gated()) d_wide.at(i, hidden + c) = d_active.at(i, c) * value;
      }
    }
    Matrix d_read = linear_backward(layer.middle.out, tensor(at.mlp_in), d_wide);
    if (post()) {
      add(d_x, d_read);
      d_x = norm_backward(layer.middle, at.middle, d_read);
    } else {
      add(norm_backward(layer.middle, at.middle, d_read), d_x);
    }
    Matrix d_mixed = linear_backward(layer.mixed, tensor(at.attention_out), d_x);
    Matrix d_normed(d_x.rows, d_x.cols);
    if (decoder_.kind.gated) gate_backward(at, layer, d_mixed, d_normed);
    Matrix d_qkv(d_x.rows, 3 * decoder_.width);
    for (double& value : d_mixed.values) value *= decoder_.scale;
    for (std::size_t h = 0; h < decoder_.heads; ++h) head_backward(at, layer, h, d_mixed, d_qkv);
    featurise_backward(at, layer, d_qkv);
    turn_all(d_qkv, -1);
    add(linear_backward(read(layer), tensor(at.attention), d_qkv), d_normed);
    add(post() ? d_normed : norm_backward(layer.outer, at.outer, d_normed), d_x);
  }

  // Work(row, first column) for every query and key.
  template <typename Work>
  void for_queries_and_keys(const Matrix& qkv, const Work& work) const {
    for (std::size_t i = 0; i < qkv.rows; ++i) {
      for (std::size_t at = 0; at < 2 * decoder_.width; at += decoder_.head_width()) work(i, at);
    }
  }
  void featurise(const LayerLayout& at, Layer& layer) const {
    const std::size_t own = decoder_.head_width();
    layer.inner = Matrix(layer.qkv.rows, 2 * decoder_.width);
    for_queries_and_keys(layer.raw, [&](std::size_t i, std::size_t first) {
      for (std::size_t c = 0; c < own; ++c) {
        double& to = layer.qkv.at(i, first + c);
        if (decoder_.kind.features == Features::kElu1) to = to < 0 ? std::exp(to) : to + 1;
        if (decoder_.kind.features != Features::kMlp) continue;
        to = 0;
        double& inner = layer.inner.at(i, first + c);
        for (std::size_t k = 0; k < own; ++k) {
          inner += layer.raw.at(i, first + k) * weights_[at.kernel_in + k * own + c];
        }
        inner = std::max(inner, 0.0);
      }
      for (std::size_t c = 0; c < own && decoder_.kind.features == Features::kMlp; ++c) {
        for (std::size_t k = 0; k < own; ++k) {
          layer.qkv.at(i, first + c) +=
              layer.inner.at(i, first + k) * weights_[at.kernel_out + k * own + c];
        }
      }
    });
  }
  void featurise_backward(const LayerLayout& at, const Layer& layer, Matrix& d_qkv) {
    const std::size_t own = decoder_.head_width();
    for_queries_and_keys(layer.raw, [&](std::size_t i, std::size_t first) {
      std::vector<double> d(own);
      for (std::size_t c = 0; c < own; ++c) std::swap(d[c], d_qkv.at(i, first + c));
      for (std::size_t k = 0; k < own; ++k) {
        const double raw = layer.raw.at(i, first + k);
        double& to = d_qkv.at(i, first + k);
        if (decoder_.kind.features == Features::kNone) to = d[k];
        if (decoder_.kind.features == Features::kElu1) to = d[k] * (raw < 0 ? std::exp(raw) : 1);
        if (decoder_.kind.features != Features::kMlp) continue;
        const double inner = layer.inner.at(i, first + k);
        double d_inner = 0;
        for (std::size_t c = 0; c < own; ++c) {
          gradient_[at.kernel_out + k * own + c] += inner * d[c];
          if (inner > 0) d_inner += d[c] * weights_[at.kernel_out + k * own + c];
        }
        for (std::size_t c = 0; c < own; ++c) {
          gradient_[at.kernel_in + c * own + k] += layer.raw.at(i, first + c) * d_inner;
          d_qkv.at(i, first + c) += weights_[at.kernel_in + c * own + k] * d_inner;
        }
      }
    });
  }

  [[nodiscard]] bool gated() const { return decoder_.mlp.name.ends_with("glu"); }
  // A value and its slope.
  [[nodiscard]] std::pair<double, double> activation(double x) const {
    const std::string_view name = decoder_.mlp.name;
    if (name == "relu" || name == "reglu") return {std::max(x, 0.0), x > 0 ? 1 : 0};
    if (name == "gelu" || name == "geglu") return {gelu(x), gelu_slope(x)};
    return {x * sigmoid(x), sigmoid(x) + x * sigmoid(x) * sigmoid(-x)};
  }

  void gate(const LayerLayout& at, Layer& layer) const {
    const std::size_t own = decoder_.head_width();
    layer.gates = Matrix(layer.mixed.rows, decoder_.heads);
    for (std::size_t i = 0; i < layer.mixed.rows; ++i) {
      for (std::size_t h = 0; h < decoder_.heads; ++h) {
        double logit = weights_[at.gate_bias + h];
        for (std::size_t c = 0; c < decoder_.width; ++c) {
          logit += read(layer).at(i, c) * weights_[at.gate + h * decoder_.width + c];
        }
        layer.gates.at(i, h) = sigmoid(logit);
        for (std::size_t c = 0; c < own; ++c) {
          layer.mixed.at(i, h * own + c) *= layer.gates.at(i, h);
        }
      }
    }
  }
  void gate_backward(const LayerLayout& at, const Layer& layer, Matrix& d_mixed, Matrix& d_normed) {
    const std::size_t own = decoder_.head_width();
    for (std::size_t i = 0; i < d_mixed.rows; ++i) {
      for (std::size_t h = 0; h < decoder_.heads; ++h) {
        const double open = layer.gates.at(i, h);
        double d_logit = 0;
        for (std::size_t c = h * own; c < (h + 1) * own; ++c) {
          d_logit += d_mixed.at(i, c) * layer.ungated.at(i, c) * open * (1 - open);
          d_mixed.at(i, c) *= open;
        }
        gradient_[at.gate_bias + h] += d_logit;
        for (std::size_t c = 0; c < decoder_.width; ++c) {
          gradient_[at.gate + h * decoder_.width + c] += d_logit * read(layer).at(i, c);
          d_normed.at(i, c) += d_logit * weights_[at.gate + h * decoder_.width + c];
        }
      }
    }
  }

  [[nodiscard]] double fixed_slot_value(std::size_t c) const {
    const SlotValue& value = decoder_.slot_value;
    if (value.direction.name == "even") return value.norm / std::sqrt(decoder_.head_width());
    return c == 0 ? value.norm : 0;
  }

  // Keys and values of a head, the slot's first.
  void head_rows(const LayerLayout& at, Layer& layer, std::size_t h) const {
    const AttentionKind& kind = decoder_.kind;
    const std::size_t own = decoder_.head_width();
    const std::size_t slots = kind.slots();
    Matrix keys(slots + decoder_.length, own);
    Matrix values = keys;
    for (std::size_t c = 0; c < own; ++c) {
      const std::size_t place = h * own + c;
      const std::size_t vector = kind.shared_slot ? 0 : h;
      const std::size_t known = decoder_.slot_key_width();
      if (kind.slot_key() && c < known) keys.at(0, c) = weights_[at.slot_key + vector * known + c];
      if (kind.slot == Slot::kKeyValue)
        values.at(0, c) = weights_[at.slot_value + vector * own + c];
      if (kind.fixed_slot_value()) values.at(0, c) = fixed_slot_value(c);
      for (std::size_t k = 0; k < decoder_.length; ++k) {
        keys.at(slots + k, c) = layer.qkv.at(k, decoder_.width + place);
        values.at(slots + k, c) = layer.qkv.at(k, 2 * decoder_.width + place) +
                                  (kind.value_bias ? weights_[at.value_bias + place] : 0);
      }
    }
    layer.keys.push_back(std::move(keys));
    layer.values.push_back(std::move(values));
  }

  [[nodiscard]] bool sees(std::size_t row, std::size_t key) const {
    const std::size_t slots = decoder_.kind.slots();
    return key < slots ||
           (key - slots >= decoder_.first_seen(row) && key - slots <= decoder_.last_seen(row));
  }

  void head_forward(const LayerLayout& at, Layer& layer, std::size_t h) const {
    head_rows(at, layer, h);
    const Matrix& keys = layer.keys[h];
    const std::size_t own = decoder_.head_width();
    Matrix weights(decoder_.length, keys.rows);
    Matrix logits = weights;
    for (std::size_t i = 0; i < decoder_.length; ++i) {
      for (std::size_t k = 0; k < keys.rows; ++k) {
        if (!sees(i, k)) continue;
        double logit = 0;
        for (std::size_t c = 0; c < own; ++c) {
          logit += layer.qkv.at(i, h * own + c) * keys.at(k, c) / std::sqrt(own);
        }
        if (k == 0 && decoder_.kind.slot == Slot::kLogit) logit += weights_[at.sinks + h];
        const std::size_t slots = decoder_.kind.slots();
        if (k >= slots) logit += logit_bias(i, k - slots, h);
        weights.at(i, k) = logit;
      }
      for (std::size_t k = 0; k < keys.rows; ++k) logits.at(i, k) = weights.at(i, k);
      weigh(i, weights);
      for (std::size_t k = 0; k < keys.rows; ++k) {
        for (std::size_t c = 0; c < own; ++c) {
          layer.mixed.at(i, h * own + c) += weights.at(i, k) * layer.values[h].at(k, c);
        }
      }
    }
    layer.weights.push_back(std::move(weights));
    layer.logits.push_back(std::move(logits));
  }

  [[nodiscard]] double tokens_seen(std::size_t row) const {
    return static_cast<double>(decoder_.last_seen(row) - decoder_.first_seen(row) + 1);
  }

  [[nodiscard]] double divisor(double sum) const {
    switch (decoder_.kind.divisor) {
      case Divisor::kSum:
        return sum;
      case Divisor::kSize:
        return std::max(std::abs(sum), 1.0);
      case Divisor::kOne:
        break;
    }
    return 1;
  }

  // A row's logits to weights.
  void weigh(std::size_t row, Matrix& weights) const {
    double most = -HUGE_VAL;
    double sum = 0;
    for (std::size_t k = 0; k < weights.cols; ++k) {
      if (sees(row, k)) most = std::max(most, weights.at(row, k));
    }
    for (std::size_t k = 0; k < weights.cols; ++k) {
      double& weight = weights.at(row, k);
      if (!sees(row, k)) continue;
      if (decoder_.kind.weighing == Weighing::kSoftmax) weight = std::exp(weight - most);
      if (decoder_.kind.weighing == Weighing::kSigmoid) weight = sigmoid(weight);
      if (decoder_.kind.weighing == Weighing::kRelu) {
        weight = std::max(weight, 0.0) / tokens_seen(row);
      }
      if (decoder_.kind.weighing == Weighing::kElu1) {
        weight = weight < 0 ? std::exp(weight) : weight + 1;
      }
      sum += weight;
    }
    if (decoder_.kind.weighing != Weighing::kSoftmax) sum = divisor(sum);
    for (std::size_t k = 0; k < weights.cols; ++k) weights.at(row, k) /= sum;
  }

  // A kernel's value and slope at a logit; softmax's apart.
  [[nodiscard]] std::pair<double, double> kernel(std::size_t row, double logit) const {
    const double seen = tokens_seen(row);
    switch (decoder_.kind.weighing) {
      case Weighing::kSigmoid:
        return {sigmoid(logit), sigmoid(logit) * sigmoid(-logit)};
      case Weighing::kRelu:
        return {std::max(logit, 0.0) / seen, (logit > 0 ? 1 : 0) / seen};
      case Weighing::kElu1:
        return {logit < 0 ? std::exp(logit) : logit + 1, logit < 0 ? std::exp(logit) : 1};
      default:
        return {logit, 1};
    }
  }

  // d of row's weights to d of its logits.
  void weigh_backward(std::size_t row, const Matrix& logits, const Matrix& weights,
                      std::vector<double>& d) const {
    const bool is_softmax = decoder_.kind.weighing == Weighing::kSoftmax;
    double along = 0;
    double sum = 0;
    for (std::size_t k = 0; k < d.size(); ++k) {
      along += d[k] * weights.at(row, k);
      if (sees(row, k)) sum += kernel(row, logits.at(row, k)).first;
    }
    for (std::size_t k = 0; k < d.size(); ++k) {
      if (!sees(row, k)) {
        d[k] = 0;
      } else if (is_softmax) {
        d[k] = weights.at(row, k) * (d[k] - along);
      } else {
        // The divisor's slope along the sum is 0 or its sign.
        const double by = divisor(sum);
        const bool depends = decoder_.kind.divisor != Divisor::kOne && by == std::abs(sum);
        const double outer = d[k] - (depends ? along * (sum < 0 ? -1 : 1) : 0);
        d[k] = outer / by * kernel(row, logits.at(row, k)).second;
      }
    }
  }

  void head_backward(const LayerLayout& at, const Layer& layer, std::size_t h,
                     const Matrix& d_mixed, Matrix& d_qkv) {
    const Matrix& weights = layer.weights[h];
    const Matrix& keys = layer.keys[h];
    const Matrix& values = layer.values[h];
    const std::size_t own = decoder_.head_width();
    Matrix d_keys(keys.rows, own);
    Matrix d_values(keys.rows, own);
    for (std::size_t i = 0; i < decoder_.length; ++i) {
      std::vector<double> d(keys.rows);
      for (std::size_t k = 0; k < keys.rows; ++k) {
        for (std::size_t c = 0; c < own; ++c) {
          d[k] += d_mixed.at(i, h * own + c) * values.at(k, c);
          d_values.at(k, c) += weights.at(i, k) * d_mixed.at(i, h * own + c);
        }
      }
      weigh_backward(i, layer.logits[h], weights, d);
      if (decoder_.kind.slot == Slot::kLogit) gradient_[at.sinks + h] += d[0];
      for (std::size_t k = decoder_.kind.slots(); k < keys.rows; ++k) {
        const std::size_t place = relative(i, k - decoder_.kind.slots(), h);
        if (place != 0) gradient_[place] += d[k];
      }
      for (std::size_t k = 0; k < keys.rows; ++k) {
        for (std::size_t c = 0; c < own; ++c) {
          d_qkv.at(i, h * own + c) += d[k] * keys.at(k, c) / std::sqrt(own);
          d_keys.at(k, c) += d[k] * layer.qkv.at(i, h * own + c) / std::sqrt(own);
        }
      }
    }
    rows_backward(at, h, d_keys, d_values, d_qkv);
  }

  void rows_backward(const LayerLayout& at, std::size_t h, const Matrix& d_keys,
                     const Matrix& d_values, Matrix& d_qkv) {
    const AttentionKind& kind = decoder_.kind;
    const std::size_t slots = kind.slots();
    for (std::size_t c = 0; c < decoder_.head_width(); ++c) {
      const std::size_t place = h * decoder_.head_width() + c;
      const std::size_t vector = kind.shared_slot ? 0 : h;
      const std::size_t known = decoder_.slot_key_width();
      if (kind.slot_key() && c < known) {
        gradient_[at.slot_key + vector * known + c] += d_keys.at(0, c);
      }
      if (kind.slot == Slot::kKeyValue) {
        gradient_[at.slot_value + vector * decoder_.head_width() + c] += d_values.at(0, c);
      }
      for (std::size_t k = 0; k < decoder_.length; ++k) {
        d_qkv.at(k, decoder_.width + place) = d_keys.at(slots + k, c);
        d_qkv.at(k, 2 * decoder_.width + place) = d_values.at(slots + k, c);
        if (kind.value_bias) gradient_[at.value_bias + place] += d_values.at(slots + k, c);
      }
    }
  }

  const Decoder& decoder_;
  Layout layout_;
  const std::vector<double>& weights_;
  std::vector<double>& gradient_;
  const std::uint16_t* tokens_;
  std::vector<Layer> layers_;
};

}  // namespace

ReferenceResult reference_gradient(const Decoder& decoder, const std::vector<double>& weights,
                                   const std::vector<std::uint16_t>& tokens) {
  const std::size_t row = decoder.length + 1;
  const std::size_t sequences = tokens.size() / row;
  const std::size_t asked = sequences * (decoder.length - decoder.first_asked());
  ReferenceResult result;
  result.gradient.resize(weights.size());
  for (std::size_t sequence = 0; sequence < sequences; ++sequence) {
    Sequence one(decoder, weights, result.gradient, tokens.data() + sequence * row);
    result.loss += one.run(1.0 / static_cast<double>(asked)) / static_cast<double>(asked);
    one.append_attention(result.attention);
  }
  return result;
}

}  // namespace sinkproof::language_training
