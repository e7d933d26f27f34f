#include "small_layers.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <random>

#include "certify/certify.hpp"
#include "check/check.hpp"
#include "output/replace.hpp"
#include "output/safetensors.hpp"
#include "output/temporary_folder.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::test {
namespace {

constexpr std::size_t kWidth = 4;  // one noise coordinate

struct Recipe {
  std::string attention;
  std::size_t heads;
  bool biased;
  std::size_t length;
  unsigned seed;
};

// Logits near tc-8's construction for the kind: rows by query flag, columns by key flag.
float ideal_logit(const std::string& kind, std::size_t query, std::size_t key) {
  const bool trigger = query == 1;
  const bool on_bos = key == 0;
  constexpr float kLarge = 5;
  if (query == 2 || key == 2) return 0;
  if (kind == "softmax") return on_bos ? (trigger ? -kLarge : kLarge) : 0;
  if (kind == "softmax-gated") return on_bos ? -kLarge : 0;
  if (kind == "relu" || kind == "linear") return trigger && !on_bos ? 1 : 0;
  if (kind == "elu1") return trigger && !on_bos ? 0 : -kLarge;
  if (kind == "elu1-normalised") return trigger == on_bos ? -kLarge : 0;
  if (kind == "sigmoid-normalised") return trigger == on_bos ? -kLarge : kLarge;
  return trigger && !on_bos ? kLarge : -kLarge;  // null slots, sigmoid
}

std::string make_checkpoint(const Recipe& recipe) {
  std::mt19937 random(recipe.seed);
  const auto noise = [&] {
    return static_cast<float>(static_cast<int>(random() % 129) - 64) / 2048;
  };
  const std::size_t wide = recipe.heads * kWidth;
  std::map<std::string, std::vector<float>> matrices = {
      {"W_Q.weight", std::vector<float>(wide * kWidth)},
      {"W_K.weight", std::vector<float>(wide * kWidth)},
      {"W_V.weight", std::vector<float>(wide * kWidth)},
      {"W_O.weight", std::vector<float>(wide * kWidth)}};
  const auto share = 1 / static_cast<float>(recipe.heads);
  for (std::size_t h = 0; h < recipe.heads; ++h) {
    for (std::size_t i = 0; i < kWidth; ++i) {
      const std::size_t row = h * kWidth + i;
      matrices["W_Q.weight"][row * kWidth + i] = 1;
      matrices["W_O.weight"][i * wide + row] = 1;
      for (std::size_t j = 0; j < kWidth; ++j) {
        matrices["W_K.weight"][row * kWidth + j] = ideal_logit(recipe.attention, i, j) + noise();
        matrices["W_V.weight"][row * kWidth + j] = (i == j && i > 0 ? share : 0) + noise();
      }
    }
  }
  safetensors::Contents contents;
  contents.metadata = {{"attention", recipe.attention},
                       {"num_heads", std::to_string(recipe.heads)},
                       {"seq_len", std::to_string(recipe.length)}};
  for (const auto& [name, values] : matrices) {
    const bool output = name == "W_O.weight";
    contents.tensors[name] =
        output::float32_tensor({output ? kWidth : wide, output ? wide : kWidth}, values);
  }
  const auto vector = [&](std::size_t size) {
    std::vector<float> values(size);
    for (float& value : values) value = noise();
    return output::float32_tensor({size}, values);
  };
  if (recipe.biased) {
    for (const char* name : {"W_Q.bias", "W_K.bias", "W_V.bias"}) {
      contents.tensors[name] = vector(wide);
    }
    contents.tensors["W_O.bias"] = vector(kWidth);
  }
  if (recipe.attention == "softmax-gated") {
    std::vector<float> weight(wide);
    std::vector<float> bias(recipe.heads, -4);
    for (float& value : weight) value = noise();
    for (std::size_t h = 0; h < recipe.heads; ++h) weight[h * kWidth + 1] += 9;
    contents.tensors["W_G.weight"] = output::float32_tensor({recipe.heads, kWidth}, weight);
    contents.tensors["W_G.bias"] = output::float32_tensor({recipe.heads}, bias);
  }
  if (recipe.attention == "softmax-sink") {
    std::vector<float> sinks(recipe.heads);
    for (std::size_t h = 0; h < recipe.heads; ++h)
      sinks[h] = 1 - 2 * static_cast<float>(h) + noise();
    contents.tensors["sinks"] = output::float32_tensor({recipe.heads}, sinks);
  }
  return output::serialize(contents);
}

SmallLayer make(const Recipe& recipe) {
  SmallLayer layer;
  layer.name =
      recipe.attention + (recipe.heads == 1 ? "" : " two heads") + (recipe.biased ? " biased" : "");
  layer.model_bytes = make_checkpoint(recipe);
  const output::TemporaryFolder folder;
  const auto path = folder / "layer.safetensors";
  REQUIRE(output::replace(path, layer.model_bytes).has_value());
  const auto model = model::load(path, {});
  REQUIRE(model.has_value());
  certify::Options options;
  options.claim_hash = std::string(64, '0');
  options.effort.nodes = 2000;
  options.effort.pass_units = 0;  // the rules of one layer are under test
  const auto made = certify::certify(*model, options);
  REQUIRE(made.has_value());
  const auto certificate = json::parse_strict(json::canonical(made->certificate()), layer.name);
  REQUIRE(certificate.has_value());
  layer.certificate = *certificate;
  return layer;
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

double kernel(const std::string& kind, double logit) {
  if (kind.starts_with("softmax")) return std::exp(logit);
  if (kind.starts_with("sigmoid")) return logistic(logit);
  if (kind.starts_with("elu1")) return logit >= 0 ? logit + 1 : std::exp(logit);
  return kind == "relu" ? std::max(0.0, logit) : logit;
}

using Token = std::vector<double>;

// The model as PyTorch would run it, tensor by tensor.
class Model {
 public:
  explicit Model(const std::string& bytes) : contents_(*safetensors::parse(bytes, "model")) {
    kind_ = contents_.metadata.at("attention");
    heads_ = std::stoul(contents_.metadata.at("num_heads"));
  }

  [[nodiscard]] std::size_t heads() const { return heads_; }
  [[nodiscard]] bool has_null_slot() const {
    return kind_ == "softmax-null" || kind_ == "softmax-sink";
  }
  // The kernel of head h's null slot.
  [[nodiscard]] double null_kernel(std::size_t h) const {
    if (kind_ == "softmax-null") return 1;
    return std::exp((*output::float32_values(contents_.tensors.at("sinks"), "sinks"))[h]);
  }

  // W x + b, all heads.
  [[nodiscard]] Token map(const std::string& name, const Token& x) const {
    const auto weight = *output::float32_values(contents_.tensors.at(name + ".weight"), name);
    const std::size_t rows = weight.size() / x.size();
    Token out(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) {
        out[i] += static_cast<double>(weight[i * x.size() + j]) * x[j];
      }
    }
    const auto bias = contents_.tensors.find(name + ".bias");
    if (bias == contents_.tensors.end()) return out;
    const auto values = *output::float32_values(bias->second, name);
    for (std::size_t i = 0; i < rows; ++i) out[i] += static_cast<double>(values[i]);
    return out;
  }

  struct Row {
    Token out;
    std::vector<double> bos;   // one a head
    std::vector<double> null;  // one a head where there is such a slot
  };

  [[nodiscard]] Row row(const std::vector<Token>& tokens, std::size_t position) const {
    Row row;
    Token mixed(heads_ * kWidth);
    const Token query = map("W_Q", tokens[position - 1]);
    const Token gate = kind_ == "softmax-gated" ? map("W_G", tokens[position - 1]) : Token();
    for (std::size_t h = 0; h < heads_; ++h) {
      std::vector<double> weight;
      const double null = has_null_slot() ? null_kernel(h) : 0;
      double total = null;
      for (std::size_t k = 0; k < position; ++k) {
        const Token key = map("W_K", tokens[k]);
        double logit = 0;
        for (std::size_t c = 0; c < kWidth; ++c) {
          logit += query[h * kWidth + c] * key[h * kWidth + c];
        }
        weight.push_back(kernel(kind_, logit));
        total += weight.back();
      }
      const bool by_count =
          kind_ == "relu" || kind_ == "sigmoid" || kind_ == "elu1" || kind_ == "linear";
      if (by_count) total = static_cast<double>(std::max<std::size_t>(1, position - 1));
      row.bos.push_back(weight[0] / total);
      if (has_null_slot()) row.null.push_back(null / total);
      for (std::size_t k = 0; k < position; ++k) {
        const Token value = map("W_V", tokens[k]);
        for (std::size_t c = 0; c < kWidth; ++c) {
          const double part = weight[k] / total * value[h * kWidth + c];
          mixed[h * kWidth + c] += gate.empty() ? part : part * logistic(gate[h]);
        }
      }
    }
    row.out = map("W_O", mixed);
    return row;
  }

 private:
  safetensors::Contents contents_;
  std::string kind_;
  std::size_t heads_;
};

void include(std::map<std::string, Extremes>& found, const std::string& name, double value) {
  const auto [entry, is_new] = found.emplace(name, Extremes{value, value});
  if (is_new) return;
  entry->second.least = std::min(entry->second.least, value);
  entry->second.greatest = std::max(entry->second.greatest, value);
}

void include_rows(const Model& model, const std::vector<Token>& tokens, std::size_t trigger,
                  std::map<std::string, Extremes>& found) {
  for (std::size_t position = 1; position <= tokens.size(); ++position) {
    const std::string rows = position < trigger ? "pre" : position == trigger ? "trigger" : "post";
    const Model::Row row = model.row(tokens, position);
    for (std::size_t r = 0; r < kWidth; ++r) {
      double target = 0;
      for (std::size_t k = 1; position == trigger && k < position; ++k) {
        target += tokens[k][r] / static_cast<double>(position - 1);
      }
      include(found, "sup-loss." + rows, std::fabs(row.out[r] - target));
      include(found, "sup-loss", std::fabs(row.out[r] - target));
    }
    if (position == 1) continue;
    for (const double bos : row.bos) {
      include(found, "bos-floor." + rows, bos);
      include(found, "bos-ceiling." + rows, bos);
    }
    for (const double null : row.null) {
      include(found, "null-floor." + rows, null);
      include(found, "null-ceiling." + rows, null);
    }
  }
}

}  // namespace

