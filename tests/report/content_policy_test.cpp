#include "report/content_policy.hpp"

#include <catch2/catch.hpp>

using sinkproof::report::content_policy;

// The digests are those of "" and "abc" in FIPS 180-4, as base64.
TEST_CASE("The policy admits one style sheet and one script, by their digests, and nothing else") {
  CHECK(content_policy("", "abc") ==
        "default-src 'none'; "
        "style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; "
        "script-src 'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='; "
        "base-uri 'none'; form-action 'none'");
}
