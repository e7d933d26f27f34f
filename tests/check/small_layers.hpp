// Layers of every kind of attention, small enough that all their vertices can be tried, with the
// certificates the certify library makes for them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "json/strict.hpp"

namespace sinkproof::test {

struct SmallLayer {
  std::string name;
  std::string model_bytes;  // a checkpoint in safetensors form, d_model 4
  json::Value certificate;  // all properties that apply, as read back from its canonical text
};

// Every kind, with one head and with two, with and without biases; made once.
const std::vector<SmallLayer>& small_layers();

// "accepted", or why not: "where: what".
std::string refusal(const json::Value& certificate, const SmallLayer& layer);

// The least and the greatest value of each property over a grid of inputs that holds all vertices
// of the box and some points inside, every row and trigger position: estimates in doubles, from
// the tensors as PyTorch would compute them. For losses only `greatest` is meaningful.
struct Extremes {
  double least;
  double greatest;
};
std::map<std::string, Extremes> extremes(const SmallLayer& layer);

}  // namespace sinkproof::test
