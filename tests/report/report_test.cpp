#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <regex>
#include <set>

#include "certificate/claim_hash.hpp"
#include "exact/decimal.hpp"
#include "file/file.hpp"
#include "heads.hpp"
#include "markup.hpp"
#include "output/replace.hpp"
#include "report/page.hpp"
#include "report/status.hpp"
#include "rounded/decimal.hpp"
#include "rounded/double.hpp"

using namespace sinkproof;
using namespace sinkproof::report;
using namespace sinkproof::report::test;

namespace {

std::string page_of(const std::vector<Input>& inputs) {
  const auto page = html(inputs, {source("proofs")});
  INFO((page ? "" : page.error().code + " " + page.error().where + ": " + page.error().what));
  REQUIRE(page.has_value());
  CHECK(first_fault(*page).empty());
  INFO(first_fault(*page));
  return *page;
}

std::string code_of(const std::vector<Input>& inputs) {
  const auto page = html(inputs, {});
  return page ? "none" : page.error().code;
}

// The page without its overview.
std::string main_of(const std::string& page) {
  const std::size_t begin = page.find("<main");
  REQUIRE(begin != std::string::npos);
  return page.substr(begin);
}

// The part above that.
// The list of what the overview tells the reader to look at; a sentence stands in its place where
// the checker accepted everything.
constexpr const char* kSomethingToSee = "<ul class=\"attention\">";

// Of a theory claim's card: how many steps the checkers verify, and how many they do not.
std::pair<std::size_t, std::size_t> counts_of(const std::string& page) {
  static const std::regex counts("<dd>([0-9]+) [a-z-]+, ([0-9]+) [a-z -]+</dd>");
  std::smatch found;
  REQUIRE(std::regex_search(page, found, counts));
  return {std::stoul(found[1]), std::stoul(found[2])};
}

std::string overview_of(const std::string& page) {
  const std::size_t begin = page.find("<header>");
  REQUIRE(begin != std::string::npos);
  return page.substr(begin, page.find("</header>") - begin);
}

// The words of all badges of a part of the page.
std::vector<std::string> badges_in(const std::string& page) {
  static const std::regex badge("class=\"badge [a-z]+\"><svg.*?</svg>([a-z -]+)</span>");
  std::vector<std::string> words;
  for (std::sregex_iterator at(page.begin(), page.end(), badge), end; at != end; ++at) {
    words.push_back((*at)[1]);
  }
  return words;
}

std::vector<std::string> badges(const std::string& page) { return badges_in(main_of(page)); }

// Whether a property has a witness of its own; theorems have none.
bool has_tokens(const json::Value& entry) {
  return entry.contains("witness") && entry["witness"].contains("tokens");
}

// The numbers of the table row of property `name`, as exact values.
std::vector<exact::Rational> row_numbers(const std::string& page, const std::string& name) {
  const std::string start = "<th scope=\"row\"><span class=\"id\">" + name + "</span>";
  const std::size_t begin = page.find(start);
  REQUIRE(begin != std::string::npos);
  const std::string row = page.substr(begin, page.find("</tr>", begin) - begin);
  static const std::regex number("<td class=\"num\"[^>]*>(?:≤ |≥ )?(-?[0-9][0-9.e-]*)");
  std::vector<exact::Rational> numbers;
  for (std::sregex_iterator at(row.begin(), row.end(), number), end; at != end; ++at) {
    const auto value = exact::parse_decimal((*at)[1].str());
    REQUIRE(value.has_value());
    numbers.push_back(*value);
  }
  return numbers;
}

exact::Rational field(const json::Value& entry, const std::string& name) {
  return exact::parse_rational(entry[name].get<std::string>()).value();
}

Input forged(const std::string& file, json::Value certificate, Outcome outcome) {
  return {file, std::move(certificate), std::move(outcome), std::nullopt};
}

// A folder with both kinds of head, certified and checked.
struct Heads {
  TemporaryFolder folder;
  Input sink;
  Input relu;

  Heads() {
    write_head(folder / "sink.safetensors", sink_head(6.3F), 6);
    write_head(folder / "relu.safetensors", relu_head(), 6);
    sink = certified(folder / "sink.safetensors");
    relu = certified(folder / "relu.safetensors");
  }
};

// A claim "xx-2" with three variants, a certificate of it as if the checker had accepted it, and
// checkpoints for two of the variants.
const char* const kMapClaim = R"toml(id = "xx-2"
title = "A <map>"
source = "S"
hypotheses = ["h"]

[[sentence]]
text = "W"
says = ["gap.prose.md"]

[[step]]
name = "gap"
rule = "prose"
file = "gap.prose.md"
establishes = "it"
relies_on = []

[[step]]
name = "build"
rule = "construction"
file = "build.construction.json"
establishes = "it"
relies_on = []

[[step]]
name = "said"
rule = "coq-statement"
file = "statement.v"
establishes = "it"
relies_on = []

[[step]]
name = "general"
rule = "coq-theorem"
file = "general.v"
establishes = "it"
relies_on = []

[[variant]]
name = "softmax & co"
attention = "softmax"
sink = "necessary"
bound = "1 - 3 eta < 1"
says = ["needs_sink"]
evidence = ["general", "gap"]
trained = "sink"

[[variant]]
name = "sigmoid"
attention = "sigmoid"
sink = "avoidable in the limit"
bound = "s(-b)"
says = ["build.construction.json"]
evidence = ["build"]
trained = "sigmoid"

[[variant]]
name = "another"
sink = "avoidable exactly"
bound = "0"
says = ["build.construction.json"]
evidence = ["gap"]
)toml";

struct VariantMap {
  TemporaryFolder folder;
  TemporaryFolder proofs;
  Input theory;
  Input sink;
  Input sigmoid;

  explicit VariantMap(const std::string& toml = kMapClaim) {
    std::filesystem::create_directories(proofs / "xx-2");
    REQUIRE(output::replace(proofs / "xx-2/claim.toml", toml));
    REQUIRE(output::replace(proofs / "xx-2/gap.prose.md", "words\n"));
    REQUIRE(output::replace(proofs / "xx-2/build.construction.json", "{\"loss\": \"0\"}\n"));
    REQUIRE(output::replace(proofs / "xx-2/statement.v",
                            "Definition needs_sink : Prop :=\n  1 - 3 < 1.\n"));
    REQUIRE(output::replace(proofs / "xx-2/general.v", "Print Assumptions needs_sink.\n"));
    const json::Value value = {{"format", 1},
                               {"kind", "theory"},
                               {"claim", "xx-2"},
                               {"claim_sha256", certificate::claim_hash(proofs / "xx-2").value()},
                               {"steps", {{{"file", "gap.prose.md"}, {"rule", "assumed"}}}}};
    theory = forged("xx-2.json", value, outcome_of("proved", "exact", "", 0));
    write_head(folder / "sink.safetensors", sink_head(6.3F), 5);
    write_layer(folder / "sigmoid.safetensors", switch_layer("sigmoid", 3), 5);
    sink = certified(folder / "sink.safetensors");
    sigmoid = certified(folder / "sigmoid.safetensors");
  }

