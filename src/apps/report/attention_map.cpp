#include "report/attention_map.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "estimate/attention_weights.hpp"
#include "rounded/double.hpp"

namespace sinkproof::report {
namespace {

using certificate::AttentionKind;
using exact::fail;
using exact::Result;

constexpr std::size_t kAround = 16;

std::vector<double> to_doubles(const exact::RationalMatrix& matrix) {
  std::vector<double> numbers;
  numbers.reserve(matrix.rows() * matrix.columns());
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.columns(); ++j) {
      numbers.push_back(rounded::to_double_estimate(matrix(i, j)));
    }
  }
  return numbers;
}

// A bias the file does not have is 0.
Affine affine(const exact::RationalMatrix& weight, const std::vector<exact::Rational>& bias) {
  Affine map{to_doubles(weight), std::vector<double>(weight.rows(), 0.0)};
  for (std::size_t i = 0; i < bias.size(); ++i) map.bias[i] = rounded::to_double_estimate(bias[i]);
  return map;
}

std::vector<double> mapped(const Affine& map, const std::vector<double>& x) {
  std::vector<double> y = map.bias;
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = std::inner_product(x.begin(), x.end(),
                              map.weight.begin() + static_cast<std::ptrdiff_t>(i * x.size()), y[i]);
  }
  return y;
}

using Rows = std::vector<std::vector<double>>;

Rows mapped(const Affine& map, const Rows& rows) {
  Rows images;
  for (const std::vector<double>& row : rows) images.push_back(mapped(map, row));
  return images;
}

// The weights of a query whose logits on the keys it sees are these.
AttentionRow attention_row(const AttentionKind& kind, std::vector<double> logits, double sink) {
  const double null = estimate::weigh(kind, sink, logits);
  const double divisor =
      kind.normalised ? 1 : std::max(1.0, static_cast<double>(logits.size()) - 1);
  for (double& weight : logits) weight /= divisor;
  return {std::move(logits), null};
}

// A layer on its input, row by row; positions and heads from 0.
class LayerPass {
 public:
  LayerPass(const Stack& stack, const Layer& layer, const Rows& rows)
      : stack_(stack),
        layer_(layer),
        rows_(rows),
        queries_(mapped(layer.query, rows)),
        keys_(mapped(layer.key, rows)),
        values_(mapped(layer.value, rows)) {}

  [[nodiscard]] AttentionRow attention(std::size_t head, std::size_t row) const {
    std::vector<double> logits;
    for (std::size_t key = 0; key <= row; ++key) {
      const auto query = part(queries_[row], head);
      logits.push_back(
          std::inner_product(query.begin(), query.end(), part(keys_[key], head).begin(), 0.0));
    }
    return attention_row(certificate::kind_of(stack_.attention), std::move(logits),
                         layer_.sinks.empty() ? 0 : layer_.sinks[head]);
  }

  // What the layer hands on, given what its heads attend to.
  [[nodiscard]] std::vector<double> output(std::size_t row,
                                           const std::vector<AttentionRow>& heads) const {
    const std::vector<double> gates = mapped(layer_.gate, rows_[row]);
    std::vector<double> joined;
    for (std::size_t h = 0; h < heads.size(); ++h) {
      const double gate = gates.empty() ? 1 : estimate::logistic(gates[h]);
      std::vector<double> sum(part(values_[row], h).size());
      for (std::size_t key = 0; key <= row; ++key) {
        const auto value = part(values_[key], h);
        for (std::size_t c = 0; c < sum.size(); ++c) {
          sum[c] += gate * heads[h].weights[key] * value[c];
        }
      }
      joined.insert(joined.end(), sum.begin(), sum.end());
    }
    std::vector<double> result = mapped(layer_.output, joined);
    for (std::size_t c = 0; stack_.residual && c < result.size(); ++c) result[c] += rows_[row][c];
    return result;
  }

 private:
  [[nodiscard]] std::span<const double> part(const std::vector<double>& row,
                                             std::size_t head) const {
    const std::size_t width = row.size() / stack_.heads;
    return std::span(row).subspan(head * width, width);
  }

  const Stack& stack_;
  const Layer& layer_;
  const Rows& rows_;
  Rows queries_, keys_, values_;
};

