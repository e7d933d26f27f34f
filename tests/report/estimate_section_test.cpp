// What an audit printed, on the page: labelled as an estimate, and refused where it was edited.
#include <catch2/catch.hpp>
#include <cmath>
#include <regex>

#include "heads.hpp"
#include "language_audits.hpp"
#include "markup.hpp"
#include "output/replace.hpp"
#include "report/estimate_reading.hpp"
#include "report/language_reading.hpp"
#include "report/page.hpp"

using namespace sinkproof;
using namespace sinkproof::report;
using namespace sinkproof::report::test;

namespace {

constexpr std::size_t kLength = 12;

// Entry i, row-major, is start + i step.
json::Value table(std::size_t rows, std::size_t columns, double start, double step) {
  json::Value all = json::Value::array();
  for (std::size_t r = 0; r < rows; ++r) {
    all.push_back(json::Value::array());
    for (std::size_t c = 0; c < columns; ++c) {
      all.back().push_back(start + step * static_cast<double>(r * columns + c));
    }
  }
  return all;
}

json::Value moments(double start, double step) {
  return {{"mean", table(kLayers, kHeads, start, step)},
          {"standard_error", table(kLayers, kHeads, 0.01, 0)}};
}

json::Value row(std::size_t size, double start) { return table(1, size, start, 1)[0]; }

// Alphas 0.05, 0.15, .. 0.75 over twenty sequences of twelve tokens; above 3/10 are the last five.
json::Value printed() {
  json::Value summary = {
      {"sequences", 20},
      {"tokens", 240},
      {"shortest", kLength},
      {"longest", kLength},
      {"reached", std::vector<int>(kLength, 20)},
      {"alpha", moments(0.05, 0.1)},
      {"value-alpha", moments(0.01, 0.01)},
      {"above",
       {{"alpha", {{0, 0, 0, 20}, {20, 20, 20, 7}}},
        {"value-alpha", {{0, 0, 0, 0}, {0, 0, 0, 0}}}}},
      {"largest-hidden-norm", table(kLayers + 1, kLength, 100, 1)},
      {"shares", {87, 16, 0, 4, 0}},
      {"moved",
       {{"evict 1,4",
         {{"mean", row(kLayers + 2, 0)},
          {"standard_error", row(kLayers + 2, 0)},
          {"largest", row(kLayers + 2, 5)}}}}},
      {"mean-cosine", {{"mean", row(kLayers + 1, 0)}, {"standard_error", row(kLayers + 1, 0)}}},
      {"hidden-norm", table(kLayers + 1, kLength, 1, 1)}};
  for (const char* name : {"value-ratio", "broadcast-share", "norm-product", "cosine"}) {
    summary[name] = moments(0.1, 0.01);
  }
  for (const char* name : {"query-norm", "key-norm", "value-norm"}) {
    summary[name] = table(kLayers, kLength, 1, 1);
  }
  return {{"schema", 1},
          {"kind", "language"},
          {"arithmetic", "estimates in float64"},
          {"architecture", "llama"},
          {"attention", "softmax"},
          {"layers", kLayers},
          {"heads", kHeads},
          {"key_heads", kKeyHeads},
          {"width", 16},
          {"files", {{"config.json", std::string(64, 'a')}}},
          {"tokens", {{"sha256", std::string(64, 'b')}}},
          {"position", 1},
          {"epsilon", "3/10"},
          {"summary", std::move(summary)},
          {"estimates", {{"sink-share", 0.54}, {"value-sink-share", 0.0}}}};
}

json::Value sealed(json::Value value) {
  value["digest"] = estimate_digest(value);
  return value;
}

struct Files {
  TemporaryFolder folder;

  std::vector<Input> read(const json::Value& value, const std::string& name = "audit.json") {
    REQUIRE(output::replace(folder / name, value.dump(1)));
    auto inputs = read_estimates(folder / name);
    REQUIRE(inputs);
    return *std::move(inputs);
  }
  std::string refusal(const json::Value& value) {
    const std::vector<Input> inputs = read(value);
    REQUIRE(inputs.size() == 1);
    CHECK(inputs[0].estimate == nullptr);
    CHECK(inputs[0].outcome.exit_code == 2);
    return inputs[0].outcome.code + " " + inputs[0].outcome.reason;
  }
};

std::string page_of(const std::vector<Input>& inputs) {
  const auto page = html(inputs, {});
  REQUIRE(page.has_value());
  CHECK(first_fault(*page) == "");
  return *page;
}

}  // namespace

