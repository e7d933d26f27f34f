// The noise box as certificates have it, and the matrix X that folds it away.
#include "certificate/box.hpp"

#include <catch2/catch.hpp>

#include "certificate/schema.hpp"

using namespace sinkproof;
using certificate::Box;
using exact::make_rational;
using exact::RationalMatrix;

namespace {

// "accepted", or the error's code.
std::string verdict(const std::string& text, std::size_t noise) {
  const auto entry = json::parse_strict(text, "box");
  REQUIRE(entry.has_value());
  const json::Value whole = {{"box", *entry}};
  const auto box = certificate::result_of([&] {
    certificate::Fields fields(whole, "certificate");
    Box read;
    describe_box(fields, "box", read, noise);
    return read;
  });
  return box ? "accepted" : box.error().code;
}

}  // namespace

TEST_CASE("box: one interval or one for each coordinate, of short canonical numbers in order") {
  CHECK(verdict(R"([["-1","1"]])", 3) == "accepted");
  CHECK(verdict(R"([["1/2","1/2"]])", 3) == "accepted");
  CHECK(verdict(R"([["0","1"],["-1","1"],["-1/3","1/7"]])", 3) == "accepted");
  for (const char* text : {R"([["0","1"],["-1","1"]])", "[]", R"([["1","-1"]])",
                           R"([["-1","0","1"]])", R"([["-1"]])"}) {
    INFO(text);
    CHECK(verdict(text, 3) == "SP0901");
  }
  for (const char* text : {"null", R"("-1")", "[[-1,1]]", R"({"-1":"1"})", R"(["-1","1"])"}) {
    INFO(text);
    CHECK(verdict(text, 3) == "SP0503");
  }
  CHECK(verdict(R"([["-1","2/2"]])", 3) == "SP0101");
  const std::string longest(100, '9');
  CHECK(verdict(R"([["0",")" + longest + R"("]])", 3) == "accepted");
  CHECK(verdict(R"([["0",")" + longest + R"(9"]])", 3) == "SP0901");
  // Denominators of 95 digits that have few divisors in common: four have a short multiple.
  const auto shares = [](int count) {
    std::string text;
    for (int l = 0; l < count; ++l) {
      const exact::Integer denominator = boost::multiprecision::pow(exact::Integer(10), 94) + l;
      text += (l == 0 ? "" : ",") + (R"(["0","1/)" + denominator.str()) + R"("])";
    }
    return "[" + text + "]";
  };
  CHECK(verdict(shares(4), 4) == "accepted");
  CHECK(verdict(shares(5), 5) == "SP0901");
}

TEST_CASE("box: X maps unit tokens to tokens of the box, and folds into what reads them") {
  const Box box{{{-1, make_rational(1, 2)}, {3, 3}}};
  const RationalMatrix tokens = certificate::token_map(5, box);
  for (const std::size_t flag : {certificate::kTriggerFlag, std::size_t{4}}) {
    for (const int first : {-1, 1}) {
      for (const int second : {-1, 1}) {
        RationalMatrix unit(5, 1);
        unit(flag, 0) = 1;
        unit(2, 0) = first;
        unit(3, 0) = second;
        const RationalMatrix token = tokens * unit;
        CHECK(token(flag, 0) == 1);
        CHECK(token(certificate::kBosFlag, 0) == 0);
        CHECK(token(2, 0) == (first < 0 ? exact::Rational(-1) : make_rational(1, 2)));
        CHECK(token(3, 0) == 3);
      }
    }
  }
  RationalMatrix bos(5, 1);
  bos(certificate::kBosFlag, 0) = 1;
  CHECK(tokens * bos == bos);
  const RationalMatrix maps(2, 5, {1, 2, 3, 4, 5, -6, 7, -8, 9, 10});
  CHECK(certificate::of_unit_tokens(maps, box) == maps * tokens);
  CHECK(certificate::token_map(5, Box{}) == certificate::token_map(5, {{{-1, 1}, {-1, 1}}}));
}
