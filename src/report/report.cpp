#include "report/report.hpp"

#include <fmt/format.h>

#include <set>

#include "report/checkpoint_section.hpp"
#include "report/colour_scale.hpp"
#include "report/html_text.hpp"
#include "report/status.hpp"
#include "report/style.hpp"
#include "report/theory_section.hpp"
#include "report/variant_section.hpp"
#include "report/vector_section.hpp"

namespace sinkproof::report {
namespace {

using exact::fail;
using exact::Result;

// The inputs by what they are. `unknown` holds what is of no kind, which no checker accepts.
struct Kinds {
  std::vector<const Input*> theory;
  std::vector<const Input*> checkpoint;
  std::vector<const Input*> vectors;
  std::vector<const Input*> unknown;
};

Kinds sort_by_kind(const std::vector<Input>& inputs) {
  Kinds kinds;
  for (const Input& input : inputs) {
    std::string kind;
    if (input.certificate.is_object()) {
      const auto found = input.certificate.find("kind");
      if (found != input.certificate.end() && found->is_string()) kind = found->get<std::string>();
    }
    (kind == "theory"       ? kinds.theory
     : kind == "checkpoint" ? kinds.checkpoint
     : kind == "vectors"    ? kinds.vectors
                            : kinds.unknown)
        .push_back(&input);
  }
  return kinds;
}

std::string count(std::size_t number, const std::string& what) {
  return fmt::format("<li><strong>{}</strong><span>{}</span></li>", number, what);
}

std::string counts(const std::vector<Input>& inputs) {
  std::multiset<Status> seen;
  for (const Input& input : inputs) seen.insert(status_of(input.outcome));
  std::string list = R"(<ul class="counts">)";
  list += count(inputs.size(), inputs.size() == 1 ? "certificate" : "certificates");
  list += count(seen.count(Status::kAccepted), "accepted");
  list += count(seen.count(Status::kPartly), "accepted in part: some steps not re-verified");
  list += count(seen.count(Status::kRejected), "rejected");
  list += count(seen.count(Status::kNotChecked), "could not be checked");
  return list + "</ul>\n";
}

std::string head(const std::vector<Input>& inputs) {
  return "<header>\n<h1>Attention sinks: what is decided, and by what evidence</h1>\n"
         "<p>sinkproof decides claims about attention sinks in transformers and leaves a "
         "certificate for each, which a small independent checker accepts or rejects. This page "
         "shows what the certificates say and what the checker said of them.</p>\n"
         "<p>Bounds are exact enclosures, printed as decimals rounded outward; heat maps and the "
         "positions in charts are estimates in double precision.</p>\n" +
         counts(inputs) + "</header>\n";
}

Result<std::string> unknown_section(const std::vector<const Input*>& inputs) {
  if (inputs.empty()) return "";
  std::string section = "<section id=\"unreadable\"><h2>Not readable as certificates</h2>\n";
  for (const Input* input : inputs) {
    if (shows_bounds(status_of(input->outcome))) {
      return fail("SP1202", file_name(input->path),
                  "is no certificate, but its outcome says accepted");
    }
    section += fmt::format("<article class=\"card\">\n<h3>{} {}</h3>\n<p>{}</p>\n</article>\n",
                           escape(file_name(input->path)), verdict_badge(input->outcome),
                           reasons_text(input->outcome));
  }
  return section + "</section>\n";
}

std::string foot(const std::vector<Input>& inputs) {
  std::string files;
  for (const Input& input : inputs) files += " " + escape(shell_word(file_name(input.path)));
  return fmt::format(
      "<footer id=\"recheck\">\n<h2>Check it again</h2>\n"
      "<p>Two checkers that share no code must agree on every file. Both look for the models in "
      "the folder given as <code>models</code>, by SHA-256.</p>\n"
      "<pre>sinkproof-check --models models{0}</pre>\n"
      "<pre>python3 tools/recheck.py --models models{0}</pre>\n"
      "<p class=\"quiet\">Exit 0: everything was proved. Exit 3: some steps rest on the word of an "
      "SMT solver or of Coq; <code>--accept smt,coq</code> takes it, <code>sinkproof prove</code> "
      "runs those steps again. Exit 4: a certificate was rejected.</p>\n</footer>\n",
      files);
}

std::string page(const std::string& top, const std::string& sections, const std::string& bottom) {
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>sinkproof report</title>\n<style>";
  text += kStyle;
  text += colour_rules() + "</style>\n</head>\n<body>\n" + top + "<main>\n" + sections +
          "</main>\n" + bottom;
  text +=
      "<dialog id=\"large\" aria-label=\"Enlarged heat map\"><div></div>"
      "<form method=\"dialog\"><button>Close</button></form></dialog>\n<script>";
  text += kScript;
  return text + "</script>\n</body>\n</html>\n";
}

}  // namespace

Result<std::string> html(const std::vector<Input>& inputs, const Options& options) {
  if (inputs.empty()) return fail("SP1201", "report", "no certificates: name at least one");
  const Kinds kinds = sort_by_kind(inputs);
  const auto theory = theory_section(kinds.theory, options);
  if (!theory) return tl::unexpected(theory.error());
  const auto variants = variant_section(kinds.theory, kinds.checkpoint, options);
  if (!variants) return tl::unexpected(variants.error());
  const auto checkpoints = checkpoint_section(kinds.checkpoint);
  if (!checkpoints) return tl::unexpected(checkpoints.error());
  const auto vectors = vector_section(kinds.vectors);
  if (!vectors) return tl::unexpected(vectors.error());
  const auto unknown = unknown_section(kinds.unknown);
  if (!unknown) return tl::unexpected(unknown.error());
  return page(head(inputs), *theory + *variants + *checkpoints + *vectors + *unknown, foot(inputs));
}

}  // namespace sinkproof::report
