#include "certificate/box.hpp"

#include <utility>

#include "certificate/numbers.hpp"

namespace sinkproof::certificate {

void describe_box(Fields& io, const Key& key, Box& of, std::size_t noise) {
  constexpr std::size_t kMaxCharacters = 100;
  const std::string what = "must be one interval, or one for each noise coordinate";
  exact::Integer common = 1;
  io.list(key, of.intervals, {1, noise, what}, [&](Fields& list, const Key& at, Interval& one) {
    list.array(at, 2, {2, 2, "must be 2 numbers"}, [&](Fields& ends, std::size_t) {
      ends.short_number(0, one.least, kMaxCharacters);
      ends.short_number(1, one.greatest, kMaxCharacters);
      for (const exact::Rational* end : {&one.least, &one.greatest}) {
        require_short(ends, common, *end);
      }
      ends.require(one.least <= one.greatest, "has an interval with nothing in it");
    });
  });
  io.require_of(key, of.intervals.size() == 1 || of.intervals.size() == noise, what);
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
