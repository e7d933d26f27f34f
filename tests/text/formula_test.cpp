#include "text/formula.hpp"

#include <catch2/catch.hpp>
#include <regex>
#include <string>
#include <vector>

using sinkproof::text::typeset;

namespace {

// The markup's text in order, as somebody who knows no MathML reads it.
std::string read_aloud(const std::string& markup) {
  return std::regex_replace(markup, std::regex("<[^>]*>"), "");
}

std::string math(const std::string& content) { return "<math>" + content + "</math>"; }

}  // namespace

TEST_CASE("prose is only escaped") {
  for (const char* prose : {"", "a sink", "One head & any <value> map; 13 and 4.", "(a) some map",
                            "tc-1 rests on arXiv:2603.11487, section 0.", "sup loss, exp, max"}) {
    CHECK(typeset(prose).find("<math>") == std::string::npos);
    CHECK(typeset(prose).find('<') == std::string::npos);
  }
  CHECK(typeset("One head & <any>") == "One head &amp; &lt;any&gt;");
}

TEST_CASE("a formula in prose begins and ends where it does") {
  CHECK(typeset("at most eta, for L >= 4.") ==
        "at most " + math("<mi>η</mi>") + ", for " + math("<mi>L</mi><mo>≥</mo><mn>4</mn>") + ".");
  CHECK(typeset("a < b & c") ==
        math("<mi>a</mi><mo>&lt;</mo><mi>b</mi>") + " &amp; " + math("<mi>c</mi>"));
  CHECK(typeset("(no bound on L)") == "(no bound on " + math("<mi>L</mi>") + ")");
  CHECK(typeset("mass 2/(1 + eta) off") ==
        "mass " +
            math("<mn>2</mn><mo>/</mo><mo stretchy=\"false\">(</mo><mn>1</mn><mo>+</mo>"
                 "<mi>η</mi><mo stretchy=\"false\">)</mo>") +
            " off");
}

TEST_CASE("scripts and roots are MathML's, whatever is in their brackets") {
  CHECK(typeset("W_Q^T") ==
        math("<msubsup><mi>W</mi><mrow><mi>Q</mi></mrow><mrow><mi>T</mi></mrow></msubsup>"));
  CHECK(typeset("a_ik") == math("<msub><mi>a</mi><mrow><mi>i</mi><mi>k</mi></mrow></msub>"));
  CHECK(typeset("e^-b") == math("<msup><mi>e</mi><mrow><mo>−</mo><mi>b</mi></mrow></msup>"));
  CHECK(typeset("sqrt((1 + L)(4 + L))/L").find("<msqrt><mo stretchy=\"false\">(</mo><mn>1</mn>") !=
        std::string::npos);
  CHECK(read_aloud(typeset("sqrt((1 + L)(4 + L))/L")) == "(1+L)(4+L)/L");
  CHECK(read_aloud(typeset("sum_{l<=i} K(x_i,x_l)")) == "∑l≤iK(xi,xl)");
}

TEST_CASE("lines of a long formula may end before its signs, but not within a root") {
  const std::string markup =
      typeset("sqrt((1 + 4L)(4 + L))/L + 4 kappa (2 - delta) = 3 eta <= 5 mu");
  const std::regex element("<math>.*?</math>");
  std::vector<std::string> lines;
  for (std::sregex_iterator at(markup.begin(), markup.end(), element), end; at != end; ++at) {
    lines.push_back(read_aloud(at->str()));
  }
  CHECK(lines == std::vector<std::string>{"(1+4L)(4+L)/L", "+4κ(2", "−δ)", "=3η", "≤5μ"});
}

TEST_CASE("what does not close is left as it is written") {
  for (const char* broken : {"x_{i", "sqrt(x", "x_", "x^", "x_i_j", "^2"}) {
    CHECK(typeset(broken) == broken);
  }
  std::string deep = "x";
  for (int k = 0; k < 2000; ++k) deep += "_{x";
  CHECK(typeset(deep + std::string(2000, '}')).find("<math>") == std::string::npos);
}