  [[nodiscard]] std::string page() const { return page_with({theory, sigmoid, sink}); }

  [[nodiscard]] std::string page_with(const std::vector<Input>& inputs) const {
    const auto page = html(inputs, {proofs / ""});
    REQUIRE(page.has_value());
    CHECK(first_fault(*page).empty());
    return *page;
  }
};

// The part of the page with the map, and of that the row of a variant.
std::string map_section(const std::string& page) {
  const std::size_t begin = page.find("<section id=\"variants\">");
  if (begin == std::string::npos) return "";
  return page.substr(begin, page.find("</section>", begin) - begin);
}

std::string variant_row(const std::string& page, const std::string& name) {
  const std::string section = map_section(page);
  const std::size_t begin = section.find("<th scope=\"row\">" + name);
  REQUIRE(begin != std::string::npos);
  return section.substr(begin, section.find("</tr>", begin) - begin);
}

exact::Rational bound_of(const Input& input, const std::string& name, const char* side) {
  for (const json::Value& entry : input.certificate["properties"]) {
    if (entry["name"] == name) return field(entry, side);
  }
  FAIL("no property " << name);
  return 0;
}

// The x of each of the shapes of a class in a drawing.
std::vector<double> shape_places(const std::string& svg, const std::string& css) {
  const std::regex shape("class=\"" + css + "\" d=\"M([0-9.]+) ");
  std::vector<double> xs;
  for (std::sregex_iterator at(svg.begin(), svg.end(), shape), end; at != end; ++at) {
    xs.push_back(std::stod((*at)[1]));
  }
  return xs;
}

}  // namespace

TEST_CASE("Each property of a certificate is on the page, its bounds rounded outward") {
  const Heads heads;
  const std::string page = page_of({heads.sink});
  std::size_t rounded = 0;
  for (const json::Value& entry : heads.sink.certificate["properties"]) {
    const std::string name = entry["name"];
    INFO(name);
    const bool theorem = name.starts_with("theorem.");
    const auto shown = row_numbers(page, name);
    REQUIRE(shown.size() >= 2);
    const exact::Rational first = field(entry, theorem ? "implied" : "lower");
    const exact::Rational second = field(entry, theorem ? "certified" : "upper");
    const std::size_t at = theorem ? 1 : 0;  // behind eta
    if (theorem) {
      CHECK(shown[0] >= field(entry, "eta"));
      CHECK(shown[0] <= field(entry, "eta") * exact::make_rational(1000001, 1000000));
    }
    CHECK(shown[at] <= first);
    CHECK(shown[at] >= first * exact::make_rational(999999, 1000000));
    if (theorem) {
      CHECK(shown[2] <= second);
    } else {
      CHECK(shown[1] >= second);
      CHECK(shown[1] <= second * exact::make_rational(1000001, 1000000));
    }
    rounded += shown[at] != first ? 1 : 0;
  }
  CHECK(rounded > 0);  // otherwise the direction was never put to the test
  // Losses, floors and ceilings of three classes of rows: each drawn, or named beside its like.
  for (const char* readout : {"sup-loss", "bos-floor", "bos-ceiling"}) {
    for (const char* rows : {".pre", ".trigger", ".post"}) {
      CHECK(contains(page, std::string("<strong>") + readout + rows + "</strong>"));
    }
  }
  CHECK(count_elements(page, "svg") > 8);
}

TEST_CASE("A floor's proved side is its lower bound, a loss's its upper") {
  const Heads heads;
  const std::string page = page_of({heads.sink, heads.relu});
  const auto sides = [&](const std::string& name) {
    const std::size_t begin = page.find("<span class=\"id\">" + name + "</span>");
    const std::string row = page.substr(begin, page.find("</tr>", begin) - begin);
    return row.find("</svg>proved") < row.find("</svg>attained");
  };
  CHECK(sides("bos-floor.pre"));
  CHECK_FALSE(sides("sup-loss.pre"));
  CHECK_FALSE(sides("bos-ceiling.trigger"));
}

TEST_CASE("The same inputs give the same bytes, wherever the files lie") {
  const Heads heads;
  const std::vector<Input> inputs = {heads.sink, heads.relu,
                                     checked(source("certificates/tc-5.json"), false)};
  const std::string page = page_of(inputs);
  CHECK(page == page_of(inputs));
  std::vector<Input> moved = inputs;
  const TemporaryFolder elsewhere;
  for (Input& input : moved) {
    input.path = std::filesystem::path("/some/where/else") / input.path.filename();
    if (!input.model) continue;
    const auto copy = elsewhere / input.model->filename().string();
    std::filesystem::copy_file(*input.model, copy);
    input.model = copy;
  }
  CHECK(page == page_of(moved));
  for (const std::string& trace :
       {std::filesystem::temp_directory_path().string(), source("").string(),
        std::string("/some/where"), elsewhere.path().filename().string()}) {
    INFO(trace);
    CHECK_FALSE(contains(page, trace));
  }
}

TEST_CASE("Nothing on the page comes from elsewhere") {
  const Heads heads;
  const std::string page =
      page_of({heads.sink, heads.relu, checked(source("certificates/tc-1.json"), true)});
  for (const char* outside : {"http://", "https://", "//cdn", "url(", "@import", " src="}) {
    INFO(outside);
    CHECK_FALSE(contains(page, outside));
  }
  // All links lead to parts of the page that are there, or first_fault would have said so.
  CHECK(count_elements(page, "a") > 5);
  CHECK(contains(page, "content=\"default-src 'none'; style-src 'sha256-"));
}

TEST_CASE("A rejected certificate is shown as rejected, never as proved, without its bounds") {
  const Heads heads;
  std::string bytes = file::read(heads.sink.path).value();
  const std::string hash = heads.sink.certificate["claim_sha256"];
  const std::string other(64, '0');
  bytes.replace(bytes.find(hash), hash.size(), other);
  const auto path = heads.folder / "wrong.json";
  REQUIRE(output::replace(path, bytes));
  Input input = checked(path, true);
  input.model = heads.sink.model;
  REQUIRE(input.outcome.exit_code == 4);
  const std::string page = page_of({input});
  CHECK(badges(page) == std::vector<std::string>{"rejected"});
  CHECK(contains(page, "<strong>0</strong><span>accepted</span>"));
  CHECK(contains(page, "<strong>1</strong><span>rejected</span>"));
  CHECK(contains(page, "not the one this certificate was made for"));
  CHECK(count_elements(page, "figure") == 0);
  CHECK(count_elements(main_of(page), "table") == 0);
  CHECK_FALSE(contains(page, "sup-loss"));
  CHECK(badges(page_of({heads.sink}))[0] == "enclosed");
}

