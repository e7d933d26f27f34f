// Stacks given as data: their matrices entry by entry, the one that is committed as a checkpoint,
// too, and what is malformed.
#include "prove/stack_export.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "certificate/sha256.hpp"
#include "exact/matrix.hpp"
#include "file/file.hpp"
#include "json/strict.hpp"
#include "output/safetensors.hpp"
#include "rounded/double.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;
using exact::Rational;
using exact::RationalMatrix;

namespace {

const fs::path kFolder = fs::path(SINKPROOF_SOURCE_DIR) / "examples" / "stacks";

std::string text_of(const std::string& name) {
  return file::read(kFolder / (name + ".stack.json")).value();
}

safetensors::Contents exported(const std::string& name, std::size_t n) {
  const auto model = prove::export_stack(text_of(name), n, name);
  REQUIRE(model.has_value());
  const auto checkpoint = prove::checkpoint_of(*model, name);
  REQUIRE(checkpoint.has_value());
  return safetensors::parse(output::serialize(*checkpoint), name).value();
}

RationalMatrix matrix(const safetensors::Contents& contents, const std::string& name) {
  const auto& tensor = contents.tensors.at(name);
  REQUIRE(tensor.shape.size() == 2);
  return {tensor.shape[0], tensor.shape[1], safetensors::exact_values(tensor, name).value()};
}

RationalMatrix block(const RationalMatrix& from, std::size_t row, std::size_t column,
                     std::size_t n) {
  RationalMatrix result(n, n);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) result(r, c) = from(row + r, column + c);
  }
  return result;
}

// Scores and values of a head: what the model computes depends on nothing else.
std::pair<RationalMatrix, RationalMatrix> products(const safetensors::Contents& contents,
                                                   std::size_t layer, std::size_t h,
                                                   std::size_t n) {
  const std::string prefix = "layers." + std::to_string(layer) + ".";
  const auto rows = [&](const char* tensor) {
    return block(matrix(contents, prefix + tensor + ".weight"), h * n, 0, n);
  };
  const auto output = block(matrix(contents, prefix + "W_O.weight"), 0, h * n, n);
  return {exact::transpose(rows("W_Q")) * rows("W_K"), output * rows("W_V")};
}

using Entries = std::map<std::pair<std::size_t, std::size_t>, Rational>;

RationalMatrix of_entries(std::size_t n, const Entries& entries) {
  RationalMatrix result(n, n);
  for (const auto& [at, value] : entries) result(at.first, at.second) = value;
  return result;
}

std::string error_of(const std::string& text, std::size_t n = 5) {
  const auto model = prove::export_stack(text, n, "t");
  return model ? std::string() : model.error().code + " " + model.error().where;
}

// The deep stack with one change, as text.
std::string changed(const std::string& pointer, const json::Value& value) {
  json::Value content = json::Value::parse(text_of("one-head-deep"));
  content[json::Value::json_pointer(pointer)] = value;
  return content.dump();
}

constexpr const char* kTerm = "/layers/1/heads/0/scores/0";

}  // namespace

TEST_CASE("Two layers of two heads are the committed checkpoint's, entry by entry") {
  const auto committed = safetensors::read(kFolder / "no-sink.safetensors");
  REQUIRE(committed.has_value());
  const auto contents = exported("two-heads", 16);
  for (const std::size_t layer : {0UL, 1UL}) {
    for (const std::size_t h : {0UL, 1UL}) {
      CHECK(products(contents, layer, h, 16) == products(*committed, layer, h, 16));
    }
  }
  auto metadata = committed->metadata;
  metadata["construction"] = certificate::sha256_hex(text_of("two-heads"));
  CHECK(contents.metadata == metadata);
  CHECK(contents.tensors.size() == 8);
}

