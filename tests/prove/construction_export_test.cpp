// Exported constructions are read back, and the kernels of the weights in the file are those of the
// construction up to the rounding of one score.
#include "prove/construction_export.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <string>

#include "certificate/construction.hpp"
#include "certificate/sha256.hpp"
#include "exact/exp_enclosure.hpp"
#include "exact/matrix.hpp"
#include "file/file.hpp"
#include "json/strict.hpp"
#include "output/safetensors.hpp"
#include "prove/exact_step.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;
using certificate::Attention;
using exact::Rational;
using exact::RationalMatrix;

namespace {

const fs::path kFolder = fs::path(SINKPROOF_SOURCE_DIR) / "tests" / "reject" / "theory" /
                         "construction" / "proofs" / "toy-2";

std::string text_of(const std::string& name) {
  return file::read(kFolder / (name + ".construction.json")).value();
}

// The checkpoint as its bytes say, and the construction it was made from.
struct Exported {
  Exported(const std::string& name, std::size_t n) {
    construction = prove::read_exact<certificate::Construction>(text_of(name), name).value();
    const auto model = prove::export_construction(text_of(name), n, name);
    REQUIRE(model.has_value());
    CHECK(model->sup_loss == construction.sup_loss);
    const auto checkpoint = prove::checkpoint_of(*model, name);
    REQUIRE(checkpoint.has_value());
    contents = safetensors::parse(output::serialize(*checkpoint), name).value();
  }
  [[nodiscard]] RationalMatrix matrix(const std::string& tensor, std::size_t rows,
                                      std::size_t columns) const {
    const auto& found = contents.tensors.at(tensor);
    CHECK(found.dtype == safetensors::Dtype::kF64);
    CHECK(found.shape == std::vector<std::uint64_t>{rows, columns});
    return {rows, columns, safetensors::exact_values(found, tensor).value()};
  }
  certificate::Construction construction;
  safetensors::Contents contents;
};

RationalMatrix block(const RationalMatrix& from, std::size_t row, std::size_t column,
                     std::size_t n) {
  RationalMatrix result(n, n);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) result(r, c) = from(row + r, column + c);
  }
  return result;
}

std::size_t coordinate(std::size_t flag, std::size_t n) { return flag == 2 ? n - 1 : flag; }

// |a - b| <= 2^-52 max(|score|, 1) b: what rounding the score to a double can do to exp of it.
bool within_rounding(const Rational& a, const Rational& b, const Rational& score) {
  const Rational slack = exact::power_of_two(-52) * exact::max(Rational(1), exact::abs(score));
  return exact::abs(a - b) <= slack * exact::abs(b);
}

// The kernel at a score, by its definition.
Rational kernel_at(Attention kind, const Rational& score) {
  constexpr unsigned kBits = 200;
  const auto exp = [&](const Rational& x) { return exact::exp_enclosure(x, kBits).value().lower; };
  switch (certificate::kind_of(kind).kernel) {
    case certificate::Kernel::kExp:
      return exp(score);
    case certificate::Kernel::kSigmoid:
      return 1 / (1 + exp(-score));
    case certificate::Kernel::kElu1:
      return score > 0 ? Rational(score + 1) : exp(score);
    case certificate::Kernel::kRelu:
      return exact::max(score, Rational(0));
    case certificate::Kernel::kLinear:
      return score;
  }
  return 0;
}

void check_head(const Exported& exported, std::size_t h, std::size_t n) {
  const std::size_t heads = exported.construction.heads.size();
  const auto& head = exported.construction.heads[h];
  const auto query = block(exported.matrix("W_Q.weight", heads * n, n), h * n, 0, n);
  const auto key = block(exported.matrix("W_K.weight", heads * n, n), h * n, 0, n);
  const auto output = block(exported.matrix("W_O.weight", n, heads * n), 0, h * n, n);
  const auto value = output * block(exported.matrix("W_V.weight", heads * n, n), h * n, 0, n);
  RationalMatrix scores = exact::transpose(query) * key;
  RationalMatrix rest = value;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      INFO("head " << h << " flags " << a << b);
      Rational& score = scores(coordinate(a, n), coordinate(b, n));
      CHECK(within_rounding(kernel_at(exported.construction.attention, score), head.kernel[a][b],
                            score));
      score = 0;
      CHECK(within_rounding(rest(coordinate(a, n), coordinate(b, n)), head.flags[a][b], 0));
      rest(coordinate(a, n), coordinate(b, n)) = 0;
    }
  }
  CHECK(scores == RationalMatrix(n, n));  // nothing but the flags enters a score
  for (std::size_t c = 2; c + 1 < n; ++c) {
    CHECK(within_rounding(rest(c, c), head.noise, 0));
    rest(c, c) = 0;
  }
  CHECK(rest == RationalMatrix(n, n));
}

}  // namespace

