#include "reproduce/variant.hpp"

#include <catch2/catch.hpp>

namespace sinkproof::reproduce {
namespace {

std::string names(const std::vector<std::string>& words) {
  std::string text;
  for (const Variant& variant : variants(words)) text += variant.name + " ";
  return text;
}

}  // namespace

TEST_CASE("A selection is the attentions named times the sizes named") {
  CHECK(names({}) == "softmax-1x1 relu-1x1 softmax-2x2 relu-2x2 softmax-4x4 relu-4x4 ");
  CHECK(names({"relu"}) == "relu-1x1 relu-2x2 relu-4x4 ");
  CHECK(names({"2x2", "1x1"}) == "softmax-1x1 relu-1x1 softmax-2x2 relu-2x2 ");
  CHECK(names({"4x4", "softmax"}) == "softmax-4x4 ");
  CHECK(names(selection_words()) == names({}));
}

TEST_CASE("Models of one size share figures of the paper") {
  std::string text;
  for (const Variant& variant : variants({"relu"})) text += variant.paper_figures + "; ";
  CHECK(text == "Figure 3; Figures 4 and 5; Figures 6 to 8; ");
  CHECK(variants({"softmax", "2x2"}).front().paper_figures == "Figures 4 and 5");
}

TEST_CASE("The models are the paper's") {
  for (const Variant& variant : variants({})) {
    const bool one = variant.name.ends_with("1x1");
    CHECK(variant.shape.residual == !one);
    CHECK(variant.shape.layers == variant.shape.heads);
    CHECK((variant.shape.layers == 1) == one);
    CHECK(variant.shape.d_model == 16);
    CHECK(variant.shape.length == 16);
    CHECK(variant.name.starts_with(certificate::to_string(variant.shape.attention)));
  }
}

}  // namespace sinkproof::reproduce
