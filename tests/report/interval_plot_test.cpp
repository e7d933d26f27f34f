#include "report/chart/interval_plot.hpp"

#include <catch2/catch.hpp>
#include <regex>

using namespace sinkproof::report;
using sinkproof::exact::make_rational;
using sinkproof::exact::Rational;

namespace {

Bound bound(const std::string& name, const Rational& lower, const Rational& upper) {
  Bound result;
  result.name = name;
  result.lower = lower;
  result.upper = upper;
  result.is_loss = name.starts_with("sup-loss");
  result.is_floor = name.find("-floor") != std::string::npos;
  if (name.starts_with("null-")) result.paid = Paid::kNull;
  if (name.starts_with("rollout-")) result.paid = Paid::kRollout;
  return result;
}

// The x of each shape of this class, in order, and of each grid line.
std::vector<double> places(const std::string& svg, const std::string& css) {
  const std::regex shape("class=\"" + css + "\" d=\"M([0-9.]+) ");
  std::vector<double> xs;
  for (std::sregex_iterator at(svg.begin(), svg.end(), shape), end; at != end; ++at) {
    xs.push_back(std::stod((*at)[1]));
  }
  return xs;
}

}  // namespace

TEST_CASE("The head a bound is about stands beside its name, above its line") {
  const std::string svg =
      paid_plot(Paid::kBos,
                {bound("bos-floor.pre", 0, 1), bound("bos-floor.pre (layer 0, head 1)", 0, 1)}, {});
  const std::regex label(R"re(<text class="name" x="[0-9.]+" y="([0-9.]+)">([^<]*)</text>)re");
  std::string lines;
  std::vector<double> heights;
  for (std::sregex_iterator at(svg.begin(), svg.end(), label), end; at != end; ++at) {
    heights.push_back(std::stod((*at)[1]));
    lines += std::string((*at)[2]) + "; ";
  }
  CHECK(lines == "bos-floor.pre; bos-floor.pre (layer 0, head 1); ");
  REQUIRE(heights.size() == 2);
  CHECK(heights[1] - heights[0] > 20);
}

TEST_CASE("Numbers beside a long name are shorter, rounded outward, and a long tick is not cut") {
  const auto exact = [](long p) { return make_rational(p, 10000000000); };
  const std::string svg =
      paid_plot(Paid::kBos, {bound("bos-ceiling.trigger", exact(7449994), exact(7505567))}, {});
  CHECK(svg.find(">0.00074499 … 0.00075056<") != std::string::npos);
  const std::string floor =
      paid_plot(Paid::kBos, {bound("bos-floor.pre", exact(9998070000), exact(9998080410))}, {});
  CHECK(floor.find(">0.999807 … 0.9998081<") != std::string::npos);
  CHECK(floor.find(">0.9998<") != std::string::npos);  // six characters of half 3.7 each
  CHECK(places(floor, "grid").front() > 6 * 3.7);
}

TEST_CASE("Losses stand on a logarithmic axis, the proved side to the right") {
  const std::string svg =
      loss_plot({bound("sup-loss.pre", make_rational(1, 1000), make_rational(1, 100)),
                 bound("bos-floor.pre", make_rational(1, 2), 1)});
  const auto grid = places(svg, "grid");
  REQUIRE(grid.size() == 2);
  CHECK(svg.find(">-3</tspan>") < svg.find(">-2</tspan>"));
  CHECK(places(svg, "attained") == std::vector<double>{grid[0]});
  CHECK(places(svg, "proved") == std::vector<double>{grid[1] - 4});  // its foot, 4 inside
  CHECK(svg.find("0.001 … 0.01<") != std::string::npos);
  CHECK(svg.find("bos-floor") == std::string::npos);
}

