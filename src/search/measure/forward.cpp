#include "measure/forward.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "forward/pass.hpp"
#include "measure/token_rows.hpp"
#include "model/forward_model.hpp"
#include "output/safetensors.hpp"
#include "rounded/double.hpp"

namespace sinkproof::measure {
namespace {

// The middles of row `begin` and the following. False when one is beyond the range of doubles.
bool store(const forward::Balls& rows, unsigned p, std::size_t begin, Rows& out) {
  const exact::Integer unit = exact::Integer(1) << p;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.columns(); ++j) {
      out(begin + i, j) =
          rounded::to_double_estimate(exact::make_rational(rows.centre(i, j), unit));
      if (!std::isfinite(out(begin + i, j))) return false;
    }
  }
  return true;
}

// Whether the middles are the rows to 60 bits of their largest number, or of 1.
bool is_precise(const forward::Balls& rows, unsigned p) {
  constexpr unsigned kBits = 60;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    exact::Integer size = exact::Integer(1) << p;
    for (std::size_t j = 0; j < rows.columns(); ++j) {
      size = std::max(size, exact::Integer(abs(rows.centre(i, j))));
    }
    if (rows.radius[i] << kBits > size) return false;
  }
  return true;
}

// One sequence through the stack, at the first precision that tells its rows precisely. False when
// none does, or a double ends.
bool run(const forward::Prepared& prepared, const exact::RationalMatrix& sequence,
         std::size_t begin, std::vector<Rows>& states) {
  constexpr unsigned kPrecisions[] = {128, 512, 2048};
  for (const unsigned p : kPrecisions) {
    bool finite = true;
    bool precise = true;
    const auto keep = [&](std::size_t layer, const forward::Balls& inputs) {
      finite = store(inputs, p, begin, states[layer]) && finite;
      precise = precise && is_precise(inputs, p);
    };
    const auto out = forward::pass(prepared, sequence, 1, p, {}, keep);
    if (out && precise) return finite;
  }
  return false;
}

safetensors::Tensor tensor_of(const Rows& rows) {
  std::vector<double> values;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.columns(); ++j) values.push_back(rows(i, j));
  }
  return output::float64_tensor({rows.rows(), rows.columns()}, values);
}

}  // namespace

exact::Result<std::vector<Rows>> forward(const model::AttentionModel& model,
                                         const DyadicMatrix& tokens, std::size_t length) {
  if (tokens.columns() != model.d_model) {
    return exact::fail("SP1505", "the tokens",
                       "rows of " + std::to_string(tokens.columns()) +
                           " numbers, but the model's d_model is " + std::to_string(model.d_model));
  }
  const forward::Model exact_model = model::forward_model(model);
  const forward::Prepared prepared(exact_model);
  std::vector<Rows> states(model.layers.size() + 1, Rows(tokens.rows(), tokens.columns()));
  std::size_t begin = 0;
  for (const exact::RationalMatrix& sequence : sequences_of(tokens, length)) {
    if (!run(prepared, sequence, begin, states)) {
      return exact::fail(
          "SP1510", "the forward pass",
          "has a value beyond the range of doubles, or one that 2048 bits do not determine, so "
          "there are no rows to measure; scale the weights or the rows down");
    }
    begin += length;
  }
  return states;
}

exact::Result<NamedFile> stack_inputs(const model::AttentionModel& model,
                                      const DyadicMatrix& tokens, std::size_t length,
                                      std::map<std::string, std::string> metadata,
                                      std::string path) {
  const auto states = forward(model, tokens, length);
  if (!states) return tl::unexpected(states.error());
  safetensors::Contents contents;
  contents.metadata = std::move(metadata);
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    contents.tensors["layers." + std::to_string(l) + ".input"] = tensor_of((*states)[l]);
  }
  contents.tensors["output"] = tensor_of(states->back());
  return named_file(std::move(path), output::serialize(contents));
}

}  // namespace sinkproof::measure
