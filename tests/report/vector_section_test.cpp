// The page's section about given vectors: certificates the real checker judged, and families of
// instances of section 5.
#include <catch2/catch.hpp>
#include <functional>
#include <regex>
#include <tuple>

#include "certificate/envelope.hpp"
#include "certificate/schema.hpp"
#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "markup.hpp"
#include "model/sink_and_diagonal.hpp"
#include "output/replace.hpp"
#include "report/page.hpp"
#include "report/vector_file.hpp"
#include "rounded/decimal.hpp"
#include "vector_certificates.hpp"

using namespace sinkproof;
using namespace sinkproof::report;
using namespace sinkproof::report::test;
using exact::make_rational;
using exact::Rational;

namespace {

std::string page_of(const std::vector<Input>& inputs) {
  const auto page = html(inputs, {source("proofs")});
  INFO((page ? "" : page.error().where + ": " + page.error().what));
  REQUIRE(page.has_value());
  INFO(first_fault(*page));
  CHECK(first_fault(*page).empty());
  return *page;
}

std::string code_of(const Input& input) {
  const auto page = html({input}, {});
  return page ? "none" : page.error().code;
}

// Writes the certificate beside its vectors and asks the checker.
Input judged(const std::filesystem::path& path, const json::Value& certificate,
             const std::filesystem::path& file) {
  REQUIRE(output::replace(path, certificate::certificate_bytes(certificate)));
  Input input = checked(path, false);
  input.model = file;
  return input;
}

certificate::Pattern read_pattern(const json::Value& pattern) {
  return certificate::read<certificate::Pattern>(pattern, "t", std::size_t{11});
}

struct Orthonormal {
  TemporaryFolder folder;
  std::filesystem::path file = folder / "tokens.safetensors";
  json::Value certificate;
  Orthonormal() {
    const std::string hash = write_tokens(file, orthonormal_tokens(), "{\"made\":\"<by hand>\"}");
    certificate = vector_certificate(hash, orthonormal_properties());
  }
  [[nodiscard]] Input input() const {
    return judged(folder / "orthonormal.json", certificate, file);
  }
};

// What the closed forms of an instance say of a pattern, as an interval a certificate may state.
struct Instance {
  std::filesystem::path file;
  std::string hash;
  model::SinkAndDiagonal structure;

  Instance(const TemporaryFolder& folder, std::size_t rank)
      : file(folder / ("rank-" + std::to_string(rank) + ".safetensors")),
        hash(write_tokens(file, instance_tokens(rank))) {
    const auto diagonal = read_pattern(instance_pattern("diagonal", "1"));
    const Vectors vectors{"", {hash, "tokens", {}}, {Cost{diagonal, {0, 1}}}};
    const auto loaded = load_vectors(file, vectors);
    REQUIRE(loaded.has_value());
    const auto search = model::find_sink_and_diagonal(loaded->tokens, diagonal);
    INFO(search.why_not);
    REQUIRE(search.found.has_value());
    structure = *search.found;
    CHECK(structure.noise_rank == rank);
  }

  [[nodiscard]] exact::Enclosure closed(const std::string& kind, const Rational& margin) const {
    const auto pattern = read_pattern(instance_pattern(kind, "1"));
    const auto form = model::closed_form_cost(structure, pattern.kind, margin);
    return {rounded::round_down_decimal(form.lower.lower, 9),
            rounded::round_up_decimal(form.upper.upper, 9)};
  }

  [[nodiscard]] json::Value cost(const std::string& kind, const std::string& margin) const {
    return cost_property(instance_pattern(kind, margin),
                         closed(kind, exact::parse_rational(margin).value()));
  }

  [[nodiscard]] Input input(const TemporaryFolder& folder, const std::string& margin) const {
    const json::Value certificate = vector_certificate(
        hash, json::Value::array({cost("sink-A", margin), cost("diagonal", margin)}));
    const std::string name = "rank-" + std::to_string(structure.noise_rank) + "-" + margin[0];
    return accepted(folder / (name + ".json"), certificate, file);
  }
};

}  // namespace

