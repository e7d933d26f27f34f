#include "certificate/step.hpp"

#include "certificate/envelope.hpp"
#include "certificate/schema.hpp"
#include "certificate/theory.hpp"

namespace sinkproof::certificate {

void describe(Fields& io, GivenVectors& of) {
  io.value("statement", of.statement);
  io.value("evidence", of.evidence);
}

namespace {

// Rules of which nothing but their name is said.
template <typename Rule>
requires std::is_empty_v<Rule>
void describe(Fields& /*io*/, Rule& /*of*/) {}

void describe(Fields& io, Theorems& of) {
  io.texts("theorems", of.names);
  io.texts("assumptions", of.assumptions);
  io.text("theory_sha256", of.theory_sha256);
}

void describe(Fields& io, Sentences& of) {
  io.texts("sentences", of.names);
  io.text("sha256", of.sha256);
  io.list("definitions", of.definitions, {}, [](Fields& list, const Key& key, auto& one) {
    list.object(key, [&](Fields& part) {
      part.text("file", one.first);
      part.text("sha256", one.second);
    });
  });
}

void describe(Fields& io, Step& of, const std::string& before) {
  io.text("file", of.file);
  io.require_of("file", before < of.file, "steps must be distinct and sorted by file", "SP0802");
  io.set_path(of.file.substr(0, 80));
  io.require(is_path_within(of.file), "is not a path within the claim's folder", "SP0802");
  const auto rule = rule_of_file(of.file);
  io.require(rule.has_value(), "has no rule for a file of this name", "SP0802");
  io.alternative("rule", of.by, "is not a rule", "SP0802");
  const bool is_own = rule && of.by.index() == static_cast<std::size_t>(*rule);
  io.require_of("rule", is_own || std::holds_alternative<Assumed>(of.by),
                "is not the rule of a file of this name", "SP0802");
  std::visit([&](auto& by) { describe(io, by); }, of.by);
}

}  // namespace

void describe(Fields& io, Theory& of) {
  std::int64_t format = kFormat;
  io.integer("format", format, kFormat, kFormat);
  io.constant("kind", "theory");
  io.text("claim", of.claim);
  io.text("claim_sha256", of.claim_sha256);
  io.list("steps", of.steps, {1, SIZE_MAX, "is empty, so it proves nothing", "SP0802"},
          [&](Fields& list, const Key& key, Step& one) {
            const std::string before = key.index == 0 ? "" : of.steps[key.index - 1].file;
            list.object(key, [&](Fields& part) { describe(part, one, before); });
          });
  io.text("verdict", of.verdict);
}

}  // namespace sinkproof::certificate
