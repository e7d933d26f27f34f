// A strict reader of the report's HTML, stricter than any browser: it says the first thing that is
// wrong with the markup. Written from the HTML standard, not from the code under test.
#pragma once

#include <string>

namespace sinkproof::report::test {

// Where the tests have a page's links into the proofs lead; links to anywhere else are faults.
inline constexpr const char* kProofBase = "https://example.org/proofs";

// "" when `page` is well formed: a doctype, every tag closed in order, attributes quoted and
// distinct, no stray < or &, ids unique, no block inside a paragraph, only elements the report has
// reason to use, nothing that loads anything (src, url(), import), links to ids of the page only,
// and no event attributes.
std::string first_fault(const std::string& page);

// How many elements `name` the page has.
std::size_t count_elements(const std::string& page, const std::string& name);

bool contains(const std::string& text, const std::string& part);

// How often `part`, which is not empty, begins in `text`.
std::size_t count(const std::string& text, const std::string& part);

}  // namespace sinkproof::report::test
