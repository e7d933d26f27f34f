// Heads small enough that all their inputs can be tried, with the certificates the certify library
// makes for them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "check/head.hpp"
#include "json/strict.hpp"

namespace sinkproof::test {

struct SmallHead {
  std::string name;
  check::Head head;
  json::Value certificate;  // all properties that apply, as read back from its canonical text
};

// Softmax heads close to the ideal BOS switch (the theorems apply) and far from it (they do not),
// ReLU heads close to tc-6's, with content rows that attend to all or to the trigger only, and with
// scores of both signs. All with d_model 4, made once.
const std::vector<SmallHead>& small_heads();

// `head`'s certificate with the named properties only.
json::Value only(const SmallHead& head, const std::vector<std::string>& names);

// "accepted", or why not: "where: what".
std::string refusal(const json::Value& certificate, const check::Head& head);

// For each property with bounds, the most extreme value over a grid of inputs that holds all
// vertices of the box, every row and every trigger position: an estimate in doubles, from inside.
std::map<std::string, double> extremes(const check::Head& head);

}  // namespace sinkproof::test