TEST_CASE("A page of estimates says which heads sink and that nothing is proved") {
  Files files;
  const std::string page = page_of(files.read(sealed(printed())));
  CHECK(contains(page,
                 "<h1>5 of 8 heads put more than 0.3 of their attention on position 1, on "
                 "average over 20 sequences: layer 1, head 3 (≈ 0.75); layer 1, head 2 (≈ "
                 "0.65); layer 1, head 1 (≈ 0.55); …</h1>"));
  CHECK(contains(page, "Nothing on this page is proved"));
  CHECK_FALSE(contains(page, "<span class=\"tag\">proved</span>"));
  CHECK_FALSE(contains(page, "Check it again"));
  CHECK_FALSE(contains(page, "accepted"));
  CHECK_FALSE(contains(page, "for certain"));
  CHECK(contains(page, "≈ 0.75 ± 0.01"));
  // Ranked: the head that sinks most comes first.
  CHECK(page.find("layer 1, head 3</th>") < page.find("layer 0, head 0</th>"));
  const std::vector<std::string> said = sentences(files.read(sealed(printed())), {}).value();
  REQUIRE(said.size() == 1);
  CHECK(contains(said[0], "(estimate, not proved)"));
}

TEST_CASE("Each figure of an estimate is marked, and each of a certificate") {
  Files files;
  const std::string page = page_of(files.read(sealed(printed())));
  const std::size_t figures = count(page, "<figure class=\"map");
  CHECK(figures == 8);
  CHECK(count(page, "</strong> <span class=\"tag\">estimate, not proved</span>") == figures);
  const std::size_t charts = count(page, "<svg class=\"chart\"");
  CHECK(charts == 3);
  CHECK(count(page, "</span><span class=\"tag\">estimate, not proved</span></p>") +
            count(page, "</span> <span class=\"tag\">estimate, not proved</span></p>") ==
        charts);
}

TEST_CASE("Estimates stand beside certificates in a section of their own") {
  Files files;
  const std::filesystem::path config = files.folder / "config.json";
  certificate::Language language = language_model(config);
  language.sequences = {{7, 8, 9}};
  language.statements.push_back(stated(certificate::LanguageReadout::kAlpha, 0, kLayers * kHeads, 0,
                                       exact::make_rational(1, 10)));
  std::vector<Input> inputs = files.read(sealed(printed()));
  inputs.push_back(input_of(language, files.folder / "proof.json", config));
  const std::string page = page_of(inputs);
  const std::size_t estimates = page.find("<section id=\"estimates\">");
  const std::size_t proved = page.find("<section id=\"language\">");
  REQUIRE(estimates != std::string::npos);
  REQUIRE(proved < estimates);
  const std::string of_certificate = page.substr(proved, estimates - proved);
  CHECK(contains(of_certificate, "<span class=\"tag\">proved</span>"));
  CHECK_FALSE(contains(of_certificate, "estimate, not proved"));
  CHECK_FALSE(contains(page.substr(estimates), "<span class=\"tag\">proved</span>"));
  CHECK(contains(page, "<strong>1</strong><span>certificate</span>"));
  CHECK(contains(page, "<strong>1</strong><span>model estimated, not proved</span>"));
  CHECK(contains(page, "the checker accepted every certificate"));
  CHECK(contains(page, "No checker saw what is marked as an estimate"));
  // What is checked again are certificates.
  CHECK(contains(page, "sinkproof-check --models models proof.json</pre>"));
}

