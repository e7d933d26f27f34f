// What is drawn from a text, and what stands in for it.
#include "language_training/corpus.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <vector>

namespace sinkproof::language_training {
namespace {

// Byte i of the text is i mod 251: from two neighbours one sees where a sequence was taken.
Corpus counting_text(std::size_t size) {
  Corpus corpus;
  for (std::size_t i = 0; i < size; ++i) corpus.bytes.push_back(static_cast<char>(i % 251));
  return corpus;
}

constexpr std::uint32_t kSequences = 200;

std::vector<std::uint16_t> drawn(const Decoder& decoder, const Data& data,
                                 Part part = Part::kTraining, std::uint64_t step = 3) {
  std::vector<std::uint16_t> tokens(kSequences * (decoder.length + 1));
  draw_tokens(counting_text(2000), decoder, {data, part, 7, step, kSequences}, tokens.data());
  return tokens;
}

Decoder of_length(std::size_t length) {
  Decoder decoder;
  decoder.length = length;
  return decoder;
}

// The positions, from 1, at which two drawings differ in some sequence.
std::set<std::size_t> differences(const std::vector<std::uint16_t>& a,
                                  const std::vector<std::uint16_t>& b, std::size_t length) {
  std::set<std::size_t> positions;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) positions.insert(i % (length + 1) + 1);
  }
  return positions;
}

}  // namespace

TEST_CASE("Sequences are pieces of the training part, or of its first bytes") {
  const Decoder decoder = of_length(9);
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{10}, std::uint64_t{40}}) {
    const auto tokens = drawn(decoder, {bytes, {}});
    std::set<std::uint16_t> starts;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (i % 10 == 0) {
        starts.insert(tokens[i]);
      } else {
        CHECK(tokens[i] == (tokens[i - 1] + 1) % 251);
      }
    }
    const std::size_t places = bytes == 0 ? 251 : bytes - 9;
    CHECK(starts.size() <= places);
    CHECK(starts.size() > places / 3);
    if (bytes != 0) CHECK(*starts.rbegin() < places);
  }
}

TEST_CASE("Random positions change those tokens in training, and nothing else") {
  const Decoder decoder = of_length(9);
  const auto plain = drawn(decoder, {});
  const auto random = drawn(decoder, {0, {2, 3}});
  CHECK(differences(plain, random, 9) == std::set<std::size_t>{2, 3});
  std::set<std::uint16_t> seen;
  for (std::size_t at = 1; at < random.size(); at += 10) seen.insert(random[at]);
  CHECK(seen.size() > 100);
  CHECK(*seen.rbegin() < kBytes);
  CHECK(drawn(decoder, {0, {2, 3}}) == random);
  CHECK(drawn(decoder, {0, {2, 3}}, Part::kTraining, 4) != random);
  CHECK(drawn(decoder, {0, {2, 3}}, Part::kHeldOut) == drawn(decoder, {}, Part::kHeldOut));
}

TEST_CASE("A fixed position holds BOS in training and in what is held out") {
  Decoder decoder = of_length(9);
  for (const Part part : {Part::kTraining, Part::kHeldOut}) {
    decoder.fixed = 0;
    const auto plain = drawn(decoder, {}, part);
    decoder.fixed = 3;
    const auto fixed = drawn(decoder, {}, part);
    CHECK(differences(plain, fixed, 9) == std::set<std::size_t>{3});
    for (std::size_t at = 2; at < fixed.size(); at += 10) CHECK(fixed[at] == kBos);
  }
  CHECK(decoder.vocabulary() == kBytes + 1);
}

TEST_CASE("Positions as text") {
  for (const char* const text : {"0", "1", "2-5"}) {
    const auto positions = parse_positions(text);
    REQUIRE(positions);
    CHECK(text_of(*positions) == text);
  }
  CHECK(parse_positions("4-4")->last == 4);
  for (const char* const text : {"", "-", "2-", "-2", "5-2", "0-2", "1,2", "one"}) {
    INFO(text);
    CHECK_FALSE(parse_positions(text));
  }
}

}  // namespace sinkproof::language_training
