// Rule `construction` against closed forms of docs/THEORY.md at many sizes, and against models run
// token by token over every corner of the noise box.
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "certificate/schema.hpp"
#include "certificate/strict.hpp"
#include "construction_oracle.hpp"
#include "theory/steps.hpp"

using namespace sinkproof;
using certificate::Attention;
using certificate::Construction;
using certificate::ConstructionHead;
using certificate::PerFlag;
using exact::Rational;

namespace {

constexpr Attention kKinds[] = {
    Attention::kSoftmax,           Attention::kSoftmaxGated,   Attention::kSoftmaxNull,
    Attention::kSigmoidNormalised, Attention::kElu1Normalised, Attention::kRelu,
    Attention::kSigmoid,           Attention::kElu1,           Attention::kLinear};

const PerFlag kOnes = {1, 1, 1};

// A head whose value map is `scale` times P, the identity without the BOS coordinate.
ConstructionHead head_with(const PerFlag& quiet, const PerFlag& trigger,
                           const Rational& scale = 1) {
  ConstructionHead head;
  head.kernel = {quiet, trigger, quiet};
  head.noise = scale;
  head.flags = {PerFlag{0, 0, 0}, PerFlag{0, scale, 0}, PerFlag{0, 0, scale}};
  return head;
}

Rational quotient(const Rational& top, const Rational& bottom) { return top / bottom; }

std::string outcome(const json::Value& statement) {
  const auto held = certificate::result_of([&] {
    check::check_exactly(certificate::read<Construction>({{"statement", statement}}, "t"), "t");
  });
  return held ? "holds" : held.error().code + " " + held.error().what;
}

// Whether the rule accepts the construction with these figures.
std::string outcome(const Construction& construction) {
  return outcome(test::statement_of(construction));
}

Rational random_kernel(Attention kind, std::mt19937_64& random) {
  const auto draw = [&](long least, long most) {
    return Rational(std::uniform_int_distribution<long>(least, most)(random));
  };
  switch (kind) {
    case Attention::kSigmoid:
    case Attention::kSigmoidNormalised:
      return draw(1, 8) / Rational(9);
    case Attention::kRelu:
      return draw(0, 4) / draw(1, 3);
    case Attention::kLinear:
      return draw(-4, 4) / draw(1, 3);
    default:
      return draw(1, 9) / draw(1, 3);
  }
}

Construction random_construction(Attention kind, std::size_t length, std::mt19937_64& random) {
  Construction construction;
  construction.attention = kind;
  construction.length = length;
  const auto draw = [&] { return Rational(std::uniform_int_distribution<long>(-3, 3)(random)); };
  for (std::size_t h = 0; h < 1 + random() % 2; ++h) {
    ConstructionHead head;
    for (auto& row : head.kernel) {
      for (Rational& k : row) k = random_kernel(kind, random);
    }
    head.noise = draw();
    // Small on the flags every other time, so that the noise decides the loss about as often.
    for (auto& row : head.flags) {
      for (Rational& entry : row) entry = h == 0 && length % 2 == 0 ? draw() / 9 : draw();
    }
    if (kind == Attention::kSoftmaxGated)
      head.gate = {Rational(1) / 3, Rational(5) / 7, Rational(1) / 9};
    construction.heads.push_back(head);
  }
  return construction;
}

}  // namespace

TEST_CASE("tc-5's family: sup loss (L-1)/(E+L-1), BOS attention E/(E+i-1) before the trigger") {
  for (const long length : {4L, 5L, 16L, 256L}) {
    for (const Rational& e :
         {Rational(100), Rational(3) / 2, Rational(1) / 4, Rational("123456789")}) {
      INFO("L " << length << " E " << e);
      const Rational last = length - 1;
      Construction family{Attention::kSoftmax,
                          static_cast<std::size_t>(length),
                          {head_with({e, 1, 1}, {1 / e, 1, 1})},
                          last / (e + last),
                          {},
                          {}};
      const Rational trigger = 1 / (1 + 2 * e);  // what the trigger's row 3 loses to BOS
      family.bos_attention = {{e / (e + last - 1), e / (e + 1)},
                              {1 / (1 + e * last), trigger},
                              certificate::Range{e / (e + last), e / (e + 3)}};
      CHECK(outcome(family) == "holds");
      Construction wrong = family;
      wrong.sup_loss += Rational(1) / Rational("1000000000000000000000000000000");
      CHECK(outcome(wrong) == "SP0809 sup_loss is not what the heads give");
      wrong = family;
      ++wrong.length;
      if (length < 256) CHECK(outcome(wrong).starts_with("SP0809"));
    }
  }
}

TEST_CASE("At length 3 there is no row after the trigger: tc-5's family loses 1/(E+1)") {
  const Rational e = 100;
  Construction family{Attention::kSoftmax, 3,  {head_with({e, 1, 1}, {1 / e, 1, 1})},
                      1 / (e + 1),         {}, {}};
  family.bos_attention = {{e / (e + 1), e / (e + 1)}, {1 / (1 + 2 * e), 1 / (1 + 2 * e)}, {}};
  CHECK(outcome(family) == "holds");
}

