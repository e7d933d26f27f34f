#include "report/facts.hpp"

#include <fmt/format.h>

#include "text/html.hpp"

namespace sinkproof::report {

std::string fact(const std::string& name, const std::string& markup) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, markup);
}

std::string hash_text(const std::string& sha256) {
  return fmt::format(R"(<code class="hash" tabindex="0" title="{0}">{0}</code>)",
                     text::escape(sha256));
}

}  // namespace sinkproof::report
