#include "report/attention_map.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "heads.hpp"
#include "report/colour_scale.hpp"
#include "report/heat_map.hpp"

using namespace sinkproof::report;
using namespace sinkproof::report::test;

namespace {

using Tokens = std::vector<std::vector<double>>;

// A head with nothing special about it, width 4.
Head plain_head(bool softmax) {
  Head head{softmax, 4, {}, {}};
  for (int i = 0; i < 16; ++i) {
    head.query.push_back(((i * 7) % 11 - 5) / 4.0);
    head.key.push_back(((i * 5) % 13 - 6) / 8.0);
  }
  return head;
}

Tokens plain_tokens(std::size_t length) {
  Tokens tokens = {{1, 0, 0, 0}};
  for (std::size_t i = 2; i <= length; ++i) {
    const double noise = static_cast<double>(i * 37 % 17) / 8 - 1;
    tokens.push_back(i == 4 ? std::vector<double>{0, 1, noise, 0}
                            : std::vector<double>{0, 0, noise, 1});
  }
  return tokens;
}

// x^T W_Q^T W_K y, summed over all four indices in long double: another order, another precision.
long double logit(const Head& head, const std::vector<double>& x, const std::vector<double>& y) {
  long double sum = 0;
  for (std::size_t out = 0; out < 4; ++out) {
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < 4; ++b) {
        sum +=
            static_cast<long double>(x[a]) * head.query[out * 4 + a] * head.key[out * 4 + b] * y[b];
      }
    }
  }
  return sum;
}

long double reference(const Head& head, const Tokens& tokens, std::size_t row, std::size_t key) {
  const auto at = [&](std::size_t k) { return logit(head, tokens[row - 1], tokens[k - 1]); };
  if (!head.softmax) {
    return std::max(0.0L, at(key)) / static_cast<long double>(row == 1 ? 1 : row - 1);
  }
  long double sum = 0;
  for (std::size_t k = 1; k <= row; ++k) sum += std::exp(at(k));
  return std::exp(at(key)) / sum;
}