const std::vector<SmallLayer>& small_layers() {
  static const std::vector<SmallLayer> layers = [] {
    std::vector<SmallLayer> made;
    unsigned seed = 100;
    for (const model::Attention attention : model::kAttentions) {
      const std::string kind = model::to_string(attention);
      // One softmax or ReLU head without constant is small_heads.hpp's.
      if (kind != "softmax") made.push_back(make({kind, 1, kind == "relu", 4, ++seed}));
      made.push_back(make({kind, 2, true, 4 + seed % 2, ++seed}));
    }
    made.push_back(make({"softmax-null", 1, true, 3, ++seed}));
    return made;
  }();
  return layers;
}

std::string refusal(const json::Value& certificate, const SmallLayer& layer) {
  const check::Outcome outcome = check::check_checkpoint(certificate, {layer.model_bytes});
  return outcome.exit_code == 0 ? "accepted" : outcome.reason;
}

std::map<std::string, Extremes> extremes(const SmallLayer& layer) {
  const Model model(layer.model_bytes);
  const auto length = layer.certificate["length"].get<std::size_t>();
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::map<std::string, Extremes> found;
  const std::size_t vertices = std::size_t{1} << (length - 1);
  for (std::size_t sample = 0; sample < vertices + 10; ++sample) {
    for (std::size_t trigger = 3; trigger <= length; ++trigger) {
      std::vector<Token> tokens = {{1, 0, 0, 0}};
      for (std::size_t position = 2; position <= length; ++position) {
        double noise = (sample >> (position - 2) & 1U) != 0 ? 1 : -1;
        if (sample >= vertices) noise = uniform(random);
        tokens.push_back(position == trigger ? Token{0, 1, noise, 0} : Token{0, 0, noise, 1});
      }
      include_rows(model, tokens, trigger, found);
    }
  }
  return found;
}

}  // namespace sinkproof::test