TEST_CASE("One head a layer: four layers for each noise coordinate, then two") {
  constexpr std::size_t n = 5;
  const auto contents = exported("one-head-deep", n);
  CHECK(contents.metadata.at("num_layers") == "10");
  CHECK(contents.metadata.at("num_heads") == "1");
  CHECK(contents.tensors.size() == 40);
  constexpr int logit = 40;
  for (const std::size_t r : {2UL, 3UL}) {
    const Entries scores[] = {{{{4, 4}, logit}, {{1, 1}, logit}, {{1, 4}, logit}},
                              {{{4, 4}, logit}, {{1, 1}, logit}},
                              {{{4, 4}, logit}, {{1, 4}, -logit}},
                              {{{4, 4}, logit}}};
    const Entries values[] = {
        {{{0, r}, 1}}, {{{r, 0}, 2}, {{r, 1}, 2}}, {{{r, 0}, -2}, {{r, 1}, -2}}, {{{0, r}, -1}}};
    for (std::size_t q = 0; q < 4; ++q) {
      INFO("noise coordinate " << r << " layer " << q);
      const auto head = products(contents, 4 * (r - 2) + q, 0, n);
      CHECK(head.first == of_entries(n, scores[q]));
      CHECK(head.second == of_entries(n, values[q]));
    }
  }
  const auto flags = products(contents, 8, 0, n);
  CHECK(flags.first == of_entries(n, {{{4, 4}, logit}, {{1, 1}, logit}, {{1, 4}, logit}}));
  const Rational two_thirds = rounded::from_double(2.0 / 3);
  CHECK(flags.second == of_entries(n, {{{1, 1}, 1}, {{4, 1}, -two_thirds}, {{4, 4}, 1}}));
  const auto last = products(contents, 9, 0, n);
  CHECK(last.first == of_entries(n, {{{1, 0}, 16 * logit},
                                     {{1, 1}, 10 * logit},
                                     {{1, 4}, 6 * logit},
                                     {{4, 0}, -8 * logit},
                                     {{4, 1}, -5 * logit},
                                     {{4, 4}, -3 * logit}}));
  CHECK(last.second == of_entries(n, {{{4, 1}, Rational(1) / 2}, {{4, 4}, Rational(-1) / 2}}));
}

TEST_CASE("Numbers are formulas in the parameters, and terms of one entry add up exactly") {
  // 1/3 of 10^20 plus 1/3, less 1/3 of 10^20: rounding before the sum would lose the 1/3.
  const json::Value by_part = json::Value::parse(R"(
    {"attention": "linear", "residual": false, "length": 3, "parameters": {"x": "1/3", "y": "20"},
     "layers": [{"heads": [{
       "scores": [{"coefficient": ["*", "x", ["^", "10", 20]], "u": {"bos": "y"}, "v": {"content": "1"}},
                  {"coefficient": "x", "u": {"bos": "1"}, "v": {"content": "1"}},
                  {"coefficient": ["*", ["-", "x"], "y", ["^", "10", 20]], "u": {"bos": "1"},
                   "v": {"content": "1"}}],
       "values": [{"coefficient": ["*", "3", "x"], "matrix": "P"}]}]}]})");
  const auto model = prove::export_stack(by_part.dump(), 6, "t");
  REQUIRE(model.has_value());
  CHECK_FALSE(model->residual);
  CHECK_FALSE(model->sup_loss.has_value());
  const auto contents = prove::checkpoint_of(*model, "t").value();
  const auto key = matrix(contents, "W_K.weight");
  CHECK(key == of_entries(6, {{{0, 5}, rounded::from_double(1.0 / 3)}}));
  CHECK(matrix(contents, "W_V.weight") ==
        of_entries(6, {{{1, 1}, 1}, {{2, 2}, 1}, {{3, 3}, 1}, {{4, 4}, 1}, {{5, 5}, 1}}));
  CHECK(contents.metadata.at("residual") == "false");
}

