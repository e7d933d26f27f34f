#include "measure/cover.hpp"

#include <fmt/core.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "accept/accept.hpp"
#include "certificate/envelope.hpp"
#include "cli/digits.hpp"
#include "cli/verbs.hpp"
#include "json/strict.hpp"
#include "language/cover_product.hpp"
#include "measure/cover_text.hpp"
#include "output/replace.hpp"
#include "rounded/decimal.hpp"
#include "text/words.hpp"

namespace sinkproof::cli {
namespace {

using certificate::CoverFigure;
using certificate::CoverStatement;
using exact::Rational;
using exact::Result;

struct CoverArguments {
  Common common;
  std::string folder;
  std::vector<std::string> assume_neutral;
  measure::CoverTexts texts;
  bool attention = false;
  bool products = false;
  std::string logits;  // ids as text
  double seconds = 0;
  std::string output;
  std::optional<std::string> claims;
};

// Accuracy is always asked for, and the margin unless tables decide products.
std::vector<CoverStatement> asked_of(const CoverArguments& arguments, const language::Model& model,
                                     const certificate::Cover& cover,
                                     const certificate::TokenIds& logits) {
  const language::Config& config = model.config;
  const std::size_t length = cover.positions.size();
  if (arguments.products && !arguments.attention && logits.empty() &&
      language::check_product(cover, model)) {
    return std::vector<CoverStatement>(1);
  }
  std::vector<CoverStatement> asked(2);
  asked[1].figure = CoverFigure::kMargin;
  for (std::size_t l = 0; arguments.attention && l < config.layers; ++l) {
    for (std::size_t h = 0; h < config.heads; ++h) {
      for (std::size_t k = 1; k <= length; ++k) {
        CoverStatement one;
        one.figure = CoverFigure::kAttention;
        one.layer = l;
        one.head = h;
        one.key = k;
        asked.push_back(one);
      }
    }
  }
  for (const std::uint32_t id : logits) {
    CoverStatement one;
    one.figure = CoverFigure::kLogit;
    one.id = id;
    asked.push_back(one);
  }
  return asked;
}

Result<measure::FoundCover> found_cover(const CoverArguments& arguments,
                                        const language::Folder& folder) {
  auto asked = measure::read_cover_texts(arguments.texts, folder.model().vocabulary());
  if (!asked) return tl::unexpected(asked.error());
  const auto hash = accept::claim_text_hash("cover", arguments.claims, arguments.output);
  if (!hash) return tl::unexpected(hash.error());
  asked->claim_sha256 = *hash;
  certificate::TokenIds logits;
  if (!arguments.logits.empty()) {
    const auto ids = measure::read_ids(arguments.logits, folder.model().vocabulary(), "--logit");
    if (!ids) return tl::unexpected(ids.error());
    logits = certificate::listed(*ids);
  }
  asked->statements = asked_of(arguments, folder.model(), *asked, logits);
  ProgressLine line(arguments.common.quiet, arguments.seconds);
  return measure::find_cover({folder, *std::move(asked), arguments.seconds,
                              arguments.common.threads(), arguments.products},
                             [&](double share) { line.show_steady("rigorous pass", share); });
}

std::string shown(const exact::Integer& number) { return exact::to_string(Rational(number)); }

std::string tokens_text(const certificate::TokenIds& tokens) {
  std::string text;
  for (const std::uint32_t id : tokens) text += (text.empty() ? "" : " ") + std::to_string(id);
  return text;
}

std::string name_of(const CoverStatement& one) {
  if (one.figure == CoverFigure::kMargin) return "margin";
  if (one.figure == CoverFigure::kLogit) return "logit of " + std::to_string(one.id);
  return fmt::format("layer {} head {} on {}", one.layer, one.head, one.key);
}

std::string ends_text(const std::vector<Rational>& ends) {
  return fmt::format("[{}, {}]", rounded::decimal_down(ends[0], kDigits),
                     rounded::decimal_up(ends[1], kDigits));
}

void print_text(const CoverArguments& arguments, const measure::FoundCover& found,
                const std::string& remarks) {
  const certificate::Cover& cover = found.cover;
  say("{}: {} {} of {}, real arithmetic on the weights as stored ({} bits)\n", arguments.folder,
      shown(cover.count()), cover.count() == 1 ? "sequence" : "sequences",
      text::counted(cover.positions.size(), "token"), cover.precision);
  if (!remarks.empty()) say("{}\n", remarks);
  const CoverStatement& accuracy = cover.statements.front();
  say("right {}, wrong {}, undecided {}\n", shown(accuracy.right), shown(accuracy.wrong),
      shown(accuracy.undecided));
  if (found.ended && arguments.products) {
    say("the search ended at its budget (--seconds) or at {} nodes, the most of a certificate; "
        "what "
        "it had not decided counts as undecided\n",
        certificate::kMostCoverNodes);
  }
  if (cover.statements.size() == 1 && arguments.products) return;
  if (found.ended && !arguments.products) {
    say("the budget of {} s ended; sequences that were not evaluated count as undecided, and those "
        "that only more than {} splits would tell apart\n",
        arguments.seconds, certificate::kMostSplits);
    return;
  }
  say("{:<22}  {:<30}  {:<30}{}\n", "figure", "least", "greatest",
      found.examples.back().least.empty() ? "" : "  at, each");
  for (std::size_t n = 1; n < cover.statements.size(); ++n) {
    const CoverStatement& one = cover.statements[n];
    const measure::CoverExamples& at = found.examples[n];
    const std::string examples =
        at.least.empty() ? "" : "  " + tokens_text(at.least) + "; " + tokens_text(at.greatest);
    say("{:<22}  {:<30}  {:<30}{}\n", name_of(one), ends_text(one.least), ends_text(one.greatest),
        examples);
  }
}

json::Value ends_json(const std::vector<Rational>& ends) {
  return {{"lower", rounded::decimal_down(ends[0], kReadoutDigits)},
          {"upper", rounded::decimal_up(ends[1], kReadoutDigits)}};
}

json::Value report_json(const CoverArguments& arguments, const measure::FoundCover& found,
                        const std::string& remarks) {
  const certificate::Cover& cover = found.cover;
  json::Value value = {{"schema", 1},
                       {"kind", "cover"},
                       {"semantics", "real"},
                       {"files", cover.model.files},
                       {"sequences", shown(cover.count())},
                       {"precision", cover.precision},
                       {"ended", found.ended}};
  if (!remarks.empty()) value["remarks"] = remarks;
  value["certificate"] = arguments.output.empty() ? json::Value() : json::Value(arguments.output);
  json::Value list = found.certificate["statements"];
  for (std::size_t n = 1; n < cover.statements.size(); ++n) {
    list[n]["least"] = ends_json(cover.statements[n].least);
    list[n]["greatest"] = ends_json(cover.statements[n].greatest);
    if (found.examples[n].least.empty()) continue;
    list[n]["least_at"] = found.examples[n].least;
    list[n]["greatest_at"] = found.examples[n].greatest;
  }
  value["statements"] = std::move(list);
  return value;
}

Result<int> run_cover(const CoverArguments& arguments) {
  const std::set<std::string> assumed(arguments.assume_neutral.begin(),
                                      arguments.assume_neutral.end());
  const auto folder = language::open_folder(arguments.folder, assumed);
  if (!folder) return tl::unexpected(folder.error());
  const auto found = found_cover(arguments, **folder);
  if (!found) return tl::unexpected(found.error());
  const auto accepted = accept::ask_about_cover(found->certificate, arguments.folder);
  if (!accepted) return tl::unexpected(accepted.error());
  if (!arguments.output.empty()) {
    const auto written =
        output::replace(arguments.output, certificate::certificate_bytes(found->certificate));
    if (!written) return tl::unexpected(written.error());
  }
  const std::string remarks = (*folder)->model().remarks();
  if (arguments.common.json()) {
    say_json(report_json(arguments, *found, remarks));
  } else if (!arguments.common.quiet) {
    print_text(arguments, *found, remarks);
  }
  return found->cover.statements.front().undecided == 0 ? kOk : kUnknown;
}

}  // namespace

void add_cover(const Command& program, int& exit_code) {
  const Command command = program.add_verb(
      "cover",
      "What a language model does on every sequence of a set: accuracy, margin, attention");
  const auto arguments = std::make_shared<CoverArguments>();
  command.group("Model");
  command.add_option("dir", arguments->folder, "Folder with config.json and model.safetensors")
      .required()
      .path(output::Use::kReads)
      .type_name("DIR");
  command
      .add_option("--assume-neutral", arguments->assume_neutral,
                  "Read config.json as if it did not have this key; every verdict names it")
      .type_name("KEY");
  command.group("Inputs");
  command
      .add_option(
          "--position", arguments->texts.positions,
          "Ids at the next position, such as 0-112 or 3,5,7-9 or any; =2 repeats position 2")
      .required()
      .one_value_each()
      .type_name("IDS");
  command
      .add_option("--target", arguments->texts.target,
                  "The right answer: \"sum 1,2 mod 113\", \"maximum 1,2,3\", \"copy 4\" or \"table "
                  "FILE.npy\"; positions from 1")
      .required()
      .type_name("RULE");
  command.add_option("--answers", arguments->texts.answers, "Ids whose logits are compared")
      .capture_default_str()
      .type_name("IDS");
  command.group("Properties");
  command.add_flag("--attention", arguments->attention,
                   "Enclose the last row's attention on each position, of every layer and head");
  command.add_option("--logit", arguments->logits, "Enclose the logits of these ids")
      .type_name("IDS");
  command.group("Search");
  command.add_flag("--products", arguments->products,
                   "Decide whole products of sets at once, without a pass for each sequence");
  command
      .add_option("--seconds", arguments->seconds,
                  "Stop after so many seconds; the rest is undecided (default: no budget)")
      .between(0.001, kMostSeconds);
  command.group("Output");
  command.add_option("-o,--output", arguments->output, "Certificate to write")
      .path(output::Use::kWrites);
  add_claims(command, arguments->claims);
  add_common(command, arguments->common);
  command.example(
      "sinkproof cover sum/ --position 0-12 --position 0-12 --position 13 --target \"sum 1,2 mod "
      "13\"");
  command.example(
      "sinkproof cover model/ --position any --position any --target \"maximum 1,2\" --attention");
  command.callback([arguments, &exit_code] {
    const auto done = run_cover(*arguments);
    exit_code = done ? *done : refused(done.error());
  });
}

}  // namespace sinkproof::cli