TEST_CASE("A vector certificate the checker accepts has a card with every property") {
  const Orthonormal vectors;
  const Input input = vectors.input();
  INFO(input.outcome.reason);
  REQUIRE(input.outcome.exit_code == 0);
  const std::string page = page_of({input});
  CHECK(contains(page, "<section id=\"vectors\">"));
  CHECK(contains(page, "<code>tokens</code>"));
  CHECK(contains(page, "4 × 4"));
  CHECK(contains(page, "<dd>the rows themselves</dd>"));
  CHECK(contains(page, "&quot;&lt;by hand&gt;&quot;"));
  CHECK(contains(page, "token 0 is BOS; 1 group of 3; no copies"));
  CHECK(contains(page, ">3 … 3<"));      // the cost beside its bar
  CHECK(contains(page, ">exact</td>"));  // its gap
  // sqrt(4/9) = 2/3 in the Frobenius norm, and 2/cost = 2/3 in the nuclear norm.
  CHECK(count(page, "<td class=\"num\">[0.6666666, 0.6666667]</td>") == 2);
  CHECK(contains(page, "[0.5773502, 0.5773503]"));  // 1/sqrt(3)
  CHECK(contains(page, "some direction has a positive product with each"));
  CHECK(contains(page, "<h4>Infeasible: margins</h4>"));
  CHECK(contains(page, "2 of the constraints have one."));
  CHECK(contains(page, "there is not one copy token for each group"));
  CHECK_FALSE(contains(page, "Cost against"));
}

TEST_CASE("Of a vector certificate that is not accepted nothing is shown") {
  Orthonormal vectors;
  vectors.certificate["properties"][0]["statement"]["upper"] = "29/10";
  vectors.certificate["properties"][0]["statement"]["lower"] = "2";
  const Input input = vectors.input();
  REQUIRE(input.outcome.exit_code == 4);
  const std::string page = page_of({input});
  CHECK(contains(page, "rejected"));
  CHECK(contains(page, "the factorisation costs more"));
  CHECK_FALSE(contains(page, "Costs</h4>"));
  CHECK_FALSE(contains(page, "Representable"));
  CHECK_FALSE(contains(page, "<code>tokens</code>"));
}

TEST_CASE("A head's switch and smoothing, from the checker to the page") {
  const TemporaryFolder folder;
  // W = -2 on the line with tokens 1 and 3, in a plane whose other axis stays 0: s = -2, t = 4.
  const auto file = folder / "tokens.safetensors";
  const std::string hash = write_tokens(file, {{1, 0}, {3, 0}});
  const std::string head_hash =
      write_value_head(folder / "head.safetensors", {-2, 0, 0, 1}, {1, 0, 0, 1}, 2);
  const json::Value head = {{"sha256", head_hash}, {"prefix", ""}, {"num_heads", 1}, {"head", 0}};
  json::Value properties = json::Value::parse(R"([
    {"statement": {"property": "smoothing", "beta": "1", "s": ["-2","-2"], "t": ["4","4"],
       "s_plus_t": ["2","2"], "mean_norm": ["4","4"], "spread": ["1","1"]}, "evidence": {}},
    {"statement": {"property": "switch", "anchor": 0, "others": [1], "gap": "6",
       "anchor_loss": "0", "anchor_norm": "2", "spread": "4"},
     "evidence": {"direction": [[1, "1"]]}},
    {"statement": {"property": "hull-distance", "vectors": [0, 1], "lower": "4", "upper": "4"},
     "evidence": {"weights": [[0, "1"]], "direction": [[0, "1"]]}}])");
  const Input input =
      judged(folder / "head.json", vector_certificate(hash, properties, head), file);
  INFO(input.outcome.reason);
  REQUIRE(input.outcome.exit_code == 0);
  const std::string page = page_of({input});
  CHECK(contains(page, "values of head 0 of 1"));
  CHECK(contains(page, "s &lt; 0, t &gt; 0, s + t &gt; 0 at β = 1"));
  CHECK(contains(page, "1 + s/t in [0.5, 0.5]"));
  CHECK(contains(page, "sm-1"));
  // D_2 at lambda = 0, 1/2, 1: 4 + 1 + 2 (1 - lambda/2)(-2) + (1 - (1 - (1 - lambda)^2)/2) 4.
  for (const char* row : {"<td class=\"num\">0</td><td class=\"num\">[5, 5]</td>",
                          "<td class=\"num\">0.5</td><td class=\"num\">[4.5, 4.5]</td>",
                          "<td class=\"num\">1</td><td class=\"num\">[5, 5]</td>"}) {
    INFO(row);
    CHECK(contains(page, row));
  }
  CHECK(contains(page, "<h4>Switch on token 0</h4>"));
  CHECK(contains(page, "gap g ≥ 6, loss w ≤ 0, anchor norm r ≤ 2, spread s ≤ 4"));
  // (6 - 2)/6, and at eta = 3 half.
  CHECK(contains(page, "0.6666666"));
  CHECK(contains(page,
                 "<td class=\"num\">3</td><td class=\"num\">≥ 0.5</td>"
                 "<td class=\"num\">0.5</td><td class=\"num\">≤ 4</td>"));
  CHECK(contains(page, "id=\"vectors-1-switch-1-floor-title\""));
  // Without the file there is no prediction, but all that is certified.
  Input alone = input;
  alone.model.reset();
  const std::string without = page_of({alone});
  CHECK_FALSE(contains(without, "[4.5, 4.5]"));
  CHECK(contains(without, "1 + s/t in [0.5, 0.5]"));
}