TEST_CASE("Only what the checker accepted is called so") {
  const Heads heads;
  struct Case {
    std::string verdict;
    int exit_code;
    std::string badge;
    bool bounds;
  };
  for (const Case& c : std::vector<Case>{{"proved", 0, "enclosed", true},
                                         {"statistical", 0, "statistical", true},
                                         {"statistical", 3, "statistical", true},
                                         {"statistical", 2, "not checked", false},
                                         {"rejected", 0, "rejected", false},
                                         {"unknown", 0, "not checked", false},
                                         {"proved", 4, "rejected", false},
                                         {"proved", 2, "not checked", false},
                                         {"proved", 5, "not checked", false},
                                         {"proved", 3, "not checked", false},
                                         {"enclosed", 1, "not checked", false},
                                         {"refuted", 1, "refuted", false},
                                         {"unknown", 2, "not checked", false},
                                         {"bounded", 3, "bounded", true},
                                         {"<b>", 3, "not checked", false}}) {
    INFO(c.verdict << " with exit " << c.exit_code);
    const std::string page = page_of({forged("x.json", heads.sink.certificate,
                                             outcome_of(c.verdict, "exact", "", c.exit_code))});
    const auto words = badges(page);
    REQUIRE_FALSE(words.empty());
    CHECK(words[0] == c.badge);
    CHECK((count_elements(main_of(page), "table") > 0) == c.bounds);
    CHECK(badges_in(overview_of(page))[0] == c.badge);
    if (c.badge != "enclosed") {
      // In a certificate accepted with "statistical" every other property stands as it is.
      const bool accepted = c.exit_code == 0 && c.bounds;
      CHECK((std::count(words.begin(), words.end(), "proved") > 0) == accepted);
      CHECK((std::count(words.begin(), words.end(), "enclosed") > 0) == accepted);
    }
  }
}

TEST_CASE(
    "A certificate whose check reached a limit was not checked, and none of its bounds is shown") {
  const Heads heads;
  const std::string page =
      page_of({forged("x.json", heads.sink.certificate, outcome_of("unknown", "", "too long", 3))});
  CHECK(badges(page)[0] == "not checked");
  CHECK(count_elements(main_of(page), "table") == 0);
}

TEST_CASE("A checkpoint is enclosed until something is asked, then what came of the worst") {
  const Heads heads;
  const Threshold holds{"sup-loss<=1", "proved", "sup-loss in [0, 1]"};
  const Threshold open{"sup-loss<=0.5", "unknown", "sup-loss in [0, 1]"};
  const Threshold fails{"bos-floor.pre>=1", "refuted", "bos-floor.pre in [0.1, 0.2] <b>"};
  struct Case {
    std::vector<Threshold> thresholds;
    std::string word;
  };
  for (const Case& c : std::vector<Case>{{{}, "enclosed"},
                                         {{holds}, "proved"},
                                         {{holds, open}, "unknown"},
                                         {{fails, open, holds}, "refuted"}}) {
    Input asked = heads.sink;
    asked.thresholds = c.thresholds;
    const std::string page = page_of({asked});
    INFO(c.word);
    CHECK(badges(page)[0] == c.word);
    CHECK(badges_in(overview_of(page))[0] == c.word);
    CHECK(contains(overview_of(page), kSomethingToSee) !=
          (c.word == "enclosed" || c.word == "proved"));
    CHECK(contains(overview_of(page), "sup-loss&lt;=0.5: sup-loss in [0, 1]") ==
          (c.thresholds.size() > 1));
    CHECK(contains(overview_of(page), "[0.1, 0.2] &lt;b&gt;") == (c.word == "refuted"));
    CHECK(contains(main_of(page), "<h4>Required</h4>") == !c.thresholds.empty());
    // A certificate the checker rejects is no better for what was asked of it.
    asked.outcome = outcome_of("rejected", "", "no", 4);
    CHECK(badges(page_of({asked})) == std::vector<std::string>{"rejected"});
  }
}

TEST_CASE("A reading that overrides the metadata is on the overview") {
  const Heads heads;
  Input input = heads.sink;
  CHECK_FALSE(contains(overview_of(page_of({input})), "num_heads"));
  input.outcome.overrides = {"num_heads", "residual"};
  const std::string overview = overview_of(page_of({input}));
  CHECK(contains(overview, "num_heads, residual"));
  CHECK(contains(overview, kSomethingToSee));
}

TEST_CASE("The finding names the inputs that it is about, where these are not all of the task's") {
  const Heads heads;
  const auto headline = [](const Input& input) {
    const std::string page = page_of({input});
    const std::size_t begin = page.find("<div class=\"finding\">");
    REQUIRE(begin != std::string::npos);
    return page.substr(begin, page.find("</p>", begin) - begin);
  };
  CHECK(contains(headline(heads.relu), ", for every input</h1>"));
  CHECK(contains(headline(heads.relu), "at length 6, the trigger at 3 to 6, noise in [-1,1]^"));
  json::Value fewer = heads.relu.certificate;
  fewer["box"] = json::Value::array({json::Value::array({"-2", "2"})});
  const std::string box = headline(forged("box.json", fewer, heads.relu.outcome));
  CHECK(contains(box, ", for every input with noise in [-2,2]"));
}

TEST_CASE("The page says what was accepted without verification, and how to ask again") {
  const Input claim = checked(source("certificates/tc-5.json"), true);
  Options options;
  const auto plain = html({claim}, options);
  options.accept = {"smt", "coq"};
  const auto trusting = html({claim}, options);
  REQUIRE((plain && trusting));
  CHECK(contains(*trusting, "sinkproof-check --models models --accept smt,coq tc-5.json"));
  CHECK(contains(overview_of(*trusting), "<code>smt,coq</code>"));
  CHECK_FALSE(contains(overview_of(*plain), "smt,coq"));
  CHECK(contains(*plain, "sinkproof-check --models models tc-5.json"));
}

TEST_CASE("Verdicts differ in their shapes and words, not in colour alone") {
  const auto badge_of = [](const Outcome& outcome) {
    return verdict_badge(forged("x.json", nullptr, outcome));
  };
  const std::string good = badge_of(outcome_of("proved", "", "", 0));
  const std::string bad = badge_of(outcome_of("rejected", "", "", 4));
  const std::string open = badge_of(outcome_of("holey", "", "", 3));
  const std::string idle = badge_of(outcome_of("unknown", "", "", 2));
  const auto shape = [](const std::string& badge) {
    return badge.substr(badge.find("<svg"), badge.find("</svg>") - badge.find("<svg"));
  };
  const std::set<std::string> shapes = {shape(good), shape(bad), shape(open), shape(idle)};
  CHECK(shapes.size() == 4);
  CHECK(contains(open, "holey"));
}

