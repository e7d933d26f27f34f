#include "report/language_section.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>

#include "heads.hpp"
#include "language_audits.hpp"
#include "markup.hpp"
#include "output/replace.hpp"
#include "report/language_reading.hpp"
#include "report/page.hpp"

using namespace sinkproof;
using namespace sinkproof::report;
using namespace sinkproof::report::test;
using certificate::LanguageQuestion;
using certificate::LanguageReadout;
using exact::make_rational;
using exact::Rational;

namespace {

LanguageQuestion share(LanguageReadout readout, std::size_t position, const Rational& epsilon) {
  LanguageQuestion question;
  question.readout = readout;
  question.position = position;
  question.epsilon = epsilon;
  return question;
}

LanguageQuestion moved(const certificate::Intervention& intervention, std::size_t sequence) {
  LanguageQuestion question;
  question.readout = LanguageReadout::kMoved;
  question.sequence = sequence;
  question.intervention = intervention;
  return question;
}

certificate::Intervention eviction(std::size_t first, std::size_t window) {
  certificate::Intervention intervention;
  intervention.eviction = certificate::Eviction{first, window, false};
  return intervention;
}

certificate::Intervention ablation(std::size_t layer, std::size_t head) {
  certificate::Intervention intervention;
  intervention.ablated = {{layer, head}};
  return intervention;
}

// Two sequences of three and two tokens. Alphas of the first are 0, 1/10, .. 7/10, of the second
// 1/10 more each; hidden norms of the first 1, 2, .., of the second 100, 101, ...
certificate::Language two_sequences(const std::filesystem::path& config) {
  certificate::Language language = language_model(config);
  language.sequences = {{7, 8, 9}, {70, 80}};
  const Rational tenth = make_rational(1, 10);
  auto& statements = language.statements;
  for (const auto readout :
       {LanguageReadout::kAlpha, LanguageReadout::kValueRatio, LanguageReadout::kBroadcastShare}) {
    statements.push_back(stated(readout, 0, kLayers * kHeads, 0, tenth));
    statements.push_back(stated(readout, 1, kLayers * kHeads, tenth, tenth));
  }
  statements.push_back(stated(LanguageReadout::kHiddenNorm, 0, (kLayers + 1) * 3, 1, 1));
  statements.push_back(stated(LanguageReadout::kHiddenNorm, 1, (kLayers + 1) * 2, 100, 1));
  statements.push_back(stated(LanguageReadout::kKeyNorm, 0, kLayers * kKeyHeads * 3, 1, 1));
  statements.push_back(stated(LanguageReadout::kMeanCosine, 0, kLayers + 1, -1, 1));
  statements.push_back(stated(share(LanguageReadout::kSinkShare, 1, make_rational(35, 100)),
                              {make_rational(9, 16)}, 0));
  statements.push_back(stated(moved(eviction(4, 8), 0), {0, 1, 20, 3000}, 1));
  statements.push_back(stated(moved(eviction(4, 8), 1), {0, 2, 10, 4000}, 1));
  statements.push_back(stated(moved(ablation(1, 3), 0), {-1, -1, 5, 6000}, 1));
  return language;
}

struct Model {
  TemporaryFolder folder;
  std::filesystem::path config = folder / "config.json";
  certificate::Language language = two_sequences(config);

  [[nodiscard]] Input input() const { return input_of(language, folder / "one.json", config); }
  [[nodiscard]] LanguageAudit audit() const {
    auto audit = read_audit(input());
    REQUIRE(audit);
    return std::move(*audit);
  }
};

std::string page_of(const std::vector<Input>& inputs) {
  const auto page = html(inputs, {});
  REQUIRE(page.has_value());
  CHECK(first_fault(*page) == "");
  return *page;
}

std::string text_of(const std::string& markup) {
  return std::regex_replace(markup, std::regex("<[^>]*>"), "|");
}

}  // namespace

TEST_CASE("Figures are means or largest over the sequences that state them") {
  const Model model;
  const LanguageAudit audit = model.audit();
  CHECK(audit.longest() == 3);
  const auto alpha = by_head(audit, LanguageReadout::kAlpha, 1);
  REQUIRE(alpha);
  CHECK(alpha->at(1, 2).lower == make_rational(65, 100));  // of .6 and .7
  CHECK(alpha->at(1, 2).upper > make_rational(65, 100));
  CHECK_FALSE(by_head(audit, LanguageReadout::kAlpha, 2));

  const auto hidden = by_position(audit, LanguageReadout::kHiddenNorm, Kept::kLargest);
  REQUIRE(hidden);
  CHECK(hidden->rows == kLayers + 1);
  CHECK(hidden->columns == 3);
  CHECK(hidden->at(1, 1).lower == 103);  // the second sequence's
  CHECK(hidden->at(1, 2).lower == 6);    // it has no third token

  const auto keys = by_position(audit, LanguageReadout::kKeyNorm, Kept::kMean);
  REQUIRE(keys);
  CHECK(keys->rows == kLayers);
  CHECK(keys->at(1, 0).lower == make_rational(17, 2));  // of 7 and 10

  const auto cosine = by_layer(audit, LanguageReadout::kMeanCosine);
  REQUIRE(cosine);
  CHECK(cosine->cells.size() == kLayers + 1);
  CHECK(cosine->cells[0].lower == -1);
}

