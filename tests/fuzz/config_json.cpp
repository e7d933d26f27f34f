// config.json of language models, alone and with the tensors it asks for left out.
#include "certificate/strict.hpp"
#include "language/config.hpp"
#include "language/model.hpp"
#include "target.hpp"

using namespace sinkproof;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  const auto config =
      certificate::result_of([&] { return language::read_config(bytes, "config.json"); });
  if (!config) {
    fuzz::require_complete(config.error());
    return 0;
  }
  fuzz::require(config->layers <= language::kMostLayers && config->width <= language::kMostWidth &&
                    config->heads <= language::kMostHeads && config->key_heads > 0 &&
                    config->heads % config->key_heads == 0 &&
                    config->windows.size() == config->layers,
                "sizes are within their limits and fit each other");
  const auto model = certificate::result_of(
      [&] { return language::read_model(*config, language::Tensors{}, "model"); });
  fuzz::require(!model, "a model without tensors is refused");
  fuzz::require_complete(model.error());
  return 0;
}