TEST_CASE("A theory claim shows its words, its verdict and what it accepts without verification") {
  const std::string partly = page_of({checked(source("certificates/tc-5.json"), false)});
  CHECK(badges(partly) == std::vector<std::string>{"unknown"});
  CHECK(contains(partly, "<strong>1</strong><span>accepted in part"));
  CHECK(contains(partly, "Zero loss is impossible for one normalised head"));
  CHECK(contains(partly, "no parameters have sup loss 0"));
  CHECK(counts_of(partly) == std::pair<std::size_t, std::size_t>{13, 3});
  CHECK(contains(partly,
                 "<li>SMT as a second opinion: <code>closed-row.implication.json</code>, "
                 "<code>positive-loss.implication.json</code></li>"));
  CHECK(contains(partly, "<li>Coq: <code>zero_output.v</code> with <code>zero_loss_impossible"));
  CHECK(contains(partly, "axioms used: classic, functional_extensionality_dep, sig_forall_dec"));
  CHECK(contains(partly, "proofs/tc-5/README.md"));
  CHECK(badges(page_of({checked(source("certificates/tc-5.json"), true)})) ==
        std::vector<std::string>{"proved"});
}

TEST_CASE("A construction counts as re-verified") {
  const std::filesystem::path folder = source("tests/reject/theory/construction");
  const auto text = file::read(folder / "accepted.json");
  REQUIRE(text.has_value());
  const Input input =
      forged("accepted.json", json::Value::parse(*text), outcome_of("proved", "exact", "", 0));
  const auto page = html({input}, {folder / "proofs"});
  REQUIRE(page.has_value());
  CHECK(counts_of(*page) == std::pair<std::size_t, std::size_t>{11, 0});
  CHECK(badges(*page) == std::vector<std::string>{"proved"});
}

TEST_CASE("Of steps the checkers verify again only a second opinion is listed as trust") {
  const Input input = checked(source("certificates/co-1.json"), true);
  REQUIRE(input.outcome.exit_code == 0);
  std::size_t verified = 0;
  std::size_t trusted = 0;
  std::set<std::string> rules;
  for (const json::Value& step : input.certificate["steps"]) {
    rules.insert(step["rule"]);
    if (step["rule"] == "coq-statement") continue;  // what is stated, not why it holds
    const bool on_trust = step["rule"] == "smt" || step["rule"] == "coq-theorem";
    verified += on_trust ? 0 : 1;
    trusted += on_trust || step.contains("solvers") ? 1 : 0;
  }
  REQUIRE(rules.contains("vectors"));
  const std::string page = page_of({input});
  CHECK(counts_of(page) == std::pair{verified, trusted});
  CHECK_FALSE(contains(page, "<li>Assumed: "));
}

TEST_CASE("A claim's words are shown only from the folder the certificate names by its hash") {
  const Input input = checked(source("certificates/tc-5.json"), true);
  const auto absent = html({input}, {});
  REQUIRE(absent.has_value());
  CHECK_FALSE(contains(*absent, "Zero loss is impossible"));
  const TemporaryFolder proofs;
  std::filesystem::copy(source("proofs/tc-5"), proofs / "tc-5");
  REQUIRE(contains(html({input}, {proofs / ""}).value(), "Zero loss is impossible"));
  const auto toml = proofs / "tc-5" / "claim.toml";
  REQUIRE(output::replace(toml, file::read(toml).value() + "\n# another text\n"));
  const auto changed = html({input}, {proofs / ""});
  REQUIRE(changed.has_value());
  CHECK_FALSE(contains(*changed, "Zero loss is impossible"));
}

TEST_CASE("Markup in anything a file says is inert") {
  const std::string script = "<script>alert(1)</script>\"'&";
  Heads heads;
  heads.sink.path = "/x/" + std::string("<img src=q onerror=alert(1)>.json");
  heads.sink.outcome.reason = script;
  heads.sink.outcome.evidence = script;
  heads.sink.certificate["model"]["overrides"] = {script};
  // Words of a fixed list are read as such.
  for (const char* place : {"/semantics", "/properties/1/verdict", "/properties/1/proof/rule"}) {
    Input other = heads.sink;
    other.certificate[json::Value::json_pointer(place)] = script;
    CHECK(code_of({other}) == "SP1202");
  }
  Input theory = checked(source("certificates/tc-5.json"), true);
  theory.certificate["steps"][0]["file"] = script;
  theory.certificate["steps"][0]["rule"] = script;
  const Input unreadable =
      forged(script, json::Value::array({script}), outcome_of("rejected", "", script, 4));
  const Input bad =
      forged("b.json", {{"kind", "theory"}, {"claim", script}}, outcome_of("", "", script, 4));
  const std::string page = page_of({heads.sink, theory, unreadable, bad});
  CHECK(count_elements(page, "script") == 1);
  CHECK_FALSE(contains(page, "<img"));
  CHECK_FALSE(contains(page, "<script>alert"));
  CHECK(contains(page, "&lt;script&gt;alert(1)"));
}

TEST_CASE("A claim's title and words with markup are inert") {
  const TemporaryFolder proofs;
  std::filesystem::create_directories(proofs / "xx-1");
  const std::string toml =
      "id = \"xx-1\"\ntitle = \"<script>alert(1)</script>\"\nsource = \"<b>\"\n"
      "hypotheses = [\"<p>\"]\n\n"
      "[[sentence]]\ntext = \"a < b & c\"\nsays = [\"gap.prose.md\"]\n\n"
      "[[step]]\nname = \"gap\"\nrule = \"prose\"\nfile = \"gap.prose.md\"\n"
      "establishes = \"it\"\nrelies_on = []\n";
  REQUIRE(output::replace(proofs / "xx-1/claim.toml", toml));
  REQUIRE(output::replace(proofs / "xx-1/gap.prose.md", "<i>words</i>\n"));
  const auto hash = certificate::claim_hash(proofs / "xx-1").value();
  const json::Value value = {{"format", 1},
                             {"kind", "theory"},
                             {"claim", "xx-1"},
                             {"claim_sha256", hash},
                             {"steps", {{{"file", "gap.prose.md"}, {"rule", "assumed"}}}}};
  const auto page = html({forged("xx-1.json", value, outcome_of("holey", "", "rests on words", 3))},
                         {proofs / ""});
  REQUIRE(page.has_value());
  CHECK(first_fault(*page).empty());
  CHECK(contains(*page, "Informal title:</span> &lt;script&gt;alert(1)&lt;/script&gt;</span>"));
  CHECK(contains(*page,
                 "<pre>&lt;i&gt;words&lt;/i&gt;\n</pre><p class=\"informal\"><span class=\"quiet\">"
                 "Informal description:</span> a &lt; b &amp; c</p>"));
  CHECK(contains(*page, "<p>Checker: rests on words.</p>"));
  CHECK(contains(*page, "<li>Assumed: <code>gap.prose.md</code></li>"));
  CHECK(count_elements(*page, "script") == 1);
  CHECK(badges(*page) == std::vector<std::string>{"holey"});
}

