#include "forward/model.hpp"

#include <set>
#include <string>
#include <utility>

#include "certificate/strict.hpp"

namespace sinkproof::forward {
namespace {

using certificate::ModelReading;
using certificate::require;
using certificate::value_of;
using exact::Rational;

// Where the file's own metadata says something else than the certificate, the certificate must
// admit it.
void check_overrides(const ModelReading& reading, const safetensors::Contents& contents) {
  const std::pair<std::string, std::string> readings[] = {
      {"attention", std::string(reading.kind().name)},
      {"d_model", std::to_string(reading.d_model)},
      {"num_heads", std::to_string(reading.num_heads)},
      {"num_layers", std::to_string(reading.num_layers)},
      {"residual", reading.residual ? "true" : "false"},
      {"scale", exact::to_string(reading.scale)}};
  std::vector<std::string> differing;
  for (const auto& [key, says] : readings) {
    const auto found = contents.metadata.find(key);
    if (found != contents.metadata.end() && found->second != says) differing.push_back(key);
  }
  require(reading.overrides == differing, "model.overrides",
          "must list exactly the metadata keys the certificate reads differently than the file");
}

// Hands out the tensors of a file and knows at the end whether one was left over.
class Tensors {
 public:
  explicit Tensors(const safetensors::Contents& contents) : contents_(contents) {}

  // The names that follow have this prefix.
  void enter(std::string prefix) { prefix_ = std::move(prefix); }

  Affine affine(const std::string& name, std::size_t out, std::size_t in, bool bias_optional) {
    Affine map{{out, in, values(name + ".weight", {out, in})}, std::vector<Rational>(out)};
    if (!bias_optional || contents_.tensors.contains(prefix_ + name + ".bias")) {
      map.bias = values(name + ".bias", {out});
    }
    return map;
  }

  std::vector<Rational> values(const std::string& ending, const std::vector<std::uint64_t>& shape) {
    const std::string name = prefix_ + ending;
    const auto found = contents_.tensors.find(name);
    require(found != contents_.tensors.end(), "model file", "tensor " + name + " is missing");
    require(found->second.shape == shape, "model file", "tensor " + name + " has another shape");
    read_.insert(name);
    return value_of(safetensors::exact_values(found->second, name));
  }

  void require_all_read() const {
    for (const auto& [name, tensor] : contents_.tensors) {
      require(read_.contains(name), "model file",
              "tensor " + name + " is not part of the model certified");
    }
  }

 private:
  const safetensors::Contents& contents_;
  std::string prefix_;
  std::set<std::string> read_;
};

AttentionBlock read_block(Tensors& tensors, const ModelReading& reading) {
  const std::size_t n = reading.d_model;
  const std::size_t wide = reading.num_heads * reading.head_width;
  AttentionBlock block{reading.kind(),
                       reading.num_heads,
                       reading.scale,
                       reading.residual,
                       tensors.affine("W_Q", wide, n, true),
                       tensors.affine("W_K", wide, n, true),
                       tensors.affine("W_V", wide, n, true),
                       tensors.affine("W_O", n, wide, true),
                       {},
                       {}};
  if (block.kind.gated) block.gate = tensors.affine("W_G", reading.num_heads, n, false);
  if (block.kind.sinks) block.sinks = tensors.values("sinks", {reading.num_heads});
  return block;
}

}  // namespace

Model read_model(const safetensors::Contents& contents, const ModelReading& reading) {
  check_overrides(reading, contents);
  Tensors tensors(contents);
  Model model;
  model.width = reading.d_model;
  const bool plain = reading.num_layers == 1 && !contents.tensors.contains("layers.0.W_Q.weight");
  for (std::size_t l = 0; l < reading.num_layers; ++l) {
    if (!plain) tensors.enter("layers." + std::to_string(l) + ".");
    model.blocks.push_back(read_block(tensors, reading));
  }
  tensors.require_all_read();
  return model;
}

}  // namespace sinkproof::forward
