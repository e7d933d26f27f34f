#include "reproduce/trade_chart.hpp"

#include <catch2/catch.hpp>

namespace sinkproof::reproduce {
namespace {

TradePoint point(const std::string& series, double linf, double largest_bos) {
  TradePoint made{series, series + "-0-0", 0, 0, {}, {}};
  made.sample = {1e-4, linf, 0.1, 0.2, largest_bos, 10};
  return made;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("Every model is a mark, hollow where it errs by a half") {
  const auto drawn =
      figures({point("2x2-random", 0.1, 0.5), point("2x2-random", 0.6, 0.01), point("b", 0.4, 1)});
  REQUIRE(drawn.size() == 2);
  CHECK(drawn[0].name == "loss-bos");
  CHECK(drawn[1].name == "bos-values");
  for (const report::Figure& figure : drawn) {
    CHECK(count(figure.svg, "<path transform") == 3 + 2);  // and two in the key
    CHECK(count(figure.svg, "fill=\"none\"/>") >= 1);
    CHECK(count(figure.svg, "#0072b2\" fill=\"none\"") == 1);
    CHECK(count(figure.svg, ">2x2-random</text>") == 1);
    CHECK(count(figure.svg, "estimate") >= 1);
  }
  CHECK(count(drawn[0].svg, "1 / x") == 0);
  CHECK(count(drawn[1].svg, ">1 / x</text>") == 1);
}

TEST_CASE("What is 0 is drawn on a logarithmic axis all the same") {
  TradePoint zero = point("z", 0, 0);
  zero.sample.loss = 0;
  zero.sample.value_growth = 0;
  for (const report::Figure& figure : figures({zero})) {
    CHECK(count(figure.svg, "nan") == 0);
    CHECK(count(figure.svg, "inf") == 0);
  }
}

TEST_CASE("The table says what is estimated and leaves out what nobody proved") {
  TradePoint bounded = point("2x2-random", 0.1, 0.5);
  const exact::Rational third = exact::make_rational(1, 3);
  bounded.box = TradeBounds{{third, third}, {0, third}, {third, 1}};
  const json::Value table = table_json({point("1x2-random", 0.25, 0.5), bounded});
  REQUIRE(table.at("points").size() == 2);
  CHECK(table["points"][0].at("estimates").at("linf") == "0.25");
  CHECK(table["points"][0].at("over_box").is_null());
  const json::Value box = table["points"][1].at("over_box");
  CHECK(box.at("loss") == json::Value({"0.3333333333", "0.3333333334"}));
  CHECK(box.at("bos_floor") == json::Value({"0", "0.3333333334"}));
  CHECK(box.at("bos_ceiling") == json::Value({"0.3333333333", "1"}));
}

}  // namespace sinkproof::reproduce
