#include "forward/drawn.hpp"

#include "certificate/checkpoint.hpp"
#include "certificate/sha256.hpp"

namespace sinkproof::forward {
namespace {

constexpr std::uint32_t kWords = 65536;

}  // namespace

std::uint32_t DigestWords::operator()() {
  if (used_ == digest_.size()) {
    digest_ = certificate::sha256_hex(key_ + std::to_string(block_++) + "\n");
    used_ = 0;
  }
  std::uint32_t word = 0;
  for (int digit = 0; digit < 4; ++digit) {
    const char c = digest_[used_++];
    word = 16 * word + static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return word;
}

DrawnSequence drawn_sequence(const std::string& key, const GridLaw& law, bool up_to_trigger) {
  DigestWords next(key);
  const auto choices = static_cast<std::uint32_t>(law.last_trigger - law.first_trigger + 1);
  std::uint32_t word = next();
  while (word >= choices * (kWords / choices)) word = next();
  DrawnSequence drawn;
  drawn.trigger = law.first_trigger + word % choices;
  const std::size_t rows = up_to_trigger ? drawn.trigger : law.length;
  drawn.tokens = exact::RationalMatrix(rows, law.width);
  drawn.tokens(0, certificate::kBosFlag) = 1;
  for (std::size_t i = 1; i < rows; ++i) {
    const bool trigger = i + 1 == drawn.trigger;
    drawn.tokens(i, trigger ? certificate::kTriggerFlag : law.width - 1) = 1;
    for (std::size_t c = certificate::kNoise; c < law.width - 1; ++c) {
      const std::int64_t numerator = 2 * static_cast<std::int64_t>(next()) + 1 - kWords;
      const std::size_t l = c - certificate::kNoise;
      drawn.tokens(i, c) =
          law.box.centre(l) + law.box.radius(l) * exact::make_rational(numerator, kWords);
    }
  }
  return drawn;
}

std::string random_key(const std::string& model_sha256, const GridLaw& law) {
  return "sinkproof random\n" + model_sha256 + "\n" + std::to_string(law.length) + "\n" +
         std::to_string(law.first_trigger) + "\n" + std::to_string(law.last_trigger) + "\n";
}

std::string given_key(const std::string& model_sha256, std::size_t length, std::uint64_t seed,
                      std::size_t index) {
  return "sinkproof inputs\n" + model_sha256 + "\n" + std::to_string(length) + "\n" +
         std::to_string(seed) + "\n" + std::to_string(index) + "\n";
}

}  // namespace sinkproof::forward
