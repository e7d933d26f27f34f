#include "text/html.hpp"

#include <catch2/catch.hpp>

using namespace sinkproof::text;

TEST_CASE("Markup in text becomes inert") {
  CHECK(escape(R"(<script a="b" c='d'>&amp;</script>)") ==
        "&lt;script a=&quot;b&quot; c=&#39;d&#39;&gt;&amp;amp;&lt;/script&gt;");
  CHECK(escape("η ≤ 1/12, 𝔼, é\n\t") == "η ≤ 1/12, 𝔼, é\n\t");
  CHECK(escape("").empty());
}

TEST_CASE("What HTML forbids or what deceives the eye is replaced") {
  const std::string box = "\xEF\xBF\xBD";
  CHECK(escape(std::string("a\0b", 3)) == "a" + box + "b");
  CHECK(escape("\x1b[31m\x7f\xc2\x85") == box + "[31m" + box + box);
  CHECK(escape("x\xE2\x80\xAEy") == "x" + box + "y");  // U+202E
  CHECK(escape("x\xE2\x81\xA6y") == "x" + box + "y");  // U+2066
  CHECK(escape("\xEF\xBF\xBE") == box);                // U+FFFE
}

TEST_CASE("Bytes that are not UTF-8 are replaced, each by itself") {
  const std::string box = "\xEF\xBF\xBD";
  CHECK(escape("\xff") == box);
  CHECK(escape("\xc3") == box);
  CHECK(escape("\xc3<") == box + "&lt;");
  CHECK(escape("\xc0\xbc") == box + box);            // '<' in two bytes
  CHECK(escape("\xe0\x80\xbc") == box + box + box);  // '<' in three
  CHECK(escape("\xed\xa0\x80") == box + box + box);  // a surrogate
  CHECK(escape("\xf4\x90\x80\x80") == box + box + box + box);
}

TEST_CASE("Paths in sentences lose their folders, quotients stay") {
  CHECK(without_folders("/home/me/a.json: no such file") == "a.json: no such file");
  CHECK(without_folders("searched build/models, ../proofs/ and ./x") ==
        "searched models, proofs and x");
  CHECK(without_folders("write p/q, not -2/4 (\"/a/b\")") == "write p/q, not -2/4 (\"b\")");
  CHECK(without_folders("").empty());
}

TEST_CASE("A file name is one word of a shell") {
  CHECK(shell_word("tc-1.json") == "tc-1.json");
  CHECK(shell_word("-rf.json") == "./-rf.json");
  CHECK(shell_word("a b;rm x") == "'a b;rm x'");
  CHECK(shell_word("it's $(x)") == R"('it'\''s $(x)')");
  CHECK(shell_word("").compare("''") == 0);
}