TEST_CASE("A missing or foreign model costs the heat maps and nothing else") {
  Heads heads;
  heads.sink.model = heads.relu.model;
  std::string page = page_of({heads.sink});
  CHECK(count_elements(page, "figure") == 0);
  CHECK(contains(page, "No heat maps: relu.safetensors (SP1203: is another model"));
  CHECK(count_elements(main_of(page), "table") == 2);
  heads.sink.model = heads.folder / "absent.safetensors";
  CHECK(contains(page_of({heads.sink}), "No heat maps: absent.safetensors (SP0201"));
  heads.sink.model = std::nullopt;
  CHECK(contains(page_of({heads.sink}), "No heat maps: the model’s file was not given"));
}

TEST_CASE("The foot says how to check again, with file names that are safe to paste") {
  Heads heads;
  heads.relu.path = "/x/a b;rm.json";
  const std::string page = page_of({heads.sink, heads.relu});
  CHECK(
      contains(page, "<pre>sinkproof-check --models models sink.json &#39;a b;rm.json&#39;</pre>"));
  CHECK(
      contains(page, "<pre>python3 tools/recheck --models models sink.json &#39;a b;rm.json&#39;"));
}

TEST_CASE("No certificates, and outcomes of other certificates, are errors") {
  CHECK(code_of({}) == "SP1201");
  const Outcome accepted = outcome_of("proved", "exact", "", 0);
  const Outcome rejected = outcome_of("rejected", "", "why", 4);
  CHECK(code_of({forged("a.json", nullptr, accepted)}) == "SP1202");
  CHECK(code_of({forged("a.json", {{"kind", "other"}}, accepted)}) == "SP1202");
  CHECK(code_of({forged("a.json", {{"kind", "theory"}, {"steps", json::Value::array()}},
                        accepted)}) == "SP1202");
  CHECK(code_of({forged("a.json", nullptr, rejected)}) == "none");
  CHECK(code_of({forged("a.json", {{"kind", 7}}, rejected)}) == "none");
  CHECK(code_of({forged("a.json", {{"kind", "checkpoint"}, {"properties", "x"}}, rejected)}) ==
        "none");
}

TEST_CASE("An accepted checkpoint certificate with any key missing or ill-typed is an error") {
  const Heads heads;
  const auto with = [&](const std::string& pointer, const json::Value& value) {
    Input input = heads.sink;
    input.certificate[json::Value::json_pointer(pointer)] = value;
    return code_of({input});
  };
  CHECK(with("/length", 6) == "none");
  for (const char* pointer : {"/length",
                              "/semantics",
                              "/model",
                              "/model/attention",
                              "/model/d_model",
                              "/model/num_heads",
                              "/model/sha256",
                              "/model/overrides",
                              "/properties",
                              "/properties/0",
                              "/properties/0/lower",
                              "/properties/0/upper",
                              "/properties/0/name",
                              "/properties/0/witness",
                              "/properties/1/witness/row",
                              "/properties/1/witness/trigger",
                              "/properties/1/witness/tokens",
                              "/properties/1/witness/tokens/0",
                              "/properties/1/witness/tokens/2/2",
                              "/properties/1/verdict",
                              "/properties/7/eta",
                              "/properties/7/implied",
                              "/properties/7/claim"}) {
    INFO(pointer);
    CHECK(with(pointer, nullptr) == "SP1202");
    CHECK(with(pointer, {{"x", 1}}) == "SP1202");
  }
  CHECK(with("/length", 7) == "SP1202");
  CHECK(with("/properties/0/lower", "2") == "SP1202");
  CHECK(with("/properties/0/lower", "-1") == "SP1202");
  CHECK(with("/properties/1/witness/row", 7) == "SP1202");
  CHECK(with("/properties/1/witness/row", 0) == "SP1202");
  CHECK(with("/properties/1/name", "other.pre") == "SP1202");
}

TEST_CASE("A map of variants shows status, bound and evidence, and certified checkpoints beside") {
  VariantMap map;
  std::erase_if(map.sink.certificate["properties"].get_ref<json::Value::array_t&>(),
                [](const json::Value& entry) { return entry["name"] == "bos-ceiling.pre"; });
  const std::string page = map.page();
  CHECK(contains(map_section(page), "<h3>xx-2: A &lt;map&gt;</h3>"));

  const std::string softmax = variant_row(page, "softmax &amp; co");
  CHECK(contains(softmax, "</svg>necessary</span>"));
  CHECK(contains(softmax, "<td data-label=\"Bound\">1 - 3 eta &lt; 1</td>"));
  CHECK(contains(softmax, "theorem <code>needs_sink</code>"));
  CHECK(contains(softmax, "<code class=\"file\">general.v</code>"));
  CHECK(contains(softmax, "<code class=\"file\">gap.prose.md</code>"));
  CHECK_FALSE(contains(softmax, "build.construction.json"));
  // Certified from below only: a bracket at the floor, a dashed line to the axis' end.
  const exact::Rational floor = bound_of(map.sink, "bos-floor.pre", "lower");
  CHECK(contains(softmax, "BOS before the trigger <span class=\"num\">≥ " +
                              rounded::decimal_down(floor, 5) + "<"));
  CHECK(contains(softmax, "loss <span class=\"num\">≤ " +
                              rounded::decimal_up(bound_of(map.sink, "sup-loss", "upper"), 5) +
                              "<"));
  CHECK(contains(softmax, "at least " + rounded::decimal_down(floor, 5) +
                              "; no upper bound certified; axis from 0 to 1</desc>"));
  const auto grid = shape_places(softmax, "grid");
  REQUIRE(grid.size() == 5);
  const double unit = grid[4] - grid[0];
  const auto bracket = shape_places(softmax, "proved");
  REQUIRE(bracket.size() == 1);
  const double at = grid[0] + unit * rounded::to_double_estimate(floor);
  CHECK(bracket[0] - 4 == Approx(at).margin(0.06));
  CHECK(shape_places(softmax, "span half")[0] == Approx(at).margin(0.06));
  CHECK(contains(softmax, "V206") == false);
  CHECK(contains(softmax, "href=\"#checkpoint-2\">sink: d_model 4, L = 5<"));
  CHECK(contains(page, "<article class=\"card\" id=\"checkpoint-2\">\n<h3>sink "));

  const std::string sigmoid = variant_row(page, "sigmoid");
  CHECK(contains(sigmoid, "</svg>avoidable in the limit</span>"));
  CHECK(contains(sigmoid, "<code class=\"file\">build.construction.json</code>"));
  const exact::Rational low = bound_of(map.sigmoid, "bos-floor.pre", "lower");
  const exact::Rational high = bound_of(map.sigmoid, "bos-ceiling.pre", "upper");
  const std::string range =
      "in [" + rounded::decimal_down(low, 5) + ", " + rounded::decimal_up(high, 5) + "]";
  CHECK(contains(sigmoid, ">" + range + "<"));
  CHECK(contains(sigmoid, "before the trigger " + range + "; axis from 0 to 1</desc>"));
  const auto both = shape_places(sigmoid, "proved");
  REQUIRE(both.size() == 2);
  CHECK(both[0] - 4 == Approx(grid[0] + unit * rounded::to_double_estimate(low)).margin(0.06));
  CHECK(both[1] + 4 == Approx(grid[0] + unit * rounded::to_double_estimate(high)).margin(0.06));
  CHECK(shape_places(sigmoid, "span half").empty());
  CHECK(shape_places(sigmoid, "span").size() == 1);

  const std::string another = variant_row(page, "another");
  CHECK(contains(another, "</svg>avoidable exactly</span>"));
  CHECK(contains(another, "<td data-label=\"Trained and certified\">—</td>"));
  CHECK_FALSE(contains(another, "interval"));
}