TEST_CASE(
    "Sink shares are of positions that eight queries see, and of the one that was asked for") {
  Files files;
  const auto inputs = files.read(sealed(printed()));
  const auto shares = sink_shares(*inputs[0].estimate);
  REQUIRE(shares.size() == 5);  // 12 - 8 + 1
  CHECK(shares[1].share->lower == exact::make_rational(16, 160));
  CHECK(shares[0].share->lower == exact::make_rational(87, 160));

  // Of a certificate, too.
  const std::filesystem::path config = files.folder / "config.json";
  certificate::Language language = language_model(config);
  language.sequences = {certificate::TokenIds(10, 7)};
  language.statements.push_back(stated(certificate::LanguageReadout::kAlpha, 0, kLayers * kHeads, 0,
                                       exact::make_rational(1, 10)));
  for (std::size_t position = 1; position <= 10; ++position) {
    certificate::LanguageQuestion question;
    question.readout = certificate::LanguageReadout::kSinkShare;
    question.position = position;
    question.epsilon = exact::make_rational(3, 10);
    language.statements.push_back(stated(question, {1}, 0));
  }
  const auto audit = read_audit(input_of(language, files.folder / "proof.json", config));
  REQUIRE(audit);
  CHECK(sink_shares(*audit).size() == 3);
}

TEST_CASE("An audit that was edited is refused by name") {
  Files files;
  json::Value value = sealed(printed());
  value["summary"]["alpha"]["mean"][0][0] = 0.95;
  CHECK(contains(files.refusal(value), "SP1207 audit.json has been edited"));
  value = sealed(printed());
  value["digest"] = std::string(64, '0');
  CHECK(contains(files.refusal(value), "SP1207"));
  const std::string page = page_of(files.read(value));
  CHECK(contains(page, "has been edited"));
  CHECK_FALSE(contains(page, "0.75"));
  // Only its values count, not how they are set.
  REQUIRE(output::replace(files.folder / "flat.json", sealed(printed()).dump()));
  CHECK((*read_estimates(files.folder / "flat.json"))[0].estimate != nullptr);
}

TEST_CASE("What is not of the form is refused with the field's name") {
  Files files;
  const auto refused = [&](const char* pointer, const json::Value& put, const std::string& name) {
    INFO(pointer);
    json::Value value = printed();
    value[json::Value::json_pointer(pointer)] = put;
    const std::string said = files.refusal(sealed(value));
    CHECK(said.starts_with("SP1208 "));
    CHECK(contains(said, name));
  };
  refused("/surprise", 1, "surprise is unknown");
  refused("/schema", 2, "schema");
  refused("/arithmetic", "proved", "arithmetic");
  refused("/architecture", "mamba", "architecture");
  refused("/attention", "softmx", "attention");
  refused("/layers", 3, "summary.alpha.mean");
  refused("/heads", -1, "heads");
  refused("/position", 13, "position");
  refused("/epsilon", "0", "epsilon");
  refused("/summary/alpha/mean/1/2", nullptr, "summary.alpha.mean[1][2]");
  refused("/summary/alpha/standard_error/0", 1, "summary.alpha.standard_error[0]");
  refused("/summary/above/alpha/0/0", 21, "summary.above.alpha");
  refused("/summary/shares/0", 161, "summary.shares");
  refused("/summary/moved/drop 1", json::Value::object(), "summary.moved.drop 1");
  refused("/summary/hidden-norm", 1, "summary.hidden-norm");
  for (const auto& item : printed()["summary"].items()) {
    if (item.key() == "tokens") continue;
    json::Value value = printed();
    value["summary"].erase(item.key());
    INFO(item.key());
    CHECK(contains(files.refusal(sealed(value)), "summary." + item.key() + " is missing"));
  }
}

TEST_CASE("Several models of one audit keep their names, and other files are for the checker") {
  Files files;
  json::Value one = printed();
  one["name"] = "first";
  json::Value other = printed();
  other["name"] = "second";
  const json::Value both = {
      {"schema", 1}, {"kind", "language-models"}, {"models", {sealed(one), sealed(other)}}};
  const auto inputs = files.read(both);
  REQUIRE(inputs.size() == 2);
  const std::string page = page_of(inputs);
  CHECK(contains(page, "<a href=\"#estimate-2\">second</a>"));
  CHECK(contains(page, "Side by side"));
  REQUIRE(output::replace(files.folder / "other.json", "{\"kind\": \"language\"}"));
  CHECK_FALSE(read_estimates(files.folder / "other.json"));
  CHECK_FALSE(read_estimates(files.folder / "none.json"));
}

