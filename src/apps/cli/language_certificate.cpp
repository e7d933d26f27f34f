#include "cli/language_certificate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "accept/accept.hpp"
#include "certificate/envelope.hpp"
#include "cli/digits.hpp"
#include "estimate/interventions.hpp"
#include "measure/language.hpp"
#include "output/replace.hpp"
#include "rounded/decimal.hpp"
#include "write/write.hpp"

namespace sinkproof::cli {
namespace {

using certificate::LanguageQuestion;
using certificate::LanguageReadout;
using certificate::LanguageStatement;
using exact::Rational;

void ask_of_shares(std::size_t shortest, std::size_t position, const Rational& epsilon,
                   std::vector<LanguageQuestion>& questions) {
  LanguageQuestion question;
  question.epsilon = epsilon;
  question.readout = LanguageReadout::kSinkShare;
  for (std::size_t k = 1; k <= shortest; ++k) {
    question.position = k;
    questions.push_back(question);
  }
  question.readout = LanguageReadout::kValueSinkShare;
  question.position = position;
  questions.push_back(question);
}

void ask_of_interventions(const estimate::Request& request, std::size_t sequence,
                          std::vector<LanguageQuestion>& questions) {
  for (const estimate::Intervention& asked : request.interventions) {
    LanguageQuestion question;
    question.readout = LanguageReadout::kMoved;
    question.sequence = sequence;
    question.intervention = asked.taken;
    questions.push_back(question);
  }
}

// Norms by position only of the first sequence: there are many of them.
std::vector<LanguageQuestion> questions_of(const estimate::Request& request,
                                           const std::vector<estimate::Tokens>& sequences) {
  std::vector<LanguageQuestion> questions;
  std::size_t shortest = sequences.front().size();
  for (const auto& tokens : sequences) shortest = std::min(shortest, tokens.size());
  ask_of_shares(shortest, request.position, request.epsilon, questions);
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    for (const auto& row : certificate::kLanguageReadouts) {
      const bool ratio_of_one =
          row.readout == LanguageReadout::kValueRatio && sequences[s].size() == 1;
      const bool norms = !row.has_position && row.readout != LanguageReadout::kMeanCosine;
      if (row.is_share || row.readout == LanguageReadout::kMoved || ratio_of_one) continue;
      if (norms && s > 0) continue;
      questions.push_back({row.readout, s, request.position, {}, {}});
    }
    ask_of_interventions(request, s, questions);
  }
  return questions;
}

json::Value decimals(const std::vector<Rational>& numbers, bool up) {
  json::Value list = json::Value::array();
  for (const Rational& number : numbers) {
    list.push_back(up ? rounded::decimal_up(number, kReadoutDigits)
                      : rounded::decimal_down(number, kReadoutDigits));
  }
  return list;
}

std::string interval(const Rational& lower, const Rational& upper) {
  return "[" + rounded::decimal_down(lower, kShownDigits) + ", " +
         rounded::decimal_up(upper, kShownDigits) + "]";
}

void print_moved(const LanguageStatement& statement) {
  const LanguageQuestion& question = statement.question;
  say("{}, sequence {}: largest change of a row at each layer's input and the output, then of a "
      "logit:",
      estimate::name_of(question.intervention), question.sequence);
  for (std::size_t i = 0; i < statement.lower.size(); ++i) {
    say(" {}", interval(statement.lower[i], statement.upper[i]));
  }
  say("\n");
}

// Heads whose alpha at the asked position is above, at most, and around epsilon.
void print_decided(const certificate::Language& enclosed, const Rational& epsilon) {
  std::size_t sinks = 0;
  std::size_t none = 0;
  std::size_t all = 0;
  for (const LanguageStatement& statement : enclosed.statements) {
    if (statement.question.readout != LanguageReadout::kAlpha) continue;
    for (std::size_t i = 0; i < statement.lower.size(); ++i, ++all) {
      if (statement.lower[i] > epsilon) ++sinks;
      if (statement.upper[i] <= epsilon) ++none;
    }
  }
  say("(sequence, layer, head): {} certainly sink, {} certainly do not, {} are undecided\n", sinks,
      none, all - sinks - none);
}

}  // namespace

exact::Result<certificate::Language> certify_language(const AuditArguments& arguments,
                                                      const language::Folder& folder,
                                                      const estimate::Request& request,
                                                      const std::vector<estimate::Tokens>& ids) {
  const auto hash = accept::claim_text_hash("language", arguments.claims, arguments.output);
  if (!hash) return tl::unexpected(hash.error());
  ProgressLine line(arguments.common.quiet);
  std::vector<certificate::TokenIds> sequences;
  for (const auto& tokens : ids) sequences.emplace_back(tokens.begin(), tokens.end());
  auto enclosed = measure::enclosed(
      {folder, std::move(sequences), questions_of(request, ids), *hash, arguments.common.threads()},
      [&](double share) { line.show_steady("rigorous pass", share); });
  if (!enclosed || arguments.output.empty()) return enclosed;
  const auto written =
      output::replace(arguments.output, certificate::certificate_bytes(write::written(*enclosed)));
  if (!written) return tl::unexpected(written.error());
  return enclosed;
}

json::Value enclosures_json(const certificate::Language& enclosed) {
  json::Value list = write::written(enclosed)["statements"];
  for (std::size_t s = 0; s < enclosed.statements.size(); ++s) {
    list[s]["lower"] = decimals(enclosed.statements[s].lower, false);
    list[s]["upper"] = decimals(enclosed.statements[s].upper, true);
  }
  return {{"precision", enclosed.precision}, {"statements", std::move(list)}};
}

void print_enclosures(const certificate::Language& enclosed) {
  say("enclosures, real arithmetic on the weights as stored ({} bits):\n", enclosed.precision);
  const LanguageStatement* first = nullptr;
  std::string elsewhere;
  for (const LanguageStatement& statement : enclosed.statements) {
    const LanguageQuestion& question = statement.question;
    if (question.readout == LanguageReadout::kMoved) print_moved(statement);
    if (!question.row().is_share) continue;
    const std::string share = interval(statement.lower.front(), statement.upper.front());
    const bool values = question.readout == LanguageReadout::kValueSinkShare;
    if (first == nullptr) first = &statement;
    if (values) {
      say("value-weighted sink share of position {} is in {}\n", question.position, share);
    } else if (statement.upper.front() > 0) {
      elsewhere += fmt::format(" {} {}", question.position, share);
    }
  }
  say("sink share by position, where it may be above 0:{}\n",
      elsewhere.empty() ? " nowhere" : elsewhere);
  if (first != nullptr) print_decided(enclosed, first->question.epsilon);
}

}  // namespace sinkproof::cli
