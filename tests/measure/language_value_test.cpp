#include "measure/language_value.hpp"

#include <catch2/catch.hpp>

#include "certificate/language.hpp"
#include "language_sample.hpp"

using namespace sinkproof;

TEST_CASE("A language certificate is written again as it was read") {
  const json::Value certificate = test::accepted_language();
  CHECK(measure::language_value(certificate::read_language(certificate)) == certificate);
}
