// Heads small enough that all their inputs can be tried, with the certificates the certify library
// makes for them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "attention/head.hpp"
#include "json/strict.hpp"

namespace sinkproof::test {

struct SmallHead {
  std::string name;
  bool softmax;             // else relu
  check::Head head;         // its matrices, of unit tokens
  std::string model_bytes;  // a checkpoint of them in safetensors form
  json::Value certificate;  // all properties that apply, as read back from its canonical text
};

// A checkpoint of one head with these matrices, and a certificate of nothing about it.
SmallHead head_of(const std::string& name, bool softmax, std::size_t length,
                  const exact::RationalMatrix& logit, const exact::RationalMatrix& value,
                  const certificate::Interval& noise = {-1, 1});

// Softmax heads close to the ideal BOS switch (the theorems apply) and far from it (they do not),
// ReLU heads close to tc-6's, with content rows that attend to all or to the trigger only, and with
// scores of both signs; some of them over other boxes than [-1,1]. All with d_model 4, made once.
const std::vector<SmallHead>& small_heads();

// `head`'s certificate with the named properties only.
json::Value only(const SmallHead& head, const std::vector<std::string>& names);

// `ranges` of the certificate are there exactly where a proof rests on them.
json::Value settled(json::Value certificate, const json::Value& ranges);

// "accepted", or why not: "where: what".
std::string refusal(const json::Value& certificate, const SmallHead& head);

// For each property with bounds, the most extreme value over a grid of inputs that holds all
// vertices of the box, every row and every trigger position: an estimate in doubles, from inside.
std::map<std::string, double> extremes(const SmallHead& head);

}  // namespace sinkproof::test
