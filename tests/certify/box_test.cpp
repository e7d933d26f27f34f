// Other noise boxes than [-1,1]: with intervals [-r,r] a layer does what one with weights times r
// does over [-1,1], where no target is in play.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "certify/certify.hpp"
#include "model/box_text.hpp"
#include "random_model.hpp"

using namespace sinkproof;
using exact::make_rational;
using exact::Rational;

namespace {

using Ends = std::map<std::string, std::pair<Rational, Rational>>;

// Of all properties but those in which the trigger's target is.
Ends ends_of(const model::AttentionModel& model) {
  certify::Options options;
  options.claim_hash = std::string(64, '0');
  options.effort.nodes = 300;
  const auto certification = certify::certify(model, options);
  REQUIRE(certification.has_value());
  Ends ends;
  for (const certify::Property& property : certification->properties) {
    const std::string& name = property.name;
    if (name == "sup-loss" || name == "sup-loss.trigger" || name.starts_with("theorem")) continue;
    ends[name] = {*property.lower, *property.upper};
  }
  return ends;
}

// Numbers that rule `moments` rounds, in units of 2^-44, are other ones in the two models.
const Rational kRoundedApart = exact::power_of_two(-36);

Rational largest_difference(const Ends& a, const Ends& b) {
  REQUIRE(a.size() == b.size());
  Rational largest = 0;
  for (const auto& [name, ends] : a) {
    const auto& [lower, upper] = b.at(name);
    largest = exact::max(
        largest, exact::max(exact::abs(ends.first - lower), exact::abs(ends.second - upper)));
  }
  UNSCOPED_INFO("largest difference " << largest.convert_to<double>());
  return largest;
}

// Each row of the map reads noise coordinate l times its radius.
void scale(exact::RationalMatrix& maps, const certificate::Box& box) {
  for (std::size_t i = 0; i < maps.rows(); ++i) {
    for (std::size_t l = 0; l + 3 < maps.columns(); ++l) maps(i, l + 2) *= box.of(l).greatest;
  }
}

}  // namespace

TEST_CASE("boxes [-r,r] are as good as weights times r, for every kind of attention", "[seconds]") {
  std::mt19937_64 random(7);
  const certificate::Box box{{{make_rational(-1, 2), make_rational(1, 2)},
                              {make_rational(-3, 4), make_rational(3, 4)},
                              {0, 0}}};
  for (const model::Attention attention : model::kAttentions) {
    for (const std::size_t heads : {1U, 2U}) {
      INFO(model::to_string(attention) << " heads " << heads);
      model::AttentionModel in_box = test::random_model(random, 6, 5, attention, heads);
      model::AttentionModel by_hand = in_box;
      in_box.box = box;
      model::Layer& layer = by_hand.layers.front();
      for (auto* maps : {&layer.query, &layer.key, &layer.value, &layer.gate}) {
        if (maps->rows() > 0) scale(*maps, box);
      }
      const Ends found = ends_of(in_box);
      CHECK(largest_difference(found, ends_of(by_hand)) < kRoundedApart);
      by_hand.box = box;
      CHECK(largest_difference(found, ends_of(by_hand)) > 1000 * kRoundedApart);
    }
  }
}

TEST_CASE("box texts: what --box takes, and what is printed of it") {
  const auto read = [](const std::string& text) {
    const auto box = model::parse_box(text, 3, "--box");
    return box ? model::to_string(*box, 3) : box.error().code;
  };
  CHECK(read("1") == "[-1,1]^3");
  CHECK(read("0.5") == "[-1/2,1/2]^3");
  CHECK(read("1/3") == "[-1/3,1/3]^3");
  CHECK(read("-1..0.25") == "[-1,1/4]^3");
  CHECK(read("0") == "[0,0]^3");
  CHECK(read("1,-1..0.25,2..2") == "[-1,1] x [-1,1/4] x [2,2]");
  CHECK(read(R"([["-1","1/4"]])") == "[-1,1/4]^3");
  CHECK(read("[[\"-1\",\"1/4\"]]\n") == "[-1,1/4]^3");
  for (const char* text : {"", "-1", "1..0", "1,2", "1,2,3,4", "1,,2", "..", "1..", "x", "1 ..2",
                           "[[-1,1]]", R"([["-0.5","0.5"]])", "[", "1e400..2e400"}) {
    INFO(text);
    CHECK(read(text) == "SP1108");
  }
  const certificate::Box box{{{-1, make_rational(1, 4)}, {0, 1}, {2, 2}}};
  CHECK(model::to_string(*model::parse_box(R"([["-1","1/4"],["0","1"],["2","2"]])", 3, ""), 3) ==
        model::to_string(box, 3));
}
