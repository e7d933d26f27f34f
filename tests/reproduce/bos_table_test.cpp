#include "reproduce/bos_table.hpp"

#include <catch2/catch.hpp>

#include "report/input_reading.hpp"

namespace sinkproof::reproduce {
namespace {

using exact::make_rational;

// One head of length 16; the weights on BOS are 1, 1/2, 1/3, ...
AttentionSample uniform_sample(const std::string& sha256) {
  AttentionSample sample{{10, 8, 0}, sha256, {{{}}}};
  HeadSample& head = sample.heads[0][0];
  for (std::size_t row = 1; row <= 16; ++row) {
    head.mean.emplace_back(row, 1.0 / static_cast<double>(row));
  }
  head.bos.trigger.mean = 0.5;
  head.bos.after.deviation = 0.75;
  head.alpha = {0.25, 0.125};
  return sample;
}

report::Input example(const std::string& name) {
  const std::string folder = std::string(SINKPROOF_SOURCE_DIR) + "/examples/variants/";
  check::Options options;
  options.claims = std::string(SINKPROOF_SOURCE_DIR) + "/proofs";
  return report::read_input(folder + name + ".json", options);
}

std::string sha256_of(const report::Input& input) {
  return input.certificate.at("model").at("sha256").get<std::string>();
}

exact::Rational stated(const report::Input& input, const std::string& name, const char* side) {
  for (const json::Value& property : input.certificate.at("properties")) {
    if (property.at("name") != name) continue;
    return *exact::parse_rational(property.at(side).get<std::string>());
  }
  FAIL(name);
  return 0;
}

}  // namespace

TEST_CASE("A line has the sample's figures, and nothing that no certificate says") {
  const auto lines = bos_lines("m", uniform_sample("x"), {});
  REQUIRE(lines.size() == 1);
  const BosLine& line = lines.front();
  CHECK(line.sampled.trigger.mean == 0.5);
  CHECK(line.sampled.after.deviation == 0.75);
  CHECK(line.alpha.mean == 0.25);
  CHECK_FALSE(line.drawn.has_value());
  CHECK_FALSE(line.box.before.has_value());
}

TEST_CASE("The box's columns are the proved sides of an accepted certificate") {
  const report::Input input = example("softmax");
  REQUIRE(input.outcome.exit_code == 0);
  const auto lines = bos_lines("m", uniform_sample(sha256_of(input)), {input});
  const auto& box = lines.front().box;
  REQUIRE((box.before && box.trigger && box.after));
  CHECK(box.before->lower == stated(input, "bos-floor.pre", "lower"));
  CHECK(box.before->upper == stated(input, "bos-ceiling.pre", "upper"));
  CHECK(box.trigger->lower == stated(input, "bos-floor.trigger", "lower"));
  CHECK(box.trigger->upper == stated(input, "bos-ceiling.trigger", "upper"));
  CHECK(box.after->lower == stated(input, "bos-floor.post", "lower"));
  CHECK(box.after->upper == stated(input, "bos-ceiling.post", "upper"));
  CHECK(box.trigger->upper < box.before->lower);
  CHECK_FALSE(lines.front().drawn.has_value());
}

TEST_CASE("What the checker did not accept, and what is about another model, is not shown") {
  report::Input input = example("softmax");
  const std::string sha256 = sha256_of(input);
  CHECK_FALSE(bos_lines("m", uniform_sample("other"), {input}).front().box.before.has_value());
  input.outcome.exit_code = 4;
  input.outcome.verdict = "rejected";
  CHECK_FALSE(bos_lines("m", uniform_sample(sha256), {input}).front().box.before.has_value());
}

TEST_CASE("A bound over all heads is not said of one of two") {
  const report::Input input = example("softmax-heads2");
  REQUIRE(input.outcome.exit_code == 0);
  AttentionSample sample = uniform_sample(sha256_of(input));
  sample.heads[0].push_back(sample.heads[0][0]);
  const auto lines = bos_lines("m", sample, {input});
  REQUIRE(lines.size() == 2);
  CHECK(lines[1].head == 1);
  CHECK_FALSE(lines[0].box.before.has_value());
}

TEST_CASE("The page's table has a cell for each column, rounded outward, and says what each is") {
  BosLine line{"m", 1, 2, {{0.5, 0.01}, {0.25, 0.02}, {0.125, 0.03}}, {0.75, 0.0625}, {}, {}};
  line.drawn = exact::Enclosure{make_rational(1, 3), make_rational(2, 3)};
  line.box.before = exact::Enclosure{0, 0};
  const report::Table table = page_table({line}, {1000, 8, 0});
  CHECK(table.words.find("1000 random sequences with the trigger at 8") != std::string::npos);
  std::size_t columns = 0;
  std::string evidence;
  for (const report::ColumnGroup& group : table.groups) {
    columns += group.columns.size();
    evidence += group.name + ": " + group.evidence + "; ";
  }
  CHECK(evidence == "sampled: estimate; drawn: enclosed; box: certified; ");
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows[0].name == "m");
  CHECK(table.rows[0].part == "layer 1, head 2");
  CHECK(table.rows[0].cells.size() == columns);
  CHECK(table.rows[0].cells == std::vector<std::string>{"0.5\n± 0.01", "0.25\n± 0.02",
                                                        "0.125\n± 0.03", "0.75\n± 0.062",
                                                        "≥ 0.3333\n≤ 0.6667", "= 0", "—", "—"});
}

TEST_CASE("The table's decimals are rounded outward, and estimates are called so") {
  BosLine line{"m", 1, 2, {{0.5, 0.01}, {0.25, 0.02}, {0.125, 0.03}}, {0.75, 0.0625}, {}, {}};
  line.drawn = exact::Enclosure{make_rational(1, 3), make_rational(2, 3)};
  const json::Value table = table_json({line});
  const json::Value& entry = table.at("lines").at(0);
  CHECK(entry.at("enclosed_alpha_on_drawn") == json::Value({"0.3333333333", "0.6666666667"}));
  CHECK(entry.at("certified_over_box").at("before").is_null());
  CHECK(entry.at("sampled_estimates").at("alpha_deviation") == "0.0625");
  CHECK(entry.at("sampled_estimates").at("trigger") == "0.25");
  CHECK(entry.at("sampled_estimates").at("trigger_deviation") == "0.02");
  CHECK(entry.at("layer") == 1);
  CHECK(entry.at("head") == 2);
}

}  // namespace sinkproof::reproduce