TEST_CASE("A switch whose anchor stands behind: floors of sw-1, outputs of sw-2") {
  const TemporaryFolder folder;
  const auto file = folder / "tokens.safetensors";
  const std::string hash = write_tokens(file, {{-3, 4}, {2, 1}, {2, -1}});
  json::Value properties = json::Value::parse(R"([
    {"statement": {"property": "switch", "anchor": 0, "others": [1, 2], "gap": "2",
       "anchor_loss": "3", "anchor_norm": "5", "spread": "8"},
     "evidence": {"direction": [[1, "1"], [2, "1"]]}}])");
  const Input input = judged(folder / "s.json", vector_certificate(hash, properties), file);
  REQUIRE(input.outcome.exit_code == 0);
  const std::string page = page_of({input});
  const std::string figures = "gap g ≥ 2, loss w ≤ 3, anchor norm r ≤ 5, spread s ≤ 8. ";
  REQUIRE(contains(page, figures));
  // r > g: a small output forces nothing, so the paragraph gives no figure behind these.
  const std::size_t end = page.find(figures) + figures.size();
  const std::string rest = page.substr(end, page.find("</p>", end) - end);
  CHECK_FALSE(rest.empty());
  CHECK(rest.find_first_of("0123456789") == std::string::npos);
  // eta = 0, 1/2, 1, 3/2: (2 - eta)/5; eps = 0, 1/4, 1/2, 3/4: 5 + 8 eps.
  for (const auto& [eta, floor, eps, output] :
       {std::tuple{"0", "0.4", "0", "5"}, std::tuple{"0.5", "0.3", "0.25", "7"},
        std::tuple{"1", "0.2", "0.5", "9"}, std::tuple{"1.5", "0.1", "0.75", "11"}}) {
    CHECK(contains(page, "<td class=\"num\">" + std::string(eta) + "</td><td class=\"num\">≥ " +
                             floor + "</td><td class=\"num\">" + eps + "</td><td class=\"num\">≤ " +
                             output + "</td>"));
  }
}

TEST_CASE("Which pattern is provably cheaper, exactly from the intervals") {
  const TemporaryFolder folder;
  const Instance instance(folder, 3);
  const auto page_with = [&](const exact::Enclosure& sink, const exact::Enclosure& diagonal) {
    const auto properties =
        json::Value::array({cost_property(instance_pattern("sink-A", "2"), sink),
                            cost_property(instance_pattern("diagonal", "2"), diagonal)});
    Input input =
        accepted(folder / "c.json", vector_certificate(instance.hash, properties), instance.file);
    input.model.reset();  // no closed forms: any intervals will do
    return page_of({input});
  };
  const std::string sink = page_with({10, 12}, {15, 18});
  CHECK(contains(sink,
                 "<strong>the sink is provably cheaper</strong>, by 3 to 8; the diagonal "
                 "costs 1.25 to 1.8 times as much as the sink."));
  CHECK(contains(sink, "the vectors’ file was not given"));
  CHECK(contains(page_with({15, 18}, {10, 12}),
                 "<strong>the diagonal is provably cheaper</strong>, "
                 "by 3 to 8"));
  CHECK(contains(page_with({10, 16}, {15, 18}),
                 "<strong>not decided</strong>: diagonal minus sink lies in [-1, 8]"));
}

