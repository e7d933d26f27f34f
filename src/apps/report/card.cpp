#include "report/card.hpp"

#include <fmt/format.h>

#include "report/status.hpp"
#include "text/html.hpp"

namespace sinkproof::report {

std::string card_head(const Input& input, const std::string& name, const std::string& anchor) {
  return fmt::format("<article class=\"card\" id=\"{}\">\n<h3>{} {}</h3>\n", anchor,
                     text::escape(name), verdict_badge(input));
}

std::string unaccepted_card(const Input& input, const std::string& name,
                            const std::string& anchor) {
  const std::string reasons = reason_text(input.outcome);
  return card_head(input, name, anchor) +
         fmt::format(
             "<p>{}</p>\n<p class=\"quiet\">The checker did not accept this certificate, so its "
             "statements are not shown.</p>\n</article>\n",
             reasons.empty() ? "No reason was given." : reasons);
}

std::string checker_words(const Input& input) {
  const std::string reasons = reason_text(input.outcome);
  return reasons.empty() ? "" : fmt::format("<p class=\"quiet\">Checker: {}.</p>\n", reasons);
}

std::string required(const Input& input) {
  if (input.thresholds.empty()) return "";
  std::string list;
  for (const Threshold& threshold : input.thresholds) {
    list += fmt::format("<li>{} <code>{}</code> {}</li>\n", threshold_badge(threshold),
                        text::escape(threshold.required), text::escape(threshold.found));
  }
  return "<h4>Required</h4>\n<ul class=\"attention\">\n" + list + "</ul>\n";
}

}  // namespace sinkproof::report
