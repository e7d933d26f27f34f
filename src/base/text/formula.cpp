#include "text/formula.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <utility>

#include "text/html.hpp"

namespace sinkproof::text {
namespace {

using Shown = std::pair<std::string_view, std::string_view>;  // as written, as typeset

constexpr Shown kLetters[] = {
    {"alpha", "α"}, {"beta", "β"},  {"gamma", "γ"}, {"delta", "δ"}, {"eps", "ε"}, {"eta", "η"},
    {"theta", "θ"}, {"kappa", "κ"}, {"lam", "λ"},   {"mu", "μ"},    {"rho", "ρ"}, {"sigma", "σ"},
    {"tau", "τ"},   {"phi", "φ"},   {"Delta", "Δ"}, {"Sigma", "Σ"}, {"pi", "π"}};

// Words of formulas where _ or ( follows them, elsewhere of prose.
constexpr Shown kFunctions[] = {{"sum", "∑"},   {"max", "max"}, {"min", "min"},  {"exp", "exp"},
                                {"log", "log"}, {"tr", "tr"},   {"span", "span"}};

// The longest first.
constexpr Shown kSigns[] = {{"..", "…"}, {"<=", "≤"}, {">=", "≥"},   {"!=", "≠"},   {"->", "→"},
                            {"||", "‖"}, {"-", "−"},  {"<", "&lt;"}, {">", "&gt;"}, {"*", "*"},
                            {"=", "="},  {"+", "+"},  {"/", "/"},    {"|", "|"},    {"(", "("},
                            {")", ")"},  {"[", "["},  {"]", "]"},    {"{", "{"},    {"}", "}"},
                            {",", ","},  {".", "·"},  {";", ";"}};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

template <typename Table>
const Shown* in(const Table& table, std::string_view word) {
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&](const Shown& one) { return one.first == word; });
  return found == std::end(table) ? nullptr : &*found;
}

std::string element(std::string_view name, std::string_view content) {
  return "<" + std::string(name) + ">" + std::string(content) + "</" + std::string(name) + ">";
}

std::string letter(std::string_view word) {
  const Shown* greek = in(kLetters, word);
  return element("mi", greek != nullptr ? greek->second : word);
}

// Reads a formula from its beginning; nothing of it is lost, and what is no formula is refused.
class Reader {
 public:
  // Of a part of one, brackets may be open at the end.
  explicit Reader(std::string_view text, bool partial = false)
      : text_(text), partial_(partial), is_long_(text.size() > kNarrow) {}

  // Markup of all of it, or nothing where some of it is no part of a formula.
  std::optional<std::string> all() { return row(); }

  [[nodiscard]] bool has_letter_or_script() const { return is_formula_; }

 private:
  bool take(std::string_view what) {
    if (!text_.starts_with(what)) return false;
    text_.remove_prefix(what.size());
    return true;
  }

  template <typename Is>
  std::string_view take_all(const Is& is) {
    const auto end = std::find_if_not(text_.begin(), text_.end(), is);
    const std::string_view taken = text_.substr(0, static_cast<std::size_t>(end - text_.begin()));
    text_.remove_prefix(taken.size());
    return taken;
  }

  std::optional<std::string> row() {
    std::string markup;
    while (!text_.empty()) {
      if (take(" ")) {
        if (depth_ == 0 && is_long_ && !markup.empty()) markup += line_end();
        continue;
      }
      auto next = scripted();
      if (!next) return std::nullopt;
      markup += *next;
    }
    return markup;
  }

  // Browsers break lines between <math> elements alone: before a sign between spaces one of two
  // begins. "" elsewhere.
  std::string line_end() {
    constexpr std::string_view kBreaks[] = {"<=", ">=", "!=", "<", ">", "=", "+", "-"};
    for (const std::string_view written : kBreaks) {
      if (!text_.starts_with(std::string(written) + " ")) continue;
      text_.remove_prefix(written.size());
      return "</math><math><mo form=\"infix\">" + std::string(in(kSigns, written)->second) +
             "</mo>";
    }
    return "";
  }

  std::optional<std::string> scripted() {
    auto base = atom();
    std::optional<std::string> below;
    std::optional<std::string> above;
    while (base && (text_.starts_with("_") || text_.starts_with("^"))) {
      std::optional<std::string>& script = text_.front() == '_' ? below : above;
      text_.remove_prefix(1);
      if (script || !(script = this->script())) return std::nullopt;
    }
    if (!base || (!below && !above)) return base;
    is_formula_ = true;
    const std::string_view name = below && above ? "msubsup" : below ? "msub" : "msup";
    return element(name, *base + below.value_or("") + above.value_or(""));
  }

  std::optional<std::string> atom() {
    if (const auto digits = take_all(is_digit); !digits.empty()) {
      std::string number(digits);
      if (text_.size() > 1 && text_[0] == '.' && is_digit(text_[1])) {
        text_.remove_prefix(1);
        number += "." + std::string(take_all(is_digit));
      }
      return element("mn", number);
    }
    const auto word = take_all(is_letter);
    return word.empty() ? sign() : named(word);
  }

  std::optional<std::string> sign() {
    for (const auto& [written, shown] : kSigns) {
      if (!take(written)) continue;
      if (std::string_view("()[]{}|").find(shown) == std::string_view::npos) {
        return element("mo", shown);
      }
      return "<mo stretchy=\"false\">" + std::string(shown) + "</mo>";
    }
    return std::nullopt;
  }

