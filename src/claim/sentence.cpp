#include "claim/sentence.hpp"

#include <algorithm>
#include <regex>
#include <set>

#include "claim/claim.hpp"
#include "claim/fields.hpp"
#include "claim/matches.hpp"
#include "claim/stated.hpp"

namespace sinkproof::claim {
namespace {

using exact::fail;
using exact::Result;

// Numbers of a text: digits, with a fraction after a point, that are no part of a name (x_1, W2)
// nor of a claim's id (tc-1).
std::vector<std::string> numbers(std::string text) {
  static const std::regex id(R"(\b[a-z]{2}-\d+\b)");
  static const std::regex number(R"((?:^|[^\w.])(\d+(?:\.\d+)?)(?![\w]))");
  text = std::regex_replace(text, id, " ");
  return matches(text, number);
}

// A number with a point is an abbreviation of what stands before the equals sign.
bool is_abbreviation(const std::string& text, const std::string& number) {
  return number.find('.') != std::string::npos && text.find("= " + number) != std::string::npos;
}

bool claims_sharpness(const std::string& text) {
  static const std::regex word(R"(\b(least|exact|exactly|sharp|attained|only if)\b)");
  return std::regex_search(text, word);
}

// "at least" is a bound and no claim that it is the best.
std::string without_bounds(const std::string& text) {
  static const std::regex bound(R"(\bat least\b)");
  return std::regex_replace(text, bound, "");
}

std::string shown(const std::string& text) {
  constexpr std::size_t kShown = 60;
  return "\"" + text.substr(0, kShown) + (text.size() > kShown ? "..\"" : "\"");
}

// A step whose file is not there yet says nothing so far; whoever proves the claim says so.
bool is_missing(const Claim& claim, const std::string& name) {
  std::error_code ignored;
  return std::any_of(claim.steps.begin(), claim.steps.end(),
                     [&](const Step& step) { return step.file == name; }) &&
         !std::filesystem::exists(claim.folder / name, ignored);
}

Result<void> check_numbers(const Sentence& sentence, const Claim& claim, const std::string& where) {
  std::vector<std::string> all;
  for (const std::string& name : sentence.says) {
    if (is_missing(claim, name)) return {};
    const auto evidence = stated_with_definitions(claim, name);
    if (!evidence) {
      return fail("SP0612", where,
                  "field \"says\": \"" + name +
                      "\" is no sentence of a statement file, no step's file and no threshold of "
                      "this claim");
    }
    all.push_back(*evidence);
  }
  const std::string number = unsaid_number(sentence.text, all);
  if (number.empty()) return {};
  return fail(
      "SP0612", where,
      "the number " + number + " of " + shown(sentence.text) + " occurs in nothing that says it");
}

}  // namespace

std::string unsaid_number(const std::string& text, const std::vector<std::string>& evidence) {
  std::set<std::string> said;
  for (const std::string& one : evidence) {
    for (std::string& number : numbers(one)) said.insert(std::move(number));
  }
  for (const std::string& number : numbers(text)) {
    if (!said.contains(number) && !is_abbreviation(text, number)) return number;
  }
  return "";
}

Result<void> check_words(const Sentence& sentence, const Claim& claim, const std::string& where) {
  if (sentence.says.empty()) {
    return fail("SP0612", where,
                "field \"says\" names nothing: what says " + shown(sentence.text) + "?");
  }
  if (auto found = check_numbers(sentence, claim, where); !found) return found;
  const auto& says = sentence.says;
  if (!sentence.sharp.empty() &&
      std::find(says.begin(), says.end(), sentence.sharp) == says.end()) {
    return fail("SP0612", where, "field \"sharp\": \"" + sentence.sharp + "\" is not in \"says\"");
  }
  if (claims_sharpness(without_bounds(sentence.text)) && sentence.sharp.empty()) {
    return fail("SP0612", where,
                shown(sentence.text) +
                    " says that something is attained, least, exact or necessary: field \"sharp\" "
                    "must name what shows that");
  }
  return {};
}

Result<std::vector<Sentence>> read_sentences(const toml::array* tables, const Claim& claim,
                                             const std::string& where) {
  if (tables == nullptr || tables->empty()) {
    return fail("SP0612", where, "no [[sentence]]: what does the claim say?");
  }
  std::vector<Sentence> sentences;
  for (std::size_t i = 0; i < tables->size(); ++i) {
    const std::string here = where + ": sentence " + std::to_string(i + 1);
    Fields fields(*tables->get(i)->as_table(), here);
    Sentence sentence;
    sentence.text = fields.text("text");
    sentence.says = fields.texts("says");
    sentence.sharp = fields.text("sharp", false);
    if (auto done = fields.finish(); !done) return tl::unexpected(done.error());
    if (auto tied = check_words(sentence, claim, here); !tied) return tl::unexpected(tied.error());
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace sinkproof::claim
