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
  const TemporaryFolder folder;
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
  CHECK(count(*page, "query 2, key 1: a ≈ 0.25<") == 1);
  CHECK(count(*page, "data-of=\"0/0/0 0/0/1\"") == 1);
}

TEST_CASE("Maps of all sequences are read, and those that look alike in two of them drawn twice") {
  const std::vector<double> same = {1, 0, .25, .75, 1, 0, .25, .75};
  const auto heads = heads_of(npy_of({2, 1, 1, 2, 2}, same));
  REQUIRE(heads.size() == 2);
  CHECK(heads[1].sequence == 1);
  const std::string section = attention_section(heads, {});
  CHECK(count(section, "data-of=\"0/0/0\"") == 1);
  CHECK(count(section, "data-of=\"1/0/0\"") == 1);
  CHECK(count(section, "<option value=\"1\">1</option>") ==
        1);  // of sequences; one layer, one head
  CHECK(count(section, "<h3>Sequence 1, layer 0</h3>") == 1);
}

TEST_CASE("Rows and columns carry the tokens, and what they hold cannot become markup") {
  const auto heads = heads_of(npy_of({1, 1, 2, 2}, {1, 0, .25, .75}));
  const std::string section = attention_section(heads, {{"<s>", " a|b and more"}});
  CHECK(count(section, ">&lt;s&gt;</text>") == 2);    // a row and a column
  CHECK(count(section, ">·a|b·and·m…</text>") == 2);  // ten characters
  CHECK(count(section, "data-rows=\"1 “&lt;s&gt;”|2 “ a∣b and more”\"") == 1);
  CHECK(count(section, "query 2 “ a|b and more”, key 1 “&lt;s&gt;”: a ≈ 0.25<") == 1);
  // Of tokens that are not known, positions.
  CHECK(count(attention_section(heads, {{}}), "query 2, key 1: a ≈ 0.25<") == 1);
}

TEST_CASE("A page draws as many maps as fit and says how many it leaves out") {
  constexpr std::size_t kSide = 64;
  constexpr std::size_t kMaps = 60;
  std::vector<double> weights(kMaps * kSide * kSide);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<double>((i * 2654435761U) % 1000) / 1000;
  }
  const std::string section =
      attention_section(heads_of(npy_of({1, kMaps, kSide, kSide}, weights)), {});
  const std::size_t drawn = kMostCells / (kSide * kSide);
  CHECK(drawn < kMaps);
  CHECK(count(section, "data-of=") == drawn);
  CHECK(count(section, "The page shows " + std::to_string(drawn) + " of 60 maps.") == 1);
}