TEST_CASE("Closed forms stand beside certified costs where the structure holds exactly") {
  const TemporaryFolder folder;
  const Instance instance(folder, 3);
  const std::string page = page_of({instance.input(folder, "2")});
  CHECK(
      contains(page,
               "The structure of docs/THEORY_COSTS.md, section 5, holds exactly for these tokens: "
               "d = 16, 2 groups of 4 tokens, λ² = 0.66015625, δ² = 4, Δ = 8, nuisance rank"));
  CHECK(count(page, "co-1 to co-4 at κ") == 1);
  // A cost outside its closed form cannot be: the page is refused.
  for (const auto& [factor, kind] :
       {std::pair{make_rational(9, 10), "sink-A"}, std::pair{make_rational(11, 10), "sink-A"},
        std::pair{make_rational(1, 10), "diagonal"}, std::pair{Rational(100), "diagonal"}}) {
    exact::Enclosure wrong = instance.closed(kind, 2);
    wrong = {wrong.lower * factor, wrong.lower * factor};
    const auto properties = json::Value::array({cost_property(instance_pattern(kind, "2"), wrong)});
    INFO(kind << " " << factor);
    CHECK(code_of(accepted(folder / "c.json", vector_certificate(instance.hash, properties),
                           instance.file)) == "SP1205");
  }
}

TEST_CASE("Another file in the vectors' place is stated, and gives no closed forms") {
  const TemporaryFolder folder;
  const Instance instance(folder, 3);
  const Instance other(folder, 2);
  Input input = instance.input(folder, "2");
  input.model = other.file;
  const std::string page = page_of({input});
  CHECK(contains(page, "rank-2.safetensors (SP1203: "));
  CHECK_FALSE(contains(page, "holds exactly"));
}

TEST_CASE("Instances that differ in one thing are drawn against it") {
  const TemporaryFolder folder;
  const Instance two(folder, 2);
  const Instance three(folder, 3);
  const Instance four(folder, 4);
  std::vector<Input> inputs = {four.input(folder, "2"), two.input(folder, "2"),
                               three.input(folder, "2")};
  const std::string ranks = page_of(inputs);
  CHECK(contains(ranks, "<h3>Cost against nuisance rank</h3>"));
  CHECK_FALSE(contains(ranks, "<h3>Cost against margin</h3>"));
  CHECK(contains(ranks, "aria-labelledby=\"costs-by-rank-1-title costs-by-rank-1-desc\""));
  CHECK(contains(ranks, "d = 16, 2 groups of 4 tokens, λ² = 0.66015625, δ² = 4, margin m = 2."));
  const std::size_t chart = ranks.find("<svg class=\"chart\"");
  const std::string drawing = ranks.substr(chart, ranks.find("</svg>", chart) - chart);
  CHECK(count(drawing, "<circle class=\"mark of-sink\"") == 3);
  CHECK(count(drawing, "class=\"whisker of-diagonal\"") == 3);
  // The sink's closed form is one line, the diagonal's are two.
  CHECK(count(drawing, "class=\"curve of-sink\"") == 1);
  CHECK(count(drawing, "class=\"curve of-diagonal dashed\"") == 1);
  CHECK(count(drawing, "class=\"curve of-diagonal dotted\"") == 1);
  CHECK(contains(ranks, "<a href=\"#vectors-2\">rank-2-2.json</a>"));

  inputs = {two.input(folder, "2"), two.input(folder, "3"), two.input(folder, "5"),
            three.input(folder, "4")};
  const std::string margins = page_of(inputs);
  CHECK(contains(margins, "<h3>Cost against margin</h3>"));
  CHECK_FALSE(contains(margins, "<h3>Cost against nuisance rank</h3>"));
  CHECK(contains(margins, "nuisance rank = 2."));
  CHECK(count(margins, "<circle class=\"mark of-sink\"") == 3 + 1);  // and one in the key

  // Two values are no family, and without the vectors there is no structure.
  inputs.resize(2);
  CHECK_FALSE(contains(page_of(inputs), "Cost against"));
  inputs = {four.input(folder, "2"), two.input(folder, "2"), three.input(folder, "2")};
  inputs[1].model.reset();
  CHECK_FALSE(contains(page_of(inputs), "Cost against"));
}