TEST_CASE("Which heads sink for certain is counted sequence by sequence") {
  const Model model;
  const LanguageAudit audit = model.audit();
  const auto heads = sinking(audit, LanguageReadout::kAlpha, 1, make_rational(4000005, 10000000));
  REQUIRE(heads.size() == kLayers * kHeads);
  CHECK(heads[2].certain == 0);
  CHECK(heads[2].undecided == 0);
  CHECK(heads[3].certain == 0);
  CHECK(heads[3].undecided == 1);  // the second sequence's is within a millionth of .4
  CHECK(heads[4].certain == 1);
  CHECK(heads[4].undecided == 1);
  CHECK(heads[5].certain == 2);
  CHECK(heads[5].sequences == 2);
}

TEST_CASE("The most that an intervention moves, in any sequence, and never less than nothing") {
  const Model model;
  const auto all = moves(model.audit());
  REQUIRE(all.size() == 2);
  CHECK(all[0].sequences == 2);
  REQUIRE(all[0].rows.size() == kLayers + 1);
  CHECK(all[0].rows[1].lower == 2);
  CHECK(all[0].rows[2].lower == 20);
  REQUIRE(all[0].logits);
  CHECK(all[0].logits->lower == 4000);
  CHECK(all[1].rows[0].lower == 0);
  CHECK(all[1].rows[0].upper == 0);
}

TEST_CASE("A model whose files hold no head moves no logits") {
  Model model;
  certificate::LanguageStatement* first = nullptr;
  for (auto& statement : model.language.statements) {
    if (statement.question.readout != certificate::LanguageReadout::kMoved) continue;
    if (first == nullptr) first = &statement;
    statement.lower.pop_back();
    statement.upper.pop_back();
  }
  for (const auto& moved : moves(model.audit())) {
    CHECK_FALSE(moved.logits);
    CHECK(moved.rows.size() == kLayers + 1);
  }
  REQUIRE(first != nullptr);
  first->lower.emplace_back(0);
  first->upper.emplace_back(1);
  const auto page = html({input_of(model.language, model.folder / "c.json", model.config)}, {});
  REQUIRE_FALSE(page);
  CHECK(page.error().code == "SP1202");  // one with, one without
}

TEST_CASE("The position that sinks most is the one that is drawn") {
  Model model;
  CHECK(sink_position(model.audit()) == std::size_t{1});
  auto second = stated(LanguageReadout::kAlpha, 0, kLayers * kHeads, 0, 0);
  second.question.position = 2;
  model.language.statements.push_back(second);
  model.language.statements.push_back(stated(
      share(LanguageReadout::kSinkShare, 2, make_rational(1, 10)), {make_rational(10, 16)}, 0));
  model.language.statements.push_back(stated(
      share(LanguageReadout::kSinkShare, 1, make_rational(1, 10)), {make_rational(9, 16)}, 0));
  // A share of a position without alphas is not drawn where few queries see it.
  model.language.statements.push_back(
      stated(share(LanguageReadout::kSinkShare, 3, make_rational(1, 10)), {Rational(1)}, 0));
  CHECK(positions_of(model.audit()) == std::vector<std::size_t>{1, 2});
  CHECK(sink_position(model.audit()) == std::size_t{2});
  const std::string page = page_of({model.input()});
  // Sequences of two and three tokens: no position has the queries of a chart, and the table states
  // the two that were asked for.
  CHECK_FALSE(contains(page, "Share of heads that sink, by position"));
  CHECK(contains(page, "position 2</th>"));
  CHECK_FALSE(contains(page, "position 3</th>"));
}