TEST_CASE("The three words for a sink differ in shape and colour, and look like no verdict") {
  const VariantMap map;
  const std::string section = map_section(map.page());
  static const std::regex chip("<span class=\"chip ([a-z]+)\"><svg[^>]*>(.*?)</svg>");
  std::set<std::string> classes;
  std::set<std::string> shapes;
  for (std::sregex_iterator at(section.begin(), section.end(), chip), end; at != end; ++at) {
    classes.insert((*at)[1]);
    shapes.insert((*at)[2]);
  }
  CHECK(classes == std::set<std::string>{"exactly", "limit", "necessary"});
  CHECK(shapes.size() == 3);
  CHECK_FALSE(contains(section, "class=\"badge"));
}

TEST_CASE("The map shows a checkpoint only if it was accepted and is of the variant's kind") {
  VariantMap map;
  const std::string nothing = "no accepted certificate of this name on this page";
  CHECK(contains(variant_row(map.page_with({map.theory, map.sink}), "sigmoid"),
                 "sigmoid: " + nothing));
  Input rejected = map.sigmoid;
  rejected.outcome = outcome_of("rejected", "", "why", 4);
  const std::string page = map.page_with({map.theory, rejected, map.sink});
  CHECK(contains(variant_row(page, "sigmoid"), nothing));
  CHECK_FALSE(contains(variant_row(page, "sigmoid"), "class=\"interval\""));
  CHECK(contains(variant_row(page, "softmax"), "class=\"interval\""));
  Input other = map.sigmoid;
  other.path = "/x/sink.json";
  CHECK(contains(variant_row(map.page_with({map.theory, other}), "softmax"),
                 "sink: its attention is sigmoid, not this one"));
}

TEST_CASE(
    "There is a map only where its claim was accepted in full and its words are the certified") {
  VariantMap map;
  Input theory = map.theory;
  CHECK_FALSE(map_section(map.page_with({theory})).empty());
  for (const Outcome& outcome :
       {outcome_of("unknown", "", "", 3), outcome_of("rejected", "", "", 4),
        outcome_of("holey", "", "", 3), outcome_of("proved", "", "", 2)}) {
    theory.outcome = outcome;
    CHECK(map_section(map.page_with({theory})).empty());
  }
  theory = map.theory;
  theory.certificate["claim_sha256"] = std::string(64, '0');
  CHECK(map_section(map.page_with({theory})).empty());
  CHECK(map_section(page_of({checked(source("certificates/tc-5.json"), true)})).empty());
}

TEST_CASE("BOS attention off the map's axis is drawn with an arrow and said") {
  VariantMap map;
  const auto row_with = [&](const char* lower, const char* upper) {
    Input input = map.sigmoid;
    input.certificate["model"]["attention"] = "linear";
    for (json::Value& entry : input.certificate["properties"]) {
      if (entry["name"] == "bos-floor.pre") entry["lower"] = lower;
      if (entry["name"] == "bos-ceiling.pre") entry["upper"] = upper;
    }
    input.model = std::nullopt;
    VariantMap linear(std::regex_replace(
        std::string(kMapClaim), std::regex("attention = \"sigmoid\""), "attention = \"linear\""));
    return variant_row(linear.page_with({linear.theory, input}), "sigmoid");
  };
  const std::string wide = row_with("-2", "9/4");
  CHECK(contains(wide, "in [-2, 2.25]; reaches beyond the axis from 0 to 1</desc>"));
  CHECK(shape_places(wide, "proved") == std::vector<double>{9, 211});  // 5 outside either end
  CHECK(shape_places(wide, "span") == std::vector<double>{5});
  const std::string barely = row_with("-1/1000", "1001/1000");
  CHECK(contains(barely, "in [-0.001, 1.001]; reaches beyond the axis from 0 to 1</desc>"));
  CHECK(shape_places(barely, "proved") == std::vector<double>{18, 202});
  const std::string inside = row_with("0", "1");
  CHECK(contains(inside, "in [0, 1]; axis from 0 to 1</desc>"));
  CHECK(shape_places(inside, "proved") == std::vector<double>{18, 202});  // brackets' feet
}

TEST_CASE("A certificate of every kind of attention has a card with all its properties and maps") {
  const TemporaryFolder folder;
  std::vector<TinyLayer> layers = {sink_layer("sigmoid-normalised", 1, 5),
                                   sink_layer("elu1-normalised", 1, 5),
                                   sink_layer("softmax-gated", 1, 4),
                                   sink_layer("softmax", 2, 5),
                                   switch_layer("softmax-null", 4),
                                   switch_layer("sigmoid", 4),
                                   switch_layer("elu1", 4),
                                   switch_layer("linear", 0.5F)};
  for (const TinyLayer& layer : layers) {
    INFO(layer.attention << " with " << layer.heads << " heads");
    const auto path = folder / (layer.attention + ".safetensors");
    write_layer(path, layer, 5);
    const Input input = certified(path);
    const std::string page = page_of({input});
    std::size_t witnesses = 0;
    for (const json::Value& entry : input.certificate["properties"]) {
      const std::string name = entry["name"];
      INFO(name);
      const auto shown = row_numbers(page, name);
      REQUIRE(shown.size() >= 1);
      if (name.starts_with("theorem.")) continue;
      CHECK(shown[0] <= field(entry, "lower"));
      const std::size_t upper = shown.size() == 1 ? 0 : 1;  // equal ends are one number
      CHECK(shown[upper] >= field(entry, "upper"));
      witnesses += has_tokens(entry) ? 1 : 0;
    }
    REQUIRE(witnesses > 0);
    std::size_t named = 0;  // each map is drawn, or named beside its like; one again in the finding
    for (const json::Value& entry : input.certificate["properties"]) {
      if (!has_tokens(entry)) continue;
      const std::string name = entry["name"];
      for (std::size_t h = 0; h < layer.heads; ++h) {
        const std::string head = layer.heads > 1 ? ", head " + std::to_string(h) : "";
        named += contains(page, "<strong>" + name + head + "</strong>") ? 1 : 0;
      }
    }
    CHECK(named == witnesses * layer.heads);
    CHECK(count_elements(page, "figure") <= witnesses * layer.heads + 1);
    CHECK(contains(page, "<dt>heads</dt><dd>" + std::to_string(layer.heads) + "</dd>"));
    CHECK(contains(page, "<h4>Null slot</h4>") == (layer.attention == "softmax-null"));
    CHECK(contains(page, "null slot ≈ ") == (layer.attention == "softmax-null"));
    CHECK(contains(page, ", head 1</strong>") == (layer.heads == 2));
    CHECK(contains(page, "<path class=\"minus\"") == (layer.attention == "linear"));
    CHECK(contains(page, ", over all heads<") == (layer.heads == 2));
  }
}