AttentionMap map_of(const Head& head, const Tokens& tokens, std::size_t trigger, std::size_t row) {
  const auto map = attention_map(head, {trigger, row, tokens});
  REQUIRE(map.has_value());
  return *map;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("Every weight of a map is the reference's") {
  for (const bool softmax : {true, false}) {
    const Head head = plain_head(softmax);
    const Tokens tokens = plain_tokens(7);
    const AttentionMap map = map_of(head, tokens, 4, 6);
    REQUIRE(map.weights.size() == 7);
    double total = 0;
    for (std::size_t row = 1; row <= 7; ++row) {
      REQUIRE(map.weights[row - 1].size() == row);
      for (std::size_t key = 1; key <= row; ++key) {
        INFO("softmax " << softmax << ", row " << row << ", key " << key);
        const double weight = map.weights[row - 1][key - 1];
        CHECK(weight ==
              Approx(static_cast<double>(reference(head, tokens, row, key))).epsilon(1e-12));
        total += weight;
      }
    }
    CHECK(total > 0.5);
  }
}

TEST_CASE("The titles of the cells say the reference's values") {
  const Head head = plain_head(true);
  const Tokens tokens = plain_tokens(5);
  const std::string figure = heat_map(map_of(head, tokens, 4, 4), {0}, "sup-loss.trigger");
  CHECK(occurrences(figure, "<title>row ") == 15);
  for (std::size_t row = 1; row <= 5; ++row) {
    for (std::size_t key = 1; key <= row; ++key) {
      char expected[80];
      std::snprintf(expected, sizeof expected, "<title>row %zu, key %zu: a = %.4g</title>", row,
                    key, static_cast<double>(reference(head, tokens, row, key)));
      CHECK(occurrences(figure, expected) == 1);
    }
  }
}

TEST_CASE("Logits far apart neither overflow nor lose the sum") {
  Head head = plain_head(true);
  for (double& weight : head.query) weight *= 1e5;
  const Tokens tokens = plain_tokens(6);
  for (const double sign : {1.0, -1.0}) {
    for (double& weight : head.query) weight *= sign;
    double largest = -1e300;
    for (const auto& token : tokens) {
      largest = std::max(largest, static_cast<double>(logit(head, tokens[5], token)));
    }
    REQUIRE(std::abs(largest) > 800);  // exp of it is no finite double, or 0
    const auto weights = attention_row(head, tokens, 6);
    CHECK(std::accumulate(weights.begin(), weights.end(), 0.0) == Approx(1).epsilon(1e-12));
  }
  for (double& weight : head.query) weight *= 1e305;
  const auto map = attention_map(head, {4, 6, plain_tokens(6)});
  REQUIRE_FALSE(map.has_value());
  CHECK(map.error().code == "SP1204");
}

TEST_CASE("A long input is drawn around the witness row, and the map says so") {
  CHECK(shown_positions(128, 60, 100).size() == 128);
  const auto positions = shown_positions(1000, 60, 500);
  std::vector<std::size_t> expected = {1, 60};
  for (std::size_t p = 484; p <= 516; ++p) expected.push_back(p);
  CHECK(positions == expected);
  CHECK(shown_positions(129, 4, 3).size() == 19);
  CHECK(shown_positions(129, 4, 129).size() == 19);

  const Head head = plain_head(true);
  const Tokens tokens = plain_tokens(150);
  const AttentionMap map = map_of(head, tokens, 4, 100);
  CHECK_FALSE(map.whole());
  const double corner = map.weights.back().back();
  CHECK(corner == Approx(static_cast<double>(reference(head, tokens, 116, 116))).epsilon(1e-12));
  const std::string figure = heat_map(map, {0}, "sup-loss.pre");
  CHECK(figure.find("Length 150: only BOS, the trigger and the positions around") !=
        std::string::npos);
  CHECK(occurrences(figure, "class=\"gap\"") == 2);
  CHECK(heat_map(map_of(head, plain_tokens(20), 4, 7), {0}, "x").find("only BOS") ==
        std::string::npos);
}

TEST_CASE("Five maps of the greatest whole length stay far below the page's two megabytes") {
  const Head head = plain_head(true);
  for (const std::size_t length : {kCellTitles, kWholeMap}) {
    const auto map = map_of(head, plain_tokens(length), 4, length);
    const std::string figure = heat_map(map, {0}, "sup-loss.post");
    INFO("length " << length << ": " << figure.size() << " bytes");
    CHECK(figure.size() * 5 < 1'800'000);
    CHECK(occurrences(figure, "<title>") ==
          (length == kCellTitles ? length * (length + 1) / 2 : length));
    const std::string square = length == kCellTitles ? "h4v4h-4z" : "h2v2h-2z";
    CHECK(occurrences(figure, square) == length * (length + 1) / 2);
  }
}

TEST_CASE("A map marks the sink, the trigger and the witness, and can be reached by keyboard") {
  const std::string figure = heat_map(map_of(plain_head(true), plain_tokens(8), 4, 6), {0}, "<b>");
  CHECK(figure.find(R"(<figure class="map" tabindex="0" aria-label="Attention on the witness of )"
                    "&lt;b&gt;\">") == 0);
  // Cells are 10 apart from (34, 20); outlines begin half a unit before.
  CHECK(occurrences(figure, R"(class="sink" x="33.5" y="19.5" width="10" height="80")") == 1);
  CHECK(occurrences(figure, R"(class="trigger" x="33.5" y="49.5" width="40" height="10")") == 1);
  CHECK(occurrences(figure, R"(class="trigger" x="63.5" y="49.5" width="10" height="50")") == 1);
  CHECK(occurrences(figure, R"(class="witness" d="M32 74.5)") == 1);
  CHECK(occurrences(figure, "role=\"img\" aria-label=\"Causal attention matrix") == 1);
  CHECK(occurrences(figure,
                    "<desc>Causal attention matrix of an input of length 8, trigger at "
                    "position 4. Estimates in double precision.") == 1);
  CHECK(occurrences(figure, ">estimate<") == 1);
}

TEST_CASE("Colours follow the logarithm, and zero has its own look") {
  const ColourScale scale = scale_for(1);
  CHECK(scale.top == 0);
  CHECK(scale_for(0.01).top == 0);
  CHECK(scale_for(1.5).top == 1);
  CHECK(scale_for(10).top == 1);
  CHECK(level(scale, 1) == kLevels - 1);
  CHECK(level(scale, 1e-3 * 1.01) == kLevels / 2);
  CHECK(level(scale, 1e-3 * 0.99) == kLevels / 2 - 1);
  CHECK(level(scale, 1e-9) == 0);
  CHECK(level(scale, 7) == kLevels - 1);
  CHECK(colour_class(scale, 0) == "z");
  CHECK(colour_class(scale, 1) == "c35");
  int last = 0;
  for (int step = 0; step < 60; ++step) {
    const int next = level(scale, 1e-6 * std::pow(1.26, step));
    CHECK(next >= last);
    last = next;
  }
  CHECK(last == kLevels - 1);
  const std::string rules = colour_rules();
  CHECK(rules.find(".c0{fill:#440154}") == 0);
  CHECK(rules.find(".c35{fill:#fde725}") != std::string::npos);
}

TEST_CASE("A head is read only from the very file the certificate names") {
  const Folder folder("head");
  write_head(folder / "sink.safetensors", sink_head(3), 6);
  const Input input = certified(folder / "sink.safetensors");
  auto certificate = read_checkpoint(input.certificate, "sink.json").value();
  const auto head = load_head(*input.model, certificate);
  REQUIRE(head.has_value());
  CHECK(head->softmax);
  CHECK(head->query[3] == 3);
  CHECK(head->key[0] == 1);
  // The closed form of docs/THEORY.md tc-5: e^b/(e^b + i - 1).
  const auto row = attention_row(*head, plain_tokens(6), 3);
  CHECK(row[0] == Approx(std::exp(3.0) / (std::exp(3.0) + 2)).epsilon(1e-12));
  write_head(folder / "sink.safetensors", sink_head(4), 6);
  const auto other = load_head(*input.model, certificate);
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().code == "SP1203");
  CHECK(load_head(folder / "absent.safetensors", certificate).error().code == "SP0201");
}