TEST_CASE("Zero has a place of its own on the logarithmic axis") {
  const std::string svg =
      loss_plot({bound("sup-loss.pre", 0, 0), bound("sup-loss.trigger", 0, make_rational(3, 100))});
  const auto grid = places(svg, "grid");
  REQUIRE(grid.size() == 3);  // 0, 10^-2, 10^-1
  const auto attained = places(svg, "attained");
  CHECK(attained == std::vector<double>{grid[0], grid[0]});
  const auto proved = places(svg, "proved");
  CHECK(proved[0] == grid[0] - 4);
  CHECK(proved[1] > grid[1]);
  CHECK(proved[1] < grid[2]);
  const std::string zeros = loss_plot({bound("sup-loss", 0, 0)});
  CHECK(places(zeros, "attained").size() == 1);
  CHECK(zeros.find("nan") == std::string::npos);
}

TEST_CASE("Numbers beyond every double have a place on the axis") {
  const Rational tiny = sinkproof::exact::power_of_two(-40000);
  const Rational huge = sinkproof::exact::power_of_two(40000);
  const std::string losses = loss_plot({bound("sup-loss", tiny, huge)});
  const auto grid = places(losses, "grid");
  CHECK(grid.size() <= 10);
  CHECK(places(losses, "attained")[0] < places(losses, "proved")[0]);
  const std::string ceiling = paid_plot(Paid::kBos, {bound("bos-ceiling.pre", tiny, huge)}, {});
  for (const std::string& svg : {losses, ceiling}) {
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
  }
}

TEST_CASE("A floor is proved from below, and a theorem's floor stands on the same axis") {
  Theorem applies{"theorem.tc-1", "tc-1", "proved", 0, make_rational(9, 10), make_rational(19, 20)};
  Theorem fails{"theorem.tc-3", "tc-3", "not-applicable", 1, {}, {}};
  const std::string svg =
      paid_plot(Paid::kBos, {bound("bos-floor.pre", make_rational(19, 20), make_rational(99, 100))},
                {applies, fails});
  const auto grid = places(svg, "grid");
  REQUIRE(grid.size() == 6);  // 0.9, 0.92, ..., 1
  CHECK(svg.find(">0.9<") != std::string::npos);
  CHECK(svg.find(">0.92<") != std::string::npos);
  CHECK(places(svg, "implied") == std::vector<double>{grid[0]});
  const auto proved = places(svg, "proved");
  const double certified = grid[0] + (grid[5] - grid[0]) / 2;
  REQUIRE(proved.size() == 2);
  CHECK(proved[0] == Approx(certified + 4).margin(0.11));
  CHECK(proved[1] == proved[0]);
  CHECK(places(svg, "attained")[0] == Approx(grid[0] + 0.9 * (grid[5] - grid[0])).margin(0.11));
  CHECK(svg.find("theorem.tc-3") == std::string::npos);
}

TEST_CASE("Theorems' floors have an axis of their own where it shows more of the difference") {
  const Theorem theorem{"theorem.tc-1",          "tc-1", "proved", 0, make_rational(99, 100),
                        make_rational(995, 1000)};
  const std::string text =
      paid_plot(Paid::kBos,
                {bound("bos-floor.pre", make_rational(995, 1000), make_rational(999, 1000)),
                 bound("bos-ceiling.trigger", 0, make_rational(1, 100))},
                {theorem});
  const std::size_t second = text.find("Floors that theorems imply, beside the certified ones");
  REQUIRE(second != std::string::npos);
  const std::string bounds = text.substr(0, second);
  const std::string floors = text.substr(second);
  CHECK(places(bounds, "implied").empty());
  CHECK(bounds.find(">0.2<") != std::string::npos);
  const auto grid = places(floors, "grid");
  REQUIRE(grid.size() == 6);  // 0.99, 0.992, ..., 1
  CHECK(floors.find(">0.992<") != std::string::npos);
  CHECK(places(floors, "implied") == std::vector<double>{grid[0]});
  CHECK(places(floors, "proved")[0] == Approx(grid[0] + (grid[5] - grid[0]) / 2 + 4).margin(0.11));
  CHECK(floors.find("theorem.tc-1 implies at least 0.99, certified at least 0.995") !=
        std::string::npos);
}