TEST_CASE("Each head's figure shows that head") {
  const TemporaryFolder folder;
  TinyLayer layer = sink_layer("softmax", 2, 4);
  for (std::size_t i = 16; i < 32; ++i) layer.query[i] *= 2;
  write_layer(folder / "two.safetensors", layer, 5);
  const std::string page = page_of({certified(folder / "two.safetensors")});
  // Off the trigger BOS has e^b/(e^b + i - 1), docs/THEORY.md tc-5.
  static const std::regex caption(
      "<strong>sup-loss.pre, head ([01])</strong>.*?witness row ([0-9]+),.*?≈ ([0-9.]+)<");
  std::size_t found = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), caption), end; at != end; ++at) {
    const double kernel = std::exp((*at)[1] == "0" ? 4 : 8);
    CHECK(std::stod((*at)[3]) == Approx(kernel / (kernel + std::stod((*at)[2]) - 1)).epsilon(1e-3));
    ++found;
  }
  CHECK(found == 2);
}

TEST_CASE("Of very many maps the first are drawn, and the page says how many") {
  const TemporaryFolder folder;
  write_layer(folder / "many.safetensors", sink_layer("softmax", 16, 4), 5);
  const Input input = certified(folder / "many.safetensors");
  std::size_t witnesses = 0;
  for (const json::Value& entry : input.certificate["properties"]) {
    witnesses += has_tokens(entry) ? 1 : 0;
  }
  REQUIRE(16 * witnesses > 32);
  const std::string page = page_of({input});
  CHECK(count_elements(page, "figure") <= 33);  // that of the finding, too
  CHECK(contains(page, "The first 32 of " + std::to_string(16 * witnesses) + " maps are drawn."));
  // All heads of the first witness come before those of the second.
  CHECK(contains(page, "<strong>sup-loss.pre, head 15</strong>"));
  CHECK_FALSE(contains(page, "<strong>bos-ceiling.post, head 0</strong>"));
  CHECK(contains(page, "<dt>heads</dt><dd>16</dd>"));
}

TEST_CASE("Only BOS bounds of linear attention may be negative, only a null slot has a share") {
  const TemporaryFolder folder;
  const auto code_with = [&](const std::string& attention, const std::string& from,
                             const std::string& to, const char* lower) {
    const auto path = folder / (attention + ".safetensors");
    write_layer(path, switch_layer(attention, 0.5F), 5);
    Input input = certified(path);
    auto& properties = input.certificate["properties"].get_ref<json::Value::array_t&>();
    if (from != to) {
      std::erase_if(properties, [&](const json::Value& entry) { return entry["name"] == to; });
    }
    for (json::Value& entry : properties) {
      if (entry["name"] != from) continue;
      entry["name"] = to;
      entry["lower"] = lower;
    }
    return code_of({input});
  };
  CHECK(code_with("linear", "bos-floor.pre", "bos-floor.pre", "-2") == "none");
  CHECK(code_with("linear", "sup-loss.pre", "sup-loss.pre", "-2") == "SP1202");
  CHECK(code_with("sigmoid", "bos-floor.pre", "bos-floor.pre", "-2") == "SP1202");
  CHECK(code_with("softmax-null", "null-floor.pre", "null-floor.pre", "-2") == "SP1202");
  CHECK(code_with("softmax-null", "bos-floor.pre", "null-floor.pre", "0") == "none");
  CHECK(code_with("sigmoid", "bos-floor.pre", "null-floor.pre", "0") == "SP1202");
}

TEST_CASE("A sampled theorem is read with all its fields, and each is needed") {
  const Heads heads;
  Input input = heads.sink;
  input.outcome = outcome_of("statistical", "exact", "", 0);
  json::Value& properties = input.certificate["properties"];
  const std::string place = "/properties/" + std::to_string(properties.size());
  properties.push_back({{"name", "theorem.tc-2"},
                        {"claim", "tc-2"},
                        {"verdict", "statistical"},
                        {"eta", "1/30"},
                        {"samples", 500},
                        {"exceeding", 3},
                        {"alpha", "1/20"},
                        {"delta", "1/90"},
                        {"floor", "9/10"},
                        {"implied", "2/3"},
                        {"certified", "8/9"},
                        {"proof", {{"rule", "sampling"}, {"floors", {"bos-floor.pre"}}}}});
  const std::string page = page_of({input});
  CHECK(badges(page)[0] == "statistical");
  CHECK(contains(page, "≥ 0.9</span>"));
  CHECK(contains(page, "with probability ≥ 0.6666666 for a random sequence"));
  CHECK(contains(page, "at confidence 95 %: of 500 random sequences 3 had"));
  const auto with = [&](const std::string& key, const json::Value& value) {
    Input changed = input;
    changed.certificate[json::Value::json_pointer(place + "/" + key)] = value;
    return code_of({changed});
  };
  for (const char* key : {"verdict", "eta", "samples", "exceeding", "alpha", "delta", "floor",
                          "implied", "certified"}) {
    INFO(key);
    CHECK(with(key, nullptr) == "SP1202");
    CHECK(with(key, {{"x", 1}}) == "SP1202");
  }
  CHECK(with("exceeding", 500) == "none");
  CHECK(with("exceeding", 501) == "SP1202");
  CHECK(with("samples", 0) == "SP1202");
  CHECK(with("alpha", "1") == "SP1202");
  CHECK(with("delta", "0") == "SP1202");
  CHECK(with("implied", "3/2") == "SP1202");
  CHECK(with("verdict", "proved") == "SP1202");
}