TEST_CASE("How often each pattern is cheaper is counted per certificate") {
  const TemporaryFolder folder;
  std::vector<Input> inputs;
  for (const std::size_t rank : {2, 3, 4}) {
    inputs.push_back(Instance(folder, rank).input(folder, "2"));
  }
  // At these instances the closed forms alone say that the sink is cheaper.
  static const std::regex counts("([0-9]+) pairs[^0-9.]*([0-9]+)[^0-9.]*([0-9]+)[^0-9.]*([0-9]+)");
  const std::string page = page_of(inputs);
  std::smatch found;
  REQUIRE(std::regex_search(page, found, counts));
  CHECK(found[1] == "3");  // pairs
  CHECK(found[2] == "3");  // the sink is cheaper
  CHECK(found[3] == "0");  // the diagonal is
  CHECK(found[4] == "0");  // undecided
}

TEST_CASE("A vector certificate of another form than the checker's does not go with its word") {
  const Orthonormal vectors;
  const Input input = accepted(vectors.folder / "v.json", vectors.certificate, vectors.file);
  CHECK(code_of(input) == "none");
  const std::vector<std::function<void(json::Value&)>> changes = {
      [](json::Value& c) { c.erase("input"); },
      [](json::Value& c) { c["input"]["sha256"] = "x"; },
      [](json::Value& c) { c["input"].erase("head"); },
      [](json::Value& c) { c["input"]["head"] = 3; },
      [](json::Value& c) { c["properties"] = json::Value::array(); },
      [](json::Value& c) { c["properties"][0]["statement"]["property"] = "price"; },
      [](json::Value& c) { c["properties"][0]["statement"]["lower"] = "4"; },
      [](json::Value& c) { c["properties"][0]["statement"]["upper"] = 3; },
      [](json::Value& c) { c["properties"][0]["statement"]["pattern"]["margin"] = "0"; },
      [](json::Value& c) { c["properties"][0].erase("evidence"); },
      [](json::Value& c) { c["properties"][1]["statement"]["lower"] = "0"; },
      [](json::Value& c) { c["properties"][2]["statement"]["vectors"] = json::Value::array(); },
      [](json::Value& c) { c["properties"][3]["evidence"]["multipliers"] = json::Value::array(); }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Input changed = input;
    changes[i](changed.certificate);
    INFO("change " << i);
    CHECK(code_of(changed) == "SP1202");
  }
}

TEST_CASE("Of many multipliers twelve are shown, and how many there are") {
  const Orthonormal vectors;
  json::Value constraints = json::Value::array();
  json::Value multipliers = json::Value::array();
  for (int j = 1; j <= 20; ++j) {
    constraints.push_back({j, 0, 30, "1"});
    multipliers.push_back({j, 0, 30, std::to_string(100 + j)});
  }
  const json::Value property = {
      {"statement",
       {{"property", "infeasible"},
        {"pattern", {{"kind", "margins"}, {"margin", "1"}, {"constraints", constraints}}}}},
      {"evidence", {{"multipliers", multipliers}}}};
  const std::string hash = certificate::sha256_hex(file::read(vectors.file).value());
  const std::string page =
      page_of({accepted(vectors.folder / "v.json",
                        vector_certificate(hash, json::Value::array({property})), vectors.file)});
  CHECK(contains(page, "20 of the constraints have one; the first 12 are shown"));
  CHECK(contains(page, ">112<"));
  CHECK_FALSE(contains(page, ">113<"));
}