// Adds a row to a map; whether all of its weights are finite.
bool add(AttentionMap& map, const AttentionRow& row, bool null_slot) {
  std::vector<double>& shown = map.weights.emplace_back();
  for (const std::size_t key : map.positions) {
    if (key <= row.weights.size()) shown.push_back(row.weights[key - 1]);
  }
  if (null_slot) map.null.push_back(row.null);
  return std::all_of(shown.begin(), shown.end(), [](double w) { return std::isfinite(w); });
}

}  // namespace

Stack in_doubles(const model::AttentionModel& model) {
  Stack stack{model.attention, model.num_heads, model.residual, {}};
  for (const model::Layer& layer : model.layers) {
    stack.layers.push_back({affine(layer.query, layer.query_bias),
                            affine(layer.key, layer.key_bias),
                            affine(layer.value, layer.value_bias),
                            affine(layer.output, layer.output_bias),
                            affine(layer.gate, layer.gate_bias),
                            {}});
    for (const exact::Rational& sink : layer.sinks) {
      stack.layers.back().sinks.push_back(rounded::to_double_estimate(sink));
    }
  }
  return stack;
}

Rows pass(const Stack& stack, Rows rows, const std::function<bool(std::size_t)>& wanted,
          const std::function<void(std::size_t, std::size_t, const AttentionRow&)>& visit) {
  for (std::size_t l = 0; l < stack.layers.size(); ++l) {
    const LayerPass layer(stack, stack.layers[l], rows);
    Rows outputs(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (l + 1 == stack.layers.size() && !wanted(row)) continue;
      std::vector<AttentionRow> heads;
      for (std::size_t h = 0; h < stack.heads; ++h) {
        heads.push_back(layer.attention(h, row));
        visit(l * stack.heads + h, row, heads.back());
      }
      outputs[row] = layer.output(row, heads);
    }
    rows = std::move(outputs);
  }
  return rows;
}

Result<Stack> load_stack(const std::filesystem::path& path, const Checkpoint& certificate) {
  model::Overrides as_certified;
  as_certified.attention = certificate.attention;
  as_certified.length = certificate.length;
  as_certified.residual = certificate.residual;
  as_certified.num_heads = certificate.num_heads;
  as_certified.num_layers = certificate.num_layers;
  as_certified.scale = exact::to_string(certificate.scale);
  const auto loaded = model::load(path, as_certified);
  const std::string where = path.string();
  const std::string other_size = "is not of the certificate's size";
  if (!loaded && loaded.error().code == "SP1107") return fail("SP1203", where, other_size);
  if (!loaded) return tl::unexpected(loaded.error());
  if (loaded->sha256 != certificate.sha256) {
    return fail("SP1203", where, "is another model: its SHA-256 is not the certificate's");
  }
  if (loaded->d_model != certificate.d_model) return fail("SP1203", where, other_size);
  return in_doubles(*loaded);
}

std::vector<std::size_t> shown_positions(std::size_t length, std::size_t trigger, std::size_t row) {
  std::set<std::size_t> positions = {1, trigger};
  const bool whole = length <= kWholeMap;
  const std::size_t first = whole || row <= kAround ? 1 : row - kAround;
  const std::size_t last = whole ? length : std::min(length, row + kAround);
  for (std::size_t position = first; position <= last; ++position) positions.insert(position);
  return {positions.begin(), positions.end()};
}

Result<std::vector<AttentionMap>> attention_maps(const Stack& stack, const Witness& witness) {
  const bool null_slot = certificate::kind_of(stack.attention).null_slot;
  AttentionMap empty{witness.tokens.size(), witness.trigger, witness.row, {}, {}, {}};
  empty.positions = shown_positions(empty.length, empty.trigger, empty.row);
  std::vector<AttentionMap> maps(stack.layers.size() * stack.heads, empty);
  // Rows below the last one that is shown do not matter.
  Rows rows(witness.tokens.begin(),
            witness.tokens.begin() + static_cast<std::ptrdiff_t>(empty.positions.back()));
  const auto shown = [&](std::size_t row) {
    return std::binary_search(empty.positions.begin(), empty.positions.end(), row + 1);
  };
  bool finite = true;
  pass(stack, std::move(rows), shown,
       [&](std::size_t head, std::size_t row, const AttentionRow& weights) {
         if (shown(row)) finite = add(maps[head], weights, null_slot) && finite;
       });
  if (!finite) {
    return fail("SP1204", "attention matrix", "a weight is not a finite number in doubles");
  }
  return maps;
}

}  // namespace sinkproof::report