TEST_CASE("The overview counts verdicts by kind and leads to what needs attention, worst first") {
  const Heads heads;
  Input rejected = heads.sink;
  rejected.path = "/x/worst.json";
  rejected.outcome = outcome_of("rejected", "", "the hash differs", 4);
  const Input missing =
      forged("/x/missing.json", nullptr, outcome_of("unknown", "", "not there", 2));
  const std::string page = page_of({heads.sink, heads.relu, rejected, missing,
                                    checked(source("certificates/tc-5.json"), false),
                                    checked(source("certificates/tc-6.json"), true)});
  const std::string top = overview_of(page);
  const auto row = [&](const std::string& kind) {
    const std::size_t begin = top.find("<th scope=\"row\">" + kind);
    REQUIRE(begin != std::string::npos);
    return top.substr(begin, top.find("</tr>", begin) - begin);
  };
  CHECK(badges_in(row("Theory claims")) == std::vector<std::string>{"proved", "unknown"});
  CHECK(badges_in(row("Checkpoints")) == std::vector<std::string>{"enclosed", "rejected"});
  CHECK(contains(row("Checkpoints"), "enclosed</span> <span class=\"num\">2</span>"));
  CHECK(contains(row("Checkpoints"), "<li>exact <span class=\"num\">2</span>"));
  CHECK(badges_in(row("Not readable")) == std::vector<std::string>{"not checked"});
  const std::string list =
      top.substr(top.find("id=\"attention\""), top.find("<nav") - top.find("id=\"attention\""));
  CHECK(badges_in(list) == std::vector<std::string>{"rejected", "not checked", "unknown"});
  CHECK(contains(list, "<a href=\"#checkpoint-3\">worst</a>the hash differs</li>"));
  CHECK(contains(list, "<a href=\"#unreadable-1\">missing</a>not there</li>"));
  CHECK(contains(list, "<a href=\"#theory-1\">tc-5</a>"));
  CHECK(contains(top, "<li><a href=\"#theory-2\">tc-6</a></li>"));
  CHECK(contains(top, "<a href=\"#checkpoint-3\">worst</a> <span class=\"flag\">rejected</span>"));
  for (const char* section : {"theory", "checkpoints", "unreadable", "recheck"}) {
    CHECK(contains(top, "<dt><a href=\"#" + std::string(section) + "\">"));
  }
  CHECK_FALSE(contains(top, "#vectors"));
  CHECK(contains(top, kSomethingToSee));
  CHECK_FALSE(contains(overview_of(page_of({heads.sink})), kSomethingToSee));
}

TEST_CASE("Links lead into the proofs where the very file is there, and nowhere else") {
  const Input input = checked(source("certificates/tc-5.json"), true);
  const auto links = [&](const Options& options) {
    const auto page = html({input}, options);
    REQUIRE(page.has_value());
    CHECK(first_fault(*page).empty());
    static const std::regex link("href=\"([^#\"][^\"]*)\"");
    std::set<std::string> found;
    for (std::sregex_iterator at(page->begin(), page->end(), link), end; at != end; ++at) {
      found.insert((*at)[1]);
    }
    return found;
  };
  const std::string base = kProofBase;
  const std::set<std::string> all = {
      base + "/tc-5/README.md", base + "/tc-5/closed-row.implication.json",
      base + "/tc-5/positive-loss.implication.json", base + "/tc-5/zero_output.v"};
  CHECK(links({source("proofs"), base}) == all);
  CHECK(links({source("proofs"), base + "/"}) == all);
  CHECK(links({source("proofs"), std::nullopt}).empty());
  CHECK(links({std::nullopt, base}).empty());
  // Without its README, the rest of the folder is still the one the certificate names.
  const TemporaryFolder proofs;
  std::filesystem::copy(source("proofs/tc-5"), proofs / "tc-5");
  std::filesystem::remove(proofs / "tc-5/README.md");
  std::set<std::string> rest = all;
  rest.erase(base + "/tc-5/README.md");
  CHECK(links({proofs / "", base}) == rest);
  const auto toml = proofs / "tc-5/claim.toml";
  REQUIRE(output::replace(toml, file::read(toml).value() + "\n# another\n"));
  CHECK(links({proofs / "", base}).empty());
}

TEST_CASE("The markup reader finds each kind of fault") {
  const std::string doctype = "<!DOCTYPE html>\n";
  CHECK(first_fault(doctype + "<p>a &amp; b<br></p>").empty());
  for (const char* fault :
       {"<p>", "<p></div>", "</p>", "<p a=b></p>", "<p a=\"1\" a=\"2\"></p>", "a & b", "a > b",
        "<p><div></div></p>", "<p id=\"a\"></p><p id=\"a\"></p>", "<p onclick=\"x\"></p>",
        "<img src=\"x\">", "<a href=\"x\"></a>", "<a href=\"https://example.com/\"></a>",
        "<a href=\"#\"></a>", "<a href=\"#y\"></a>", "<style>a{b:url(x)}</style>", "<p/>", "< p>",
        "<style>"}) {
    INFO(fault);
    CHECK_FALSE(first_fault(doctype + fault).empty());
  }
  CHECK(first_fault(doctype + "<a href=\"#y\"></a><p id=\"y\"></p>").empty());
  CHECK_FALSE(first_fault("<p></p>").empty());
}

TEST_CASE(
    "Tables and figures beside the certificates: escaped, grouped, each cell with its column") {
  const TemporaryFolder folder;
  write_head(folder / "sink.safetensors", sink_head(3), 5);
  Options options;
  options.tables = {{"A & B",
                     "words",
                     "Model",
                     {{"sampled", "estimate", {"before", "after"}}, {"box", "certified", {"all"}}},
                     {{"m<1>", "head 0", {"1", "2\n3", "<4>"}}}}};
  options.figures = {{"one", "<svg>1</svg>", "first", ""},
                     {"two", "<svg>2</svg>", "first", "caption & all"},
                     {"three", "<svg>3</svg>", "second", ""}};
  const std::string page = html({certified(folder / "sink.safetensors")}, options).value();
  CHECK(contains(page, "<h3>A &amp; B</h3>"));
  CHECK(contains(page, "colspan=\"2\">sampled <span class=\"tag\">estimate</span></th>"));
  CHECK(contains(page, "<span class=\"id\">m&lt;1&gt;</span><span class=\"file\">head 0</span>"));
  CHECK(contains(page, "data-label=\"sampled, after (estimate)\">2<br>3</td>"));
  CHECK(contains(page, "data-label=\"box, all (certified)\">&lt;4&gt;</td>"));
  CHECK(contains(page, "caption &amp; all"));
  const auto first = page.find("<h3>first</h3>");
  const auto second = page.find("<h3>second</h3>");
  CHECK(page.find("<svg>2</svg>") > first);
  CHECK(page.find("<svg>2</svg>") < second);
  CHECK(page.find("<svg>3</svg>") > second);
  CHECK(page.find("<h3>first</h3>", first + 1) == std::string::npos);
  CHECK(contains(page, "href=\"#experiments\""));
  CHECK_FALSE(contains(page_of({certified(folder / "sink.safetensors")}), "id=\"experiments\""));
}
