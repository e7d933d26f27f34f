#include "certify/witness.hpp"

#include "certify/head.hpp"
#include "rounded/double.hpp"

namespace sinkproof::certify {

Witness witness_at(std::size_t width, const certificate::Box& box, std::size_t length,
                   std::size_t trigger, std::size_t row, std::span<const double> noise) {
  const std::size_t d = width - 3;
  Witness witness;
  witness.trigger = trigger;
  witness.row = row;
  for (std::size_t position = 1; position <= length; ++position) {
    std::vector<exact::Rational> token(width);
    const std::size_t content = position == trigger ? kTriggerFlag : width - 1;
    token[position == 1 ? kBosFlag : content] = 1;
    for (std::size_t k = 0; position > 1 && k < d; ++k) {
      exact::Rational& x = token[kFirstNoise + k] = box.centre(k);
      if (position <= row) x += box.radius(k) * rounded::from_double(noise[(position - 2) * d + k]);
    }
    witness.tokens.push_back(std::move(token));
  }
  return witness;
}

}  // namespace sinkproof::certify
