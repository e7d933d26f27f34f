#include "summaries.hpp"

namespace sinkproof::ci::test {
namespace {

Finding finding(Level level, const std::string& suite, const std::string& subject,
                const std::string& asked, const std::string& verdict, const std::string& rule,
                const std::string& message, int exit_code) {
  Finding made;
  made.level = level;
  made.suite = suite;
  made.subject = subject;
  made.asked = asked;
  made.verdict = verdict;
  made.rule = rule;
  made.message = message;
  made.exit_code = exit_code;
  made.location = {"sinkproof.toml", 1, 1};
  return made;
}

Finding proved_claim() {
  Finding made = finding(Level::kPass, "theory", "tc-1", "proved", "proved", "",
                         "The checker accepts its certificate.", 0);
  made.evidence = "exact+coq";
  made.assumptions = {"Coq's word: necessity.v", "tc-3"};
  made.location = {"sinkproof.toml", 4, 8};
  made.certificate = "certificates/tc-1.json";
  made.certificate_sha256 = std::string(64, 'a');
  made.subject_sha256 = std::string(64, 'b');
  made.seconds = 0.0625;
  return made;
}

Finding bounded_checkpoint() {
  Finding made = finding(Level::kPass, "checkpoints", "tiny", "sup-loss<=0.02", "proved", "",
                         "The sup loss is at most 0.02.", 0);
  made.length = 8;
  made.box = "[-1,1]^5";
  made.evidence = "interval";
  made.lower = "0.0119";
  made.upper = "0.0121";
  made.location = {"sinkproof.toml", 12, 3};
  made.certificate = "models/tiny.cert.json";
  made.certificate_sha256 = std::string(64, 'c');
  made.seconds = 1.5;
  return made;
}

Finding problem(const std::string& subject, const std::string& verdict, const std::string& rule,
                int exit_code) {
  return finding(Level::kError, "checkpoints", subject, "bos-floor.pre>=0.9", verdict, rule,
                 "It is not so; change the model.", exit_code);
}

int summary_code(const Summary& summary) {
  for (const int code : {5, 4, 1, 2, 3}) {
    for (const Finding& one : summary.findings) {
      if (one.exit_code == code) return code;
    }
  }
  return 0;
}

Summary of(std::vector<Finding> findings) {
  Summary summary;
  summary.config = "sinkproof.toml";
  summary.findings = std::move(findings);
  summary.exit_code = summary_code(summary);
  summary.seconds = 2.25;
  return summary;
}

Finding made_anew(const std::string& subject) {
  Finding made = finding(Level::kWarning, "claims", subject, "proved", "proved", "SP1718",
                         "Its certificate was stale and was made anew; commit it.", 0);
  made.proved_again = true;
  made.code = "SP0801";
  made.certificate = "certificates/" + subject + ".json";
  return made;
}

}  // namespace

Summary green() { return of({proved_claim(), bounded_checkpoint()}); }

Summary mixed() {
  Finding refuted = problem("wide", "refuted", "SP1711", 1);
  refuted.lower = "0.5";
  refuted.upper = "0.51";
  refuted.certificate = "models/wide.cert.json";
  refuted.certificate_sha256 = std::string(64, 'd');
  refuted.location = {"sinkproof.toml", 20, 5};
  refuted.seconds = 0.0004;
  Finding missing = problem("gone", "", "SP1719", 2);
  missing.code = "SP0201";
  missing.location = {"./gates/more claims.toml", 3, 1};
  Finding unchanged = finding(Level::kUnchanged, "theory", "tc-2", "proved", "", "",
                              "Nothing it depends on changed.", 0);
  Summary summary = of({proved_claim(), refuted, made_anew("own-1"), missing,
                        problem("slow", "unknown", "SP1713", 3), problem("forged", "", "SP1712", 4),
                        problem("odd", "", "SP1717", 5), unchanged, bounded_checkpoint(),
                        problem("weak", "statistical", "SP1714", 3)});
  summary.base = "main";
  return summary;
}

std::string hostile_text() {
  using namespace std::string_literals;
  return "<b>x</b> \"q' ]]> & | `c` **s** [l](https://evil.example) {0} %0A, a:b\n"
         "::error file=x::y\r\n\n| row |\n## h\t\0\x1b[31m \xff\xc3 \xE2\x80\xAE"s
         "end";
}

Summary hostile() {
  const std::string text = hostile_text();
  Finding bad = finding(Level::kError, text, text, text, text, "SP1711", text, 1);
  bad.length = 3;
  bad.box = bad.evidence = bad.code = bad.lower = bad.upper = bad.certificate = text;
  bad.certificate_sha256 = bad.subject_sha256 = text;
  bad.assumptions = {text, text};
  bad.location = {"/../" + text, 0, 0};
  Finding pass = bad;
  pass.level = Level::kPass;
  pass.exit_code = 0;
  Finding warning = pass;
  warning.level = Level::kWarning;
  Finding unchanged = pass;
  unchanged.level = Level::kUnchanged;
  Finding error = bad;
  error.exit_code = 5;
  error.rule = text;
  error.seconds = -1;
  Summary summary = of({bad, pass, warning, unchanged, error});
  summary.config = summary.base = text;
  return summary;
}

Summary many(std::size_t errors, std::size_t warnings) {
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < warnings; ++i)
    findings.push_back(made_anew("w-" + std::to_string(i)));
  for (std::size_t i = 0; i < errors; ++i) {
    findings.push_back(problem("e-" + std::to_string(i), "refuted", "SP1711", 1));
  }
  return of(std::move(findings));
}

}  // namespace sinkproof::ci::test
