#include "model/reading.hpp"

namespace sinkproof::model {

certificate::ModelReading reading_of(const AttentionModel& model) {
  certificate::ModelReading reading;
  reading.sha256 = model.sha256;
  reading.attention = model.attention;
  reading.d_model = model.d_model;
  reading.num_heads = model.num_heads;
  reading.head_width = model.layers.front().query.rows() / model.num_heads;
  reading.num_layers = model.layers.size();
  reading.residual = model.residual;
  reading.scale = model.scale;
  reading.overrides = model.overrides;
  return reading;
}

}  // namespace sinkproof::model
