#include "certificate/model_reading.hpp"

#include "certificate/schema.hpp"

namespace sinkproof::certificate {

void describe(Fields& io, ModelReading& of) {
  constexpr std::size_t kMaxWidth = 4096;
  constexpr std::size_t kMaxHeads = 64;
  constexpr std::size_t kMaxWide = 65536;
  constexpr std::size_t kMaxLayers = 64;
  constexpr std::size_t kMaxCharacters = 100;  // of the scale
  io.hash(of.sha256);
  std::string name = to_string(of.attention);
  io.text("attention", name);
  const AttentionKind* kind = find_attention(name);
  io.require_of("attention", kind != nullptr, "no attention of that name");
  if (io.reads()) of.attention = kind->attention;
  io.count("d_model", of.d_model, 1, kMaxWidth);
  io.count("num_heads", of.num_heads, 1, kMaxHeads);
  io.count("head_width", of.head_width, 1, kMaxWidth);
  io.require_of("head_width", of.num_heads * of.head_width <= kMaxWide,
                "times num_heads must be at most 65536");
  io.count("num_layers", of.num_layers, 1, kMaxLayers);
  io.flag("residual", of.residual);
  io.short_number("scale", of.scale, kMaxCharacters);
  io.require_of("scale", of.scale > 0, "must be positive");
  io.texts("overrides", of.overrides);
}

}  // namespace sinkproof::certificate
