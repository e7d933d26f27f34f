#include "estimate/saved_rows.hpp"

#include <string>
#include <utility>
#include <vector>

#include "estimate/normalise.hpp"
#include "estimate/pass.hpp"
#include "output/safetensors.hpp"

namespace sinkproof::estimate {
namespace {

safetensors::Tensor tensor_of(const Rows& rows) {
  std::vector<double> values;
  values.reserve(rows.rows * rows.columns);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    values.insert(values.end(), rows.row(i), rows.row(i) + rows.columns);
  }
  return output::float64_tensor({rows.rows, rows.columns}, values);
}

}  // namespace

exact::Result<safetensors::Contents> saved_rows(const language::Model& model, const Tokens& tokens,
                                                unsigned threads) {
  safetensors::Contents contents;
  Observer observer;
  observer.hidden = [&](std::size_t layer, const Rows& rows) {
    const std::string name = "layers." + std::to_string(layer);
    const bool last = layer == model.config.layers;
    contents.tensors[last ? "output" : name + ".input"] = tensor_of(rows);
    if (last) return;
    Matrix normed;
    if (!attention_inputs(model, layer, rows, normed)) {
      throw exact::Error{"SP0405", name,
                         "its attention norm has a weight that is a NaN or infinite"};
    }
    contents.tensors[name + ".normed"] = tensor_of(normed.view());
  };
  observer.head = [&](const HeadRows& rows) {
    const std::string name =
        "layers." + std::to_string(rows.layer) + ".heads." + std::to_string(rows.head);
    contents.tensors[name + ".keys"] = tensor_of(rows.keys);
    contents.tensors[name + ".values"] = tensor_of(rows.values);
    contents.tensors[name + ".outputs"] = tensor_of(rows.outputs);
  };
  const std::vector<Run> runs = {Run{tokens, {}}};
  if (auto done = pass(model, runs, observer, threads); !done) {
    return tl::unexpected(done.error());
  }
  return contents;
}

}  // namespace sinkproof::estimate