TEST_CASE("tc-6: ReLU attention has loss 0 and no BOS attention at every length") {
  for (std::size_t length = 3; length <= 256; length += 11) {
    ConstructionHead head = head_with({0, 0, 0}, {0, 1, 1});
    head.flags[0][0] = 1;  // V = I
    Construction relu{Attention::kRelu, length, {head}, 0, {{0, 0}, {0, 0}, {}}, {}};
    if (length >= 4) relu.bos_attention.post = certificate::Range{0, 0};
    INFO("L " << length);
    CHECK(outcome(relu) == "holds");
    relu.attention = Attention::kLinear;
    CHECK(outcome(relu) == "holds");
    relu.heads[0].kernel[2][2] = 1;  // a content token that looks at content tokens
    CHECK(outcome(relu) == "SP0809 sup_loss is not what the heads give");
  }
}

TEST_CASE("tc-7 (a): a cancelling pair, sup loss max_j(e1 + e2), BOS attention 1/i at quiet rows") {
  for (const long length : {4L, 9L, 64L}) {
    for (const Rational& e : {Rational(10), Rational(1000), Rational(7) / 3}) {
      const auto loss = [&](long j) {
        return quotient(1 / e, 1 / e + (j - 1)) + quotient(j - 1, e + (j - 1));
      };
      Construction pair{Attention::kSoftmax,
                        static_cast<std::size_t>(length),
                        {head_with(kOnes, {1 / e, 1, 1}, 1), head_with(kOnes, {e, 1, 1}, -1)},
                        0,
                        {},
                        {}};
      for (long j = 3; j <= length; ++j) pair.sup_loss = exact::max(pair.sup_loss, loss(j));
      pair.bos_attention = {{quotient(1, length - 1), quotient(1, 2)},
                            {1 / (1 + e * (length - 1)), e / (e + 2)},
                            certificate::Range{quotient(1, length), quotient(1, 4)}};
      INFO("L " << length << " E " << e);
      CHECK(outcome(pair) == "holds");
    }
  }
}

TEST_CASE("tc-7 (b): two softmax heads, length 4, F = (2, 3), V = +-10 P: loss 0 without a sink") {
  Construction two{Attention::kSoftmax,
                   4,
                   {head_with(kOnes, {2, 1, 1}, 10), head_with(kOnes, {3, 1, 1}, -10)},
                   0,
                   {},
                   {}};
  two.bos_attention = {{quotient(1, 3), quotient(1, 2)},
                       {quotient(2, 5), quotient(3, 5)},
                       certificate::Range{quotient(1, 4), quotient(1, 4)}};
  CHECK(outcome(two) == "holds");
  Construction longer = two;
  longer.length = 5;
  longer.bos_attention = {{quotient(1, 4), quotient(1, 2)},
                          {quotient(2, 6), quotient(3, 5)},
                          certificate::Range{quotient(1, 5), quotient(1, 4)}};
  // Trigger at 5: 10 (4/6 - 4/7) = 20/21, which should be 1.
  CHECK(outcome(longer) == "SP0809 sup_loss is not what the heads give");
  longer.sup_loss = quotient(1, 21);
  CHECK(outcome(longer) == "holds");
}

TEST_CASE("Random constructions of every kind have the figures that running them gives",
          "[figures]") {
  std::mt19937_64 random(7);
  int noise_decides = 0;
  for (const Attention kind : kKinds) {
    for (const auto& [length, n] :
         {std::pair<std::size_t, std::size_t>{3, 4}, {3, 5}, {4, 4}, {4, 5}, {5, 4}, {6, 4}}) {
      const Construction right = test::simulated(random_construction(kind, length, random), n);
      INFO(test::statement_of(right).dump());
      CHECK(outcome(right) == "holds");
      Construction silent = right;
      for (ConstructionHead& head : silent.heads) head.noise = 0;
      noise_decides += test::simulated(silent, 4).sup_loss != right.sup_loss ? 1 : 0;
      for (const Rational& by : {Rational(1) / 1000000, Rational(-1) / 1000000}) {
        Construction wrong = right;
        wrong.sup_loss += by;
        CHECK(outcome(wrong) == "SP0809 sup_loss is not what the heads give");
        wrong = right;
        wrong.bos_attention.pre.least += by;
        CHECK(outcome(wrong) == "SP0809 bos_attention.pre is not what the heads give");
        wrong = right;
        wrong.bos_attention.trigger.most += by;
        CHECK(outcome(wrong) == "SP0809 bos_attention.trigger is not what the heads give");
      }
    }
  }
  CHECK(noise_decides >= 10);
}

TEST_CASE("The figures are the same for every number of coordinates", "[figures]") {
  std::mt19937_64 random(11);
  for (const Attention kind : kKinds) {
    const Construction drawn = random_construction(kind, 4, random);
    const Construction narrow = test::simulated(drawn, 4);
    CHECK(test::same_figures(narrow, test::simulated(drawn, 5)));
    CHECK(test::same_figures(narrow, test::simulated(drawn, 6)));
  }
}

TEST_CASE("A loss in a flag coordinate counts as much as one in the noise") {
  // V = I with weight on BOS in row 1: out_1 = BOS, which should be 0.
  ConstructionHead head = head_with({0, 0, 0}, {0, 1, 1});
  head.flags[0][0] = 1;
  head.kernel[0][0] = quotient(1, 7);
  Construction relu{
      Attention::kRelu, 5, {head}, quotient(1, 7), {{0, 0}, {0, 0}, certificate::Range{0, 0}}, {}};
  CHECK(outcome(relu) == "holds");
  relu.sup_loss = 0;
  CHECK(outcome(relu) == "SP0809 sup_loss is not what the heads give");
}
