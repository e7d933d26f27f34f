#include "certificate/box.hpp"

#include <utility>

#include "certificate/fields.hpp"

namespace sinkproof::certificate {

Box read_box(const json::Value& entry, std::size_t noise) {
  constexpr std::size_t kMaxCharacters = 100;
  require(entry.is_array() && (entry.size() == 1 || entry.size() == noise), "box",
          "must be one interval, or one for each noise coordinate");
  exact::Integer common = 1;
  const exact::RationalMatrix ends = read_tokens(entry, entry.size(), 2, common, "box");
  for (const exact::Rational& end : ends.values()) {
    require(exact::to_string(end).size() <= kMaxCharacters, "box",
            "has numbers of more than 100 characters");
  }
  Box box{{}};
  for (std::size_t l = 0; l < ends.rows(); ++l) {
    require(ends(l, 0) <= ends(l, 1), "box", "has an interval with nothing in it");
    box.intervals.push_back({ends(l, 0), ends(l, 1)});
  }
  return box;
}

exact::RationalMatrix token_map(std::size_t n, const Box& box) {
  exact::RationalMatrix identity(n, n);
  for (std::size_t r = 0; r < n; ++r) identity(r, r) = 1;
  return of_unit_tokens(std::move(identity), box);
}

exact::RationalMatrix of_unit_tokens(exact::RationalMatrix maps, const Box& box) {
  const std::size_t content = maps.columns() - 1;
  for (std::size_t i = 0; i < maps.rows(); ++i) {
    for (std::size_t c = kNoise; c < content; ++c) {
      const exact::Rational shift = box.centre(c - kNoise) * maps(i, c);
      maps(i, kTriggerFlag) += shift;
      maps(i, content) += shift;
      maps(i, c) *= box.radius(c - kNoise);
    }
  }
  return maps;
}

}  // namespace sinkproof::certificate