TEST_CASE("Every construction of the fixture is exported with its kernels, values and gates") {
  int seen = 0;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".construction.json")) continue;
    for (const std::size_t n : {4UL, 8UL}) {
      INFO(name << " n " << n);
      const Exported exported(name.substr(0, name.find('.')), n);
      const std::size_t heads = exported.construction.heads.size();
      for (std::size_t h = 0; h < heads; ++h) check_head(exported, h, n);
      const bool gated = exported.construction.attention == Attention::kSoftmaxGated;
      CHECK(exported.contents.tensors.size() == (gated ? 6 : 4));
      const std::map<std::string, std::string> metadata = {
          {"attention", certificate::to_string(exported.construction.attention)},
          {"d_model", std::to_string(n)},
          {"num_heads", std::to_string(heads)},
          {"num_layers", "1"},
          {"seq_len", std::to_string(exported.construction.length)},
          {"residual", "false"},
          {"construction", certificate::sha256_hex(file::read(entry.path()).value())}};
      CHECK(exported.contents.metadata == metadata);
      ++seen;
    }
  }
  CHECK(seen == 22);
}

TEST_CASE("An exported gate is the sigmoid of its flag's weight plus the bias") {
  const Exported exported("gated", 6);
  const auto weight = exported.matrix("W_G.weight", 1, 6);
  const auto& bias = exported.contents.tensors.at("W_G.bias");
  CHECK(bias.shape == std::vector<std::uint64_t>{1});
  const Rational b = safetensors::exact_values(bias, "bias").value().at(0);
  for (std::size_t flag = 0; flag < 3; ++flag) {
    const Rational score = weight(0, coordinate(flag, 6)) + b;
    CHECK(within_rounding(1 / (1 + exact::exp_enclosure(-score, 200).value().lower),
                          exported.construction.heads[0].gate[flag], score));
  }
  for (std::size_t c = 2; c < 5; ++c) CHECK(weight(0, c) == 0);
}

TEST_CASE("Several heads lie one below the other") {
  const Exported exported("theorem", 5);
  const auto value = exported.matrix("W_V.weight", 10, 5);
  CHECK(value(2, 2) == 10);
  CHECK(value(7, 2) == -10);
  CHECK(value(0, 0) == 0);
  const auto output = exported.matrix("W_O.weight", 5, 10);
  CHECK(output(1, 1) == 1);
  CHECK(output(1, 6) == 1);
  CHECK(output(1, 2) == 0);
}

TEST_CASE("Nothing is exported from a wrong figure, from numbers beyond doubles, or from no JSON") {
  const auto code = [](const std::string& text) {
    const auto model = prove::export_construction(text, 8, "t");
    if (!model) return model.error().code;
    const auto checkpoint = prove::checkpoint_of(*model, "t");
    return checkpoint ? std::string() : checkpoint.error().code;
  };
  json::Value content = json::Value::parse(text_of("linear"));
  CHECK(code(content.dump()).empty());
  content["statement"]["sup_loss"] = "1";
  CHECK(code(content.dump()) == "SP0716");
  CHECK(code("{") == "SP0301");
  CHECK(code("{\"statement\":{}}") == "SP0503");
  // Row 1 sees BOS only and its value is 0, so the score may be anything.
  content = json::Value::parse(text_of("linear"));
  content["statement"]["heads"][0]["kernel"]["bos"][1] = "1" + std::string(400, '0');
  CHECK(code(content.dump()) == "SP0717");
}