  // What a word of letters means; nothing for a word of prose.
  std::optional<std::string> named(std::string_view word) {
    const bool is_base = text_.starts_with("_") || text_.starts_with("^");
    if (word == "sqrt") return root();
    const Shown* function = in(kFunctions, word);
    if (function != nullptr && (is_base || text_.starts_with("("))) {
      return element(word == "sum" ? "mo" : "mi", function->second);
    }
    constexpr std::size_t kDifferential = 2;  // dD_i
    if (word.size() > 1 && in(kLetters, word) == nullptr &&
        !(is_base && word.size() <= kDifferential)) {
      return std::nullopt;
    }
    is_formula_ = true;
    if (word.size() > 1) return letter(word);
    return element("mi", std::string(word) + std::string(take_all(is_digit)));
  }

  std::optional<std::string> root() {
    take(" ");
    is_formula_ = true;
    if (partial_ && text_.empty()) return "";
    const auto inside = take("(") ? bracketed('(', ')') : atom();
    if (!inside) return std::nullopt;
    return element("msqrt", *inside);
  }

  // What stands before the bracket that closes, which is taken, too.
  std::optional<std::string> bracketed(char opening, char closing) {
    constexpr std::size_t kDeepest = 8;
    std::size_t end = 0;
    for (std::size_t open = 1; end < text_.size(); ++end) {
      if (text_[end] == opening) ++open;
      if (text_[end] == closing && --open == 0) break;
    }
    if (depth_ == kDeepest || (end == text_.size() && !partial_)) return std::nullopt;
    const std::string_view after = text_.substr(std::min(end + 1, text_.size()));
    text_ = text_.substr(0, end);
    ++depth_;
    auto markup = row();
    --depth_;
    text_ = after;
    return markup;
  }

  std::optional<std::string> script() {
    std::optional<std::string> inside;
    if (take("{")) {
      inside = bracketed('{', '}');
    } else if (take("(")) {
      inside = bracketed('(', ')');
      if (inside) {
        inside = "<mo stretchy=\"false\">(</mo>" + *inside + "<mo stretchy=\"false\">)</mo>";
      }
    } else if (text_.starts_with("-") || text_.starts_with("*")) {
      inside = sign();
      const auto more = inside && !text_.empty() && text_[0] != ' ' ? atom() : std::string();
      if (more) inside = *inside + *more;
    } else if (!text_.empty() && is_letter(text_[0])) {
      inside = letters(take_all(is_letter));
    } else if (!text_.empty() && is_digit(text_[0])) {
      inside = atom();
    }
    if (!inside) return std::nullopt;
    return element("mrow", *inside);
  }

  // Indices: "ik" are two, "eta" and "eff" one.
  std::string letters(std::string_view word) {
    if (word == "inf") return element("mi", "∞");
    if (word.size() != 2 || in(kLetters, word) != nullptr) return letter(word);
    std::string markup;
    for (std::size_t k = 0; k < word.size(); ++k) markup += letter(word.substr(k, 1));
    return markup;
  }

  // Characters that fit into the narrowest column.
  static constexpr std::size_t kNarrow = 12;

  std::string_view text_;
  bool partial_;
  bool is_long_;
  bool is_formula_ = false;
  std::size_t depth_ = 0;
};

constexpr std::string_view kStops = ".,;:";

// Without the stops that end it, and whether it has any.
std::pair<std::string_view, std::string_view> without_stops(std::string_view word) {
  const std::size_t last = word.find_last_not_of(kStops);
  const std::size_t size = last == std::string_view::npos ? 0 : last + 1;
  return {word.substr(0, size), word.substr(size)};
}

// "a sink", "I", and (a), (b) of a list: letters alone that are words, unless a sign follows.
bool is_word_of_prose(std::string_view word, std::string_view after) {
  constexpr std::string_view kBetween = "<>=!+-/*";
  if (word == "a" || word == "A" || word == "I") {
    const std::string_view sign = after.substr(std::min<std::size_t>(1, after.size()));
    const std::size_t end = std::min(sign.find_first_not_of(kBetween), sign.size());
    return end == 0 || (end < sign.size() && sign[end] != ' ');
  }
  return word.size() == 3 && word.front() == '(' && is_letter(word[1]) && word.back() == ')';
}

// A bracket that opens or closes in the prose around it.
std::size_t unmatched(std::string_view run, char bracket, char other) {
  const auto count = [&](char c) { return std::count(run.begin(), run.end(), c); };
  return count(bracket) > count(other) ? 1 : 0;
}

// A run of words each of which may be part of a formula.
std::string shown(std::string_view run) {
  const std::size_t opens = run.starts_with("(") ? unmatched(run, '(', ')') : 0;
  const std::size_t closes = run.ends_with(")") ? unmatched(run, ')', '(') : 0;
  const std::string_view inside = run.substr(opens, run.size() - opens - closes);
  Reader reader(inside);
  const auto markup = reader.all();
  if (!markup || !reader.has_letter_or_script()) return escape(run);
  return escape(run.substr(0, opens)) + element("math", *markup) +
         escape(run.substr(run.size() - closes));
}

}  // namespace

std::string typeset(std::string_view prose) {
  std::string markup;
  std::size_t begin = 0;  // of a run
  std::size_t end = 0;    // past it
  const auto flush = [&](std::size_t to) {
    markup += shown(prose.substr(begin, end - begin)) + escape(prose.substr(end, to - end));
    begin = end = to;
  };
  for (std::size_t at = 0; at < prose.size();) {
    const std::size_t next = std::min(prose.find(' ', at), prose.size());
    const auto [word, stops] = without_stops(prose.substr(at, next - at));
    const bool fits = !word.empty() && !is_word_of_prose(word, prose.substr(next)) &&
                      Reader(word, true).all().has_value();
    const std::size_t past = std::min(next + 1, prose.size());
    if (fits) {
      if (begin == end) begin = at;
      end = at + word.size();
    }
    if (!fits || !stops.empty()) flush(past);
    at = past;
  }
  flush(prose.size());
  return markup;
}

}  // namespace sinkproof::text
