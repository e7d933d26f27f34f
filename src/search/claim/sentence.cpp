#include "claim/sentence.hpp"

#include <algorithm>

#include "certificate/says.hpp"
#include "certificate/strict.hpp"
#include "claim/claim.hpp"
#include "claim/fields.hpp"
#include "claim/stated.hpp"
#include "file/file.hpp"

namespace sinkproof::claim {
namespace {

using exact::fail;
using exact::Result;

// A step's file counts even when it does not exist yet; `prove` reports a missing one.
bool is_stated(const Claim& claim, const std::string& name) {
  const auto same = [&](const Step& step) { return step.file == name; };
  const auto step = std::find_if(claim.steps.begin(), claim.steps.end(), same);
  if (step == claim.steps.end()) return stated(claim, name).has_value();
  return certificate::may_be_said(step->rule);
}

}  // namespace

std::set<std::string> said_names(const Claim& claim) {
  std::set<std::string> names;
  for (const Sentence& one : claim.sentences) names.insert(one.says.begin(), one.says.end());
  for (const Variant& one : claim.variants) names.insert(one.says.begin(), one.says.end());
  return names;
}

Result<void> check_says_lines(const Claim& claim, const std::string& where) {
  const auto text = file::read(claim.folder / "claim.toml");
  if (!text) return tl::unexpected(text.error());
  const auto lines = certificate::result_of([&] { return certificate::said_names(*text, where); });
  if (lines && *lines == said_names(claim)) return {};
  return fail("SP0612", where,
              "field \"says\" must be a line of its own: says = [\"NAME\", \"NAME\"], with these "
              "spaces only");
}

Result<void> check_says(const std::vector<std::string>& says, const Claim& claim,
                        const std::string& where) {
  if (says.empty()) {
    return fail("SP0612", where, "field \"says\" is empty; name what states the words");
  }
  for (const std::string& name : says) {
    if (is_stated(claim, name)) continue;
    return fail("SP0612", where,
                "field \"says\": \"" + name +
                    "\" must be a sentence of a statement file, the file of an implication, "
                    "identity, construction or SMT step, or a threshold of this claim");
  }
  return {};
}

Result<std::vector<Sentence>> read_sentences(const toml::array* tables, const Claim& claim,
                                             const std::string& where) {
  if (tables == nullptr || tables->empty()) {
    return fail("SP0612", where, "has no [[sentence]]; add one that states what is claimed");
  }
  std::vector<Sentence> sentences;
  for (std::size_t i = 0; i < tables->size(); ++i) {
    const std::string here = where + ": sentence " + std::to_string(i + 1);
    Fields fields(*tables->get(i)->as_table(), here);
    Sentence sentence;
    sentence.text = fields.text("text");
    sentence.says = fields.texts("says");
    if (auto done = fields.finish(); !done) return tl::unexpected(done.error());
    if (auto found = check_says(sentence.says, claim, here); !found) {
      return tl::unexpected(found.error());
    }
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace sinkproof::claim