TEST_CASE("Attention below 0 and above 1 widens the axis, with a tick at 0") {
  const std::string svg =
      paid_plot(Paid::kBos,
                {bound("bos-floor.pre", make_rational(-1, 10), make_rational(-1, 20)),
                 bound("bos-ceiling.pre", make_rational(3, 10), make_rational(2, 5))},
                {});
  const auto grid = places(svg, "grid");
  REQUIRE(grid.size() == 7);  // -0.2, 0, ..., 1
  for (const char* label : {">-0.2<", ">0<", ">0.2<", ">1<"}) {
    INFO(label);
    CHECK(svg.find(label) != std::string::npos);
  }
  const double zero = grid[1];
  const double unit = grid[6] - grid[1];
  const auto proved = places(svg, "proved");
  const auto attained = places(svg, "attained");
  CHECK(proved[0] - 4 == Approx(zero - unit / 10).margin(0.11));
  CHECK(attained[0] == Approx(zero - unit / 20).margin(0.11));
  CHECK(proved[1] + 4 == Approx(zero + 2 * unit / 5).margin(0.11));
  CHECK(svg.find(">-0.1 … -0.05<") != std::string::npos);

  const std::string above =
      paid_plot(Paid::kBos, {bound("bos-ceiling.pre", 2, make_rational(9, 4))}, {});
  const auto ticks = places(above, "grid");
  REQUIRE(ticks.size() == 6);  // 0 .. 5
  CHECK(above.find(">5<") != std::string::npos);
  CHECK(places(above, "attained")[0] ==
        Approx(ticks[0] + 0.4 * (ticks[5] - ticks[0])).margin(0.11));

  const Rational huge = sinkproof::exact::power_of_two(40000);
  const std::string wide = paid_plot(Paid::kBos, {bound("bos-floor.pre", -huge, huge)}, {});
  CHECK(places(wide, "grid").size() <= 12);
  CHECK(wide.find("nan") == std::string::npos);
  CHECK(wide.find("inf") == std::string::npos);
}

TEST_CASE("The null slot and the rollout have charts of their own") {
  const std::vector<Bound> bounds = {bound("null-floor.pre", make_rational(1, 2), 1),
                                     bound("bos-ceiling.pre", 0, make_rational(1, 4)),
                                     bound("rollout-floor.post", make_rational(3, 4), 1)};
  const std::string null = paid_plot(Paid::kNull, bounds, {});
  CHECK(null.find("null-floor.pre") != std::string::npos);
  CHECK(null.find("bos-ceiling.pre") == std::string::npos);
  CHECK(null.find("null slot") != std::string::npos);
  const std::string bos = paid_plot(Paid::kBos, bounds, {});
  CHECK(bos.find("bos-ceiling.pre") != std::string::npos);
  CHECK(bos.find("null-floor.pre") == std::string::npos);
  CHECK(bos.find("rollout-floor.post") == std::string::npos);
  Theorem depth{"theorem.tc-4", "tc-4", "proved", 0, make_rational(5, 8), make_rational(3, 4)};
  depth.paid = Paid::kRollout;
  const std::string rollout = paid_plot(Paid::kRollout, bounds, {depth});
  CHECK(rollout.find("rollout-floor.post") != std::string::npos);
  CHECK(rollout.find("theorem.tc-4 implies at least 0.625") != std::string::npos);
  CHECK(rollout.find("bos-ceiling.pre") == std::string::npos);
  CHECK(paid_plot(Paid::kBos, bounds, {depth}) == bos);
  CHECK(paid_plot(Paid::kNull, {bounds[1]}, {}).empty());
}

TEST_CASE("A chart of nothing is nothing") {
  CHECK(loss_plot({bound("bos-floor.pre", 0, 1)}).empty());
  CHECK(paid_plot(Paid::kBos, {bound("sup-loss", 0, 1)}, {}).empty());
}
