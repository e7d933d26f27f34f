#include "text/words.hpp"

#include <catch2/catch.hpp>

using namespace sinkproof::text;

TEST_CASE("One of a thing is not called by its plural") {
  CHECK(counted(0, "step") == "0 steps");
  CHECK(counted(1, "step") == "1 step");
  CHECK(counted(2, "step") == "2 steps");
  CHECK(counted(1, "copy", "copies") == "1 copy");
  CHECK(counted(3, "copy", "copies") == "3 copies");
}

TEST_CASE("The nearest word is within a third of the letters typed") {
  const std::vector<std::string> words = {"residual", "scale", "scales", "num_heads"};
  CHECK(nearest("scal", words) == "scale");
  CHECK(nearest("Residual", words) == "residual");
  CHECK(nearest("n_heads", words) == "num_heads");
  CHECK(nearest("sale", words) == "scale");  // the first of those as near
  CHECK(nearest("notes", words).empty());
  CHECK(nearest("ab", {"cd"}).empty());
  CHECK(nearest("", words).empty());
  CHECK(did_you_mean("scal", words) == "; did you mean 'scale'?");
  CHECK(did_you_mean("notes", words).empty());
}