TEST_CASE("A page about a language model says what its certificate states") {
  const Model model;
  const std::string page = page_of({model.input()});
  const std::string text = text_of(page);
  CHECK(contains(text, "enclosed"));
  CHECK(contains(text, "2 of 2 to 3 tokens"));
  CHECK(contains(text, "4, 2 of keys"));
  CHECK(contains(text, "7 8 9"));
  CHECK(contains(page, "layer 1, head 3: alpha 0.7500…"));
  CHECK(contains(page, "layer out, position 2: hidden-norm 105.0…"));
  CHECK(contains(text, "0.5625"));
  CHECK(contains(text, "first 4, window 8"));
  CHECK(contains(text, "layer 1, head 3 without key 1"));
  CHECK(contains(page, "data-sort=\"6000\""));
  CHECK(contains(text, "Alpha &gt; 7/20"));
  // One alone has nothing to be compared with.
  CHECK_FALSE(contains(page, "Side by side"));
  // By falling alpha: the last head first.
  CHECK(page.find("layer 1, head 3</th>") < page.find("layer 0, head 0</th>"));
}

TEST_CASE("Marks tell heads that sink in every sequence, in some, and those undecided") {
  const auto marks = [](const Rational& epsilon) {
    Model model;
    for (auto& statement : model.language.statements) {
      if (statement.question.row().is_share) statement.question.epsilon = epsilon;
    }
    const std::string page = page_of({model.input()});
    const std::size_t begin = page.find("id=\"language-1-alpha\"");
    const std::string map = page.substr(begin, page.find("</figure>", begin) - begin);
    const auto count = [&](const char* part) {
      const std::regex wanted(part);
      return std::distance(std::sregex_iterator(map.begin(), map.end(), wanted), {});
    };
    return std::vector<std::ptrdiff_t>{count("<circle class=\"mark-on full"),
                                       count("<circle class=\"mark-on in"),
                                       count("<path class=\"mark-on in")};
  };
  // Above .35 are, of the alphas 0 to .7 and .1 to .8, the last four twice and one more once.
  CHECK(marks(make_rational(35, 100)) == std::vector<std::ptrdiff_t>{4, 1, 0});
  CHECK(marks(make_rational(4000005, 10000000)) == std::vector<std::ptrdiff_t>{3, 0, 2});
}

TEST_CASE("Several are compared, the largest sink share first") {
  const Model one;
  Model other;
  for (auto& statement : other.language.statements) {
    if (statement.question.row().is_share) {
      statement.lower = {make_rational(3, 4)};
      statement.upper = {make_rational(7, 8)};
    }
  }
  const Input second = input_of(other.language, other.folder / "two.json", other.config);
  const std::string page = page_of({one.input(), second});
  const std::size_t table = page.find("Side by side");
  REQUIRE(table != std::string::npos);
  const std::string rows = page.substr(table, page.find("</table>", table) - table);
  const std::size_t first = rows.find("<a href=\"#language-2\">two</a>");
  const std::size_t last = rows.find("<a href=\"#language-1\">one</a>");
  REQUIRE(first != std::string::npos);
  REQUIRE(last != std::string::npos);
  CHECK(first < last);
  CHECK(contains(rows, "[0.75, 0.875]"));
  CHECK(contains(rows, "0.5625"));
  CHECK(contains(rows, "104"));  // the largest norm at position 1
  CHECK(contains(rows, "first 4, window 8"));
}

TEST_CASE("Nothing is shown of a language certificate that was not accepted") {
  const Model model;
  Input input = model.input();
  input.outcome.verdict = "rejected";
  input.outcome.evidence = "";
  input.outcome.reason = "statements[0]: number 3 is not shown to lie within";
  input.outcome.exit_code = 4;
  const std::string page = page_of({input});
  CHECK(contains(page, "rejected"));
  CHECK(contains(page, "number 3 is not shown to lie within"));
  CHECK_FALSE(contains(page, "0.7500…"));
  CHECK_FALSE(contains(page, "0.5625"));
}

TEST_CASE("Without the right config.json a card says why it is empty") {
  const Model model;
  Input input = model.input();
  input.model = std::nullopt;
  CHECK(contains(page_of({input}), "its config.json is not at hand (SP1203)"));
  input.model = model.folder / "other.json";
  REQUIRE(output::replace(*input.model, "{}"));
  const std::string page = page_of({input});
  CHECK(contains(page, "the config.json at hand is another model"));
  CHECK_FALSE(contains(page, "0.5625"));
}

TEST_CASE("A certificate of other sizes than its model's is not the one that was accepted") {
  const auto code = [](const certificate::Language& language, const Model& model) {
    const auto page = html({input_of(language, model.folder / "c.json", model.config)}, {});
    return page ? "none" : page.error().code;
  };
  const Model model;
  CHECK(code(model.language, model) == "none");
  certificate::Language shorter = model.language;
  shorter.statements[0].lower.pop_back();
  shorter.statements[0].upper.pop_back();
  CHECK(code(shorter, model) == "SP1202");
  certificate::Language far = model.language;
  far.statements.back().question.intervention = ablation(kLayers, 0);
  CHECK(code(far, model) == "SP1202");
}
