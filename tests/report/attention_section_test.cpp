#include "report/attention_section.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <limits>

#include "heads.hpp"
#include "language_audits.hpp"
#include "markup.hpp"
#include "report/page.hpp"

using namespace sinkproof;
using namespace sinkproof::report;
using namespace sinkproof::report::test;

namespace {

std::string npy_of(const std::vector<std::size_t>& shape, const std::vector<double>& values) {
  std::string bytes = npy::float64_header(shape);
  const std::size_t start = bytes.size();
  bytes.resize(start + values.size() * sizeof(double));
  std::memcpy(bytes.data() + start, values.data(), values.size() * sizeof(double));
  return bytes;
}

std::string code_of(const std::string& bytes) {
  const auto view = npy::view_float64(bytes, "a.npy");
  if (!view) return view.error().code;
  const auto heads = read_attention(*view, "a.npy");
  return heads ? "none" : heads.error().code;
}

std::vector<HeadAttention> heads_of(const std::string& bytes) {
  const auto view = npy::view_float64(bytes, "a.npy");
  REQUIRE(view);
  auto heads = read_attention(*view, "a.npy");
  REQUIRE(heads);
  return std::move(*heads);
}

std::size_t count(const std::string& in, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = in.find(part); at != std::string::npos; at = in.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("Attention is read by layer and head, of the first sequence") {
  const std::vector<double> one = {1, 0, .25, .75, 1, 0, .5, .5};
  const auto heads = heads_of(npy_of({1, 2, 2, 2}, one));
  REQUIRE(heads.size() == 2);
  CHECK(heads[1].layer == 0);
  CHECK(heads[1].head == 1);
  CHECK(heads[1].weights == std::vector<double>{1, 0, .5, .5});
  std::vector<double> two = one;
  two.insert(two.end(), {1, 0, .125, .875, 1, 0, 0, 1});
  CHECK(heads_of(npy_of({2, 1, 2, 2, 2}, two))[0].weights == heads[0].weights);
}

TEST_CASE("Of positions that share a cell the largest weight is kept, the first has its own") {
  constexpr std::size_t kSide = 200;
  std::vector<double> weights(kSide * kSide, 0.001);
  weights[199 * kSide] = 0.9;
  weights[150 * kSide + 140] = -0.8;
  const auto heads = heads_of(npy_of({1, 1, kSide, kSide}, weights));
  const HeadAttention& head = heads.front();
  const std::size_t side = head.places.size();
  REQUIRE(side <= kMostSide);
  CHECK(head.places.front().last == 0);
  CHECK(head.weights[(side - 1) * side] == 0.9);
  CHECK(std::count(head.weights.begin(), head.weights.end(), -0.8) == 1);
}

TEST_CASE("What is not an attention is refused") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(code_of(npy_of({1, 1, 1, 2}, {1, 2})) == "SP2109");
  CHECK(code_of(npy_of({1, 1, 1}, {1})) == "SP2109");
  CHECK(code_of(npy_of({1, 1, 1, 1}, {infinity})) == "SP2109");
  CHECK(code_of(npy_of({1, 1025, 1, 1}, std::vector<double>(1025, 1))) == "SP2109");
  CHECK(code_of(npy_of({1, 1, 1, 1}, {1})) == "none");
  std::string short_of_data = npy_of({1, 1, 1, 1}, {1});
  short_of_data.pop_back();
  CHECK(code_of(short_of_data) == "SP2104");
  std::string integers = npy_of({1, 1, 1, 1}, {1});
  integers.replace(integers.find("<f8"), 3, "<i8");
  CHECK(code_of(integers) == "SP2104");
}

TEST_CASE("A page draws heads that look alike once, and calls them estimates") {
  const Folder folder("attention");
  certificate::Language language = language_model(folder / "config.json");
  language.sequences = {{1, 2}};
  language.statements = {stated(certificate::LanguageReadout::kAlpha, 0, kLayers * kHeads, 0, 0)};
  Options options;
  options.attention =
      heads_of(npy_of({1, 3, 2, 2}, {1, 0, .25, .75, 1, 0, .2501, .7499, 1, 0, .75, .25}));
  const auto page = html({input_of(language, folder / "c.json", folder / "config.json")}, options);
  REQUIRE(page);
  CHECK(first_fault(*page) == "");
  CHECK(count(*page, "id=\"attention-0-") == 2);
  CHECK(count(*page, " layer 0, head 1: no weight") == 1);
  CHECK(count(*page, "<span class=\"tag\">estimate, not proved</span>") == 2);
  CHECK(count(*page, "row 2, key 1: a ≈ 0.25<") == 1);
}
