#include <catch2/catch.hpp>
#include <regex>

#include "exact/decimal.hpp"
#include "markup.hpp"
#include "report/bound_text.hpp"
#include "report/chart/enclosure_map.hpp"

using namespace sinkproof::report;
using namespace sinkproof::report::test;
using sinkproof::exact::Enclosure;
using sinkproof::exact::make_rational;
using sinkproof::exact::parse_decimal;
using sinkproof::exact::Rational;

namespace {

Enclosure between(const std::string& lower, const std::string& upper) {
  return {parse_decimal(lower).value(), parse_decimal(upper).value()};
}

std::string text(const std::string& lower, const std::string& upper) {
  return certain_text(between(lower, upper));
}

EnclosureMap map_of(const std::vector<Enclosure>& cells) {
  EnclosureMap map{
      "m", "T < U", "alpha", "", {"layer", {"0"}}, {"head", {}}, {1, cells.size(), cells}};
  for (std::size_t c = 0; c < cells.size(); ++c) map.columns.labels.push_back(std::to_string(c));
  return map;
}

}  // namespace

TEST_CASE("A number is shown by the digits that are certain") {
  CHECK(text("0.17202", "0.17209") == "0.1720…");
  CHECK(text("0.17212", "0.17219") == "0.1721…");
  CHECK(text("0.17212", "0.17231") == "0.172…");
  CHECK(text("0.1721", "0.1831") == "[0.1721, 0.1831]");
  CHECK(text("0.19999999", "0.20000001") == "[0.1999, 0.2001]");
  CHECK(text("-0.17219", "-0.17212") == "-0.1721…");
  CHECK(text("-1e-12", "1e-12") == "[-1e-12, 1e-12]");
  CHECK(text("0.125", "0.125") == "0.125");
  CHECK(text("0", "0") == "0");
  CHECK(certain_text({make_rational(1, 3), make_rational(1, 3)}) == "0.3333…");
}

TEST_CASE("No digit before the point is left out") {
  CHECK(text("123456.7", "123456.8") == "123456…");
  CHECK(text("120000.7", "120000.8") == "120000…");
  CHECK(text("123456.7", "123457.8") == "[123400, 123500]");
  CHECK(text("8.00001", "8.00002") == "8.000…");
  CHECK(text("0.00400001", "0.00400002") == "0.004000…");
  CHECK(text("1200.01", "1200.02") == "1200…");
  CHECK(text("3e20", "3.00001e20") == "3.000…e20");
  CHECK(text("1.2345e20", "1.2346e20") == "1.234…e20");
}

TEST_CASE("A field is put together and shortened without losing a number") {
  const Enclosure a = between("1", "2");
  const Enclosure b = between("3", "5");
  const Enclosure mean = kept(Kept::kMean, {&a, &b});
  CHECK(mean.lower == 2);
  CHECK(mean.upper == make_rational(7, 2));
  const Enclosure most = kept(Kept::kLargest, {&a, &b});
  CHECK(most.lower == 3);
  CHECK(most.upper == 5);
  const Enclosure third = kept(Kept::kMean, {&a, &a, &b});
  CHECK(third.lower < make_rational(5, 3));
  CHECK(third.upper >= 3);

  CHECK(stretches(5, 5).size() == 5);
  const auto shown = stretches(100, 12);
  CHECK(shown.size() <= 12);
  CHECK(shown.front().last == 0);  // the first position by itself
  std::size_t next = 0;
  for (const Stretch& one : shown) {
    CHECK(one.first == next);
    next = one.last + 1;
  }
  CHECK(next == 100);
  CHECK(stretch_name(shown[1], 1) == "2-10");

  EnclosureField field{1, 100, {}};
  for (int i = 0; i < 100; ++i) field.cells.push_back({Rational(i), Rational(i) + 1});
  const EnclosureField small = condensed(field, {{0, 0}}, shown, Kept::kLargest);
  CHECK(small.columns == shown.size());
  CHECK(small.at(0, 1).lower == 9);
  CHECK(small.at(0, shown.size() - 1).upper == 100);
}

TEST_CASE("A cell shows both ends of its interval") {
  const auto drawn = [](const std::vector<Enclosure>& cells) {
    const EnclosureMap map = map_of(cells);
    return enclosure_map(map, shades_of({&map.field}));
  };
  const std::string tight = drawn({between("0.9", "0.9001"), between("1", "1")});
  CHECK(count(tight, "<path class=\"n") == 2);
  CHECK(count(tight, "<path class=\"n35 g35\"") == 1);
  const std::string wide = drawn({between("0.1", "0.9"), between("1", "1")});
  CHECK(count(wide, "<path class=\"n") == 3);
  CHECK(count(wide, "<path class=\"n3 ") == 1);
  CHECK(count(wide, "<path class=\"n32 ") == 1);
  CHECK(count(wide, "data-a=\"[0.1,0.9] 1\"") == 1);
  CHECK(count(wide, "<title>layer 0, head 0: alpha [0.1, 0.9]</title>") == 2);
  CHECK(count(drawn({between("0", "0"), between("1", "1")}), "class=\"z\"") == 1);
  CHECK(count(drawn({between("-1", "-0.9"), between("-0.5", "0.5")}), "class=\"minus\"") == 1);
  CHECK(test::first_fault("<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
                          "charset=\"utf-8\"><title>t</title></head><body>" +
                          wide + "</body></html>") == "");
}

TEST_CASE("Colours are by decades where numbers are far apart") {
  const auto shades = [](const std::string& low, const std::string& high) {
    const EnclosureField field{1, 3, {between(low, low), between(high, high), between("0", "0")}};
    return shades_of({&field});
  };
  CHECK_FALSE(shades("0.2", "3").decades_only);
  CHECK(shades("0.2", "3").largest == 5);
  const Shades far = shades("0.002", "3000");
  CHECK(far.decades_only);
  CHECK(far.bottom == -3);
  CHECK(far.top == 4);
  CHECK(count(shade_bars(far, "norms"), "<svg") == 1);
  CHECK(count(shade_bars(shades("0.2", "3"), "norms"), "<svg") == 2);
  CHECK(shades("1e-40", "1").bottom == -12);
}
