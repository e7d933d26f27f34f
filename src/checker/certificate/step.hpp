// A theory certificate as data: FORMAT.md, section 3. Each rule has a type; what it describes is
// what the certificate says of a step beside `file` and `rule`, and where the step's file is JSON,
// what the file says.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "certificate/construction.hpp"
#include "certificate/implication.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

// What stands there is for the rules of given vectors to read. VECTOR_RULES.md, 6.8.
struct GivenVectors {
  static constexpr std::string_view kName = "vectors";
  json::Value statement;
  json::Value evidence;
};

struct Lemma {
  static constexpr std::string_view kName = "smt";
};

struct Theorems {
  static constexpr std::string_view kName = "coq-theorem";
  std::vector<std::string> names;
  std::vector<std::string> assumptions;
  std::string theory_sha256;
};

struct Hole {};

struct Prose : Hole {
  static constexpr std::string_view kName = "prose";
};

struct Sentences {
  static constexpr std::string_view kName = "coq-statement";
  using Definition = std::pair<std::string, std::string>;  // file and SHA-256
  std::vector<std::string> names;
  std::vector<Definition> definitions;
  std::string sha256;
};

// A step that nobody carried out.
struct Assumed : Hole {
  static constexpr std::string_view kName = "assumed";
};

// In the order of Rule (certificate/theory.hpp), then those of files of any rule.
using By = std::variant<Implication, Identities, Construction, GivenVectors, Lemma, Theorems, Prose,
                        Sentences, Assumed>;

struct Step {
  std::string file;
  By by;
};

struct Theory {
  std::string claim;
  std::string claim_sha256;
  std::vector<Step> steps;  // sorted by file, at least one
  std::string verdict;
};

// SP0503, SP0504, SP0101 naming the step's file and the field. SP0802: there is no step, they are
// not sorted, or a file is no path within a folder or its name has another rule.
class Fields;
void describe(Fields& io, GivenVectors& of);
void describe(Fields& io, Theory& of);

}  // namespace sinkproof::certificate
