#include "tokenizer/matcher.hpp"

#include <utility>

namespace sinkproof::tokenizer {
namespace {

std::vector<Span> places_of(const std::string& wanted, std::string_view text) {
  std::vector<Span> places;
  for (std::size_t at = text.find(wanted); at != std::string_view::npos;
       at = text.find(wanted, at + wanted.size())) {
    places.push_back({at, at + wanted.size()});
  }
  return places;
}

}  // namespace

Matcher literal_matcher(std::string wanted) {
  return [wanted = std::move(wanted)](std::string_view text, Work&) {
    return exact::Result<std::vector<Span>>(places_of(wanted, text));
  };
}

exact::Result<Matcher> read_matcher(const Value& object, const std::string& where) {
  const Value& pattern = field_or_null(object, "pattern");
  const Value& literal = field_or_null(pattern, "String");
  if (literal.is_string() && pattern.size() == 1 &&
      !literal.get_ref<const std::string&>().empty()) {
    return literal_matcher(literal.get<std::string>());
  }
  const Value& expression = field_or_null(pattern, "Regex");
  if (!expression.is_string() || pattern.size() != 1) {
    return exact::fail("SP2202", where, R"("pattern" must be {"String": text} or {"Regex": text})");
  }
  auto regex = Regex::compile(expression.get<std::string>(), where);
  if (!regex) return tl::make_unexpected(regex.error());
  return [regex = std::move(*regex)](std::string_view text, Work& work) {
    return regex.matches(text, work);
  };
}

exact::Result<std::string> replaced(std::string_view text, const std::vector<Span>& matches,
                                    const std::string& content, const std::string& where) {
  if (text.size() > kMaxText || content.size() * std::uint64_t{matches.size()} > kMaxText) {
    return exact::fail("SP2208", where, "makes the text longer than 64 MiB; encode it in parts");
  }
  std::string made;
  std::size_t done = 0;
  for (const Span& match : matches) {
    made += text.substr(done, match.begin - done);
    made += content;
    done = match.end;
  }
  made += text.substr(done);
  return made;
}

}  // namespace sinkproof::tokenizer