namespace {

json::Value with_loss(double loss, double change) {
  json::Value value = printed();
  value["summary"]["loss"] = {
      {"mean", loss},
      {"standard_error", 0.1},
      {"perplexity", std::exp(loss)},
      {"sequences", 20},
      {"interventions",
       {{"evict 1,4", {{"mean", loss + change}, {"change", {{"mean", change}}}}}}}};
  return value;
}

}  // namespace

TEST_CASE("The loss, and what an intervention adds to it, are in the facts and in the table") {
  Files files;
  const std::string page = page_of(files.read(sealed(with_loss(2, 0.5))));
  CHECK(contains(page, "<dt>next-token loss</dt><dd>2 nats per token</dd>"));
  CHECK(contains(page, "<dt>perplexity</dt><dd>7.389</dd>"));
  CHECK(contains(page, "data-label=\"Loss\" data-sort=\"0.5\">≈ 0.5</td>"));
  CHECK(contains(page, "data-label=\"Perplexity\">12.18</td>"));
  CHECK_FALSE(contains(page_of(files.read(sealed(printed()))), "Perplexity"));
}

TEST_CASE("Audits of one run are drawn over its steps") {
  Files files;
  std::vector<Input> inputs = files.read(sealed(with_loss(3, 0.25)), "step-100.json");
  for (const Input& input : files.read(sealed(with_loss(2, 0.5)), "step-400.json")) {
    inputs.push_back(input);
  }
  Options options;
  CHECK_FALSE(contains(*html(inputs, options), "Over training steps"));
  options.steps = {100, 400};
  const std::string page = html(inputs, options).value();
  CHECK(first_fault(page) == "");
  CHECK(contains(page,
                 "<h3>Over training steps <span class=\"tag\">estimate, not proved</span></h3>"));
  for (const char* id : {"training-shares", "training-loss", "training-changes"}) {
    INFO(id);
    CHECK(count(page, std::string("<title id=\"") + id + "-title\">") == 1);
  }
  CHECK(contains(page, "data-sort=\"400\">step 400</th>"));
  CHECK(contains(page, "data-label=\"Sink share\">≈ 0.5437</td>"));  // 87 of 160
  CHECK(contains(page, "data-label=\"Largest alpha\">≈ 0.75 (layer 1, head 3)</td>"));
  CHECK(contains(page, "data-label=\"Loss\">≈ 3</td>"));
}

TEST_CASE("Without a loss in every audit there is no curve of it") {
  Files files;
  std::vector<Input> inputs = files.read(sealed(with_loss(3, 0.25)), "a.json");
  for (const Input& input : files.read(sealed(printed()), "b.json")) inputs.push_back(input);
  Options options;
  options.steps = {1, 2};
  const std::string page = html(inputs, options).value();
  CHECK(contains(page, "training-shares-title"));
  CHECK_FALSE(contains(page, "training-loss-title"));
  CHECK_FALSE(contains(page, "training-changes-title"));
}

TEST_CASE("Texts of tokens are read with the ids, one for each") {
  Files files;
  json::Value value = printed();
  value["sequences"] = json::Value::parse("[[7, 8]]");
  value["texts"] = json::Value::parse(R"([["<b>", "\u202eevil"]])");
  const auto inputs = files.read(sealed(value));
  REQUIRE(inputs[0].estimate);
  CHECK(inputs[0].estimate->texts[0][0] == "<b>");
  CHECK(inputs[0].estimate->texts[0][1] == "\uFFFDevil");
  CHECK(contains(page_of(inputs), "“&lt;b&gt;"));
  value["texts"] = json::Value::parse(R"([["one"]])");
  CHECK(contains(files.refusal(sealed(value)), "texts[0] must be a list of 2"));
  value["texts"] = json::Value::array();
  CHECK(contains(files.refusal(sealed(value)), "texts must be a list with an entry"));
}