TEST_CASE("What is malformed is refused, and the field is named") {
  const std::string term = kTerm;
  CHECK(error_of(text_of("one-head-deep")).empty());
  CHECK(error_of("{") == "SP0301 t");
  CHECK(error_of("{}") == "SP1315 t");
  CHECK(error_of("[]") == "SP1315 t");
  CHECK(error_of(changed("/more", "1")) == "SP1315 t");
  for (const char* kind : {"cosine", "softmax-gated", "softmax-sink"}) {
    CHECK(error_of(changed("/attention", kind)) == "SP1315 t: attention");
  }
  CHECK(error_of(changed("/attention", "relu")).empty());
  CHECK(error_of(changed("/residual", "true")) == "SP1315 t: residual");
  for (const int length : {2, 4097}) CHECK(error_of(changed("/length", length)) == "SP1315 t");
  CHECK(error_of(changed("/parameters", "80")) == "SP1315 t: parameters");
  CHECK(error_of(changed("/parameters", {{"1", "80"}})) == "SP1315 t: parameters");
  CHECK(error_of(changed("/parameters/Lambda", 80)) == "SP0504 t: parameters.Lambda");
  CHECK(error_of(changed("/parameters/Lambda", "2/4")).starts_with("SP0101 t: parameters"));
  CHECK(error_of(changed("/parameters", json::Value::object())) ==
        "SP0504 t: layers[0].layers[0].heads[0].scores[0].coefficient");
  for (const auto& [list, place] : {std::pair<std::string, std::string>{"layers", "t: "},
                                    {"layers/0/layers", "t: layers[0]."},
                                    {"layers/1/heads", "t: layers[1]."},
                                    {"layers/1/heads/0/values", "t: layers[1].heads[0]."}}) {
    INFO(list);
    const std::string name = list.substr(list.rfind('/') + 1);
    CHECK(error_of(changed("/" + list, json::Value::array())) == "SP1315 " + place + name);
    const std::string parent = place.substr(0, place.find_last_not_of(".: ") + 1);
    CHECK(error_of(changed("/" + list, "x")) == "SP1315 " + parent);
  }
  CHECK(error_of(changed("/layers/1", "x")) == "SP1315 t: layers[1]");
  CHECK(error_of(changed("/layers/0/for_each", "flag")) == "SP1315 t: layers[0].for_each");
  CHECK(error_of(changed("/layers/1/heads/0/bias", "1")) == "SP1315 t: layers[1].heads[0]");
  const std::string here = "t: layers[1].heads[0].scores[0]";
  CHECK(error_of(changed(term, "x")) == "SP1315 " + here);
  CHECK(error_of(changed(term + "/matrix", "P")) == "SP1315 " + here);
  CHECK(error_of(changed(term, {{"coefficient", "1"}, {"matrix", "I"}})) ==
        "SP1315 " + here + ".matrix");
  CHECK(error_of(changed(term + "/coefficient", 1)) == "SP0504 " + here + ".coefficient");
  CHECK(error_of(changed(term + "/coefficient", "Mu")) == "SP0504 " + here + ".coefficient");
  CHECK(error_of(changed(term + "/u", json::Value::object())) == "SP1315 " + here + ".u");
  CHECK(error_of(changed(term + "/v/flag", "1")) == "SP1315 " + here + ".v");
  CHECK(error_of(changed(term + "/v/noise", "1")) == "SP1315 " + here + ".v");  // no for_each
  CHECK(error_of(changed(term + "/v/bos", "1.5")).starts_with("SP0101 " + here + ".v"));
}

TEST_CASE("Layers have as many heads as the first") {
  json::Value content = json::Value::parse(text_of("two-heads"));
  content["layers"][1]["heads"].erase(1);
  CHECK(error_of(content.dump()) == "SP1315 t: layers[1]");
  content["layers"][0]["heads"].erase(1);
  CHECK(error_of(content.dump()).empty());
  auto& heads = content["layers"][0]["heads"];
  while (heads.size() < 64) heads.push_back(json::Value(heads[0]));
  content["layers"].erase(1);
  CHECK(error_of(content.dump()).empty());
  heads.push_back(json::Value(heads[0]));
  CHECK(error_of(content.dump()) == "SP1315 t: layers[0]");
}

TEST_CASE("Neither more weights than fit nor numbers beyond doubles are exported") {
  CHECK(error_of(text_of("one-head-deep"), prove::kMaxExportWidth) == "SP1316 t");
  const auto model =
      prove::export_stack(changed("/parameters/Lambda", "1" + std::string(320, '0')), 4, "t");
  REQUIRE(model.has_value());
  const auto checkpoint = prove::checkpoint_of(*model, "t");
  REQUIRE_FALSE(checkpoint.has_value());
  CHECK(checkpoint.error().code == "SP0717");
  CHECK(checkpoint.error().where == "t: layers.0.W_K.weight");
}
