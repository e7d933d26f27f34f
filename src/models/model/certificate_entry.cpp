#include "model/certificate_entry.hpp"

namespace sinkproof::model {

json::Value certificate_entry(const AttentionModel& model) {
  return {{"attention", to_string(model.attention)},
          {"d_model", model.d_model},
          {"head_width", model.layers.front().query.rows() / model.num_heads},
          {"num_heads", model.num_heads},
          {"num_layers", model.layers.size()},
          {"overrides", model.overrides},
          {"residual", model.residual},
          {"scale", exact::to_string(model.scale)},
          {"sha256", model.sha256}};
}

}  // namespace sinkproof::model
