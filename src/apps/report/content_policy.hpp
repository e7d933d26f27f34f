// What the page may load and run, said to the browser: its own style sheet and its own script, by
// their digests, and nothing else. Escaping (text/html.hpp) keeps foreign words from becoming
// markup; should that ever fail, a script that got in that way still does not run, and nothing is
// fetched.
#pragma once

#include <string>
#include <string_view>

namespace sinkproof::report {

// The value of a Content-Security-Policy for a page whose only <style> holds exactly `style` and
// whose only <script> holds exactly `script`.
std::string content_policy(std::string_view style, std::string_view script);

}  // namespace sinkproof::report
