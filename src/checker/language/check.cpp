#include "language/check.hpp"

#include <utility>
#include <vector>

#include "certificate/language.hpp"
#include "certificate/rule.hpp"
#include "forward/elementary.hpp"
#include "language/find.hpp"
#include "language/readouts.hpp"

namespace sinkproof::check {
namespace {

namespace fs = std::filesystem;
using certificate::LanguageStatement;
using exact::Integer;
using exact::Rational;

void require_within(const LanguageStatement& statement, const language::Numbers& numbers,
                    unsigned p, const std::string& where) {
  const Rational unit(Integer(1) << p);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool within = statement.lower[i] * unit <= Rational(numbers[i].lower) &&
                        Rational(numbers[i].upper) <= statement.upper[i] * unit;
    require(within, where, "number " + std::to_string(i) + " is not shown to lie within");
  }
}

// What is asked of this model, each with as many numbers as it has.
std::vector<certificate::LanguageQuestion> questions_of(const certificate::Language& stated,
                                                        const language::Model& model) {
  for (const certificate::TokenIds& tokens : stated.sequences) {
    value_of(language::check_request(model, tokens, {}));
  }
  std::vector<certificate::LanguageQuestion> questions;
  for (std::size_t s = 0; s < stated.statements.size(); ++s) {
    const LanguageStatement& statement = stated.statements[s];
    questions.push_back(statement.question);
    value_of(language::check_question(questions.back(), model, stated.sequences));
    const std::size_t numbers = language::numbers_of(
        questions.back(), model, stated.sequences[questions.back().sequence].size());
    require(statement.lower.size() == numbers, "statements[" + std::to_string(s) + "]",
            "must hold " + std::to_string(numbers) + " numbers");
  }
  return questions;
}

}  // namespace

LanguageVerified verify_language(const json::Value& certificate, const std::vector<fs::path>& roots,
                                 const fs::path& file) {
  const certificate::Language stated = certificate::read_language(certificate);
  const auto folder = find_language_model(stated, roots, file);
  const language::Model& model = folder->model();
  const std::vector<certificate::LanguageQuestion> questions = questions_of(stated, model);
  const auto numbers =
      language::readouts(model, stated.sequences, questions, stated.precision, language::in_turn);
  require(numbers.has_value(), "precision", "is too low for this model");
  for (std::size_t s = 0; s < stated.statements.size(); ++s) {
    require_within(stated.statements[s], (*numbers)[s], stated.precision,
                   "statements[" + std::to_string(s) + "]");
  }
  return {"", model.remarks(), model.scope()};
}

}  // namespace sinkproof::check
