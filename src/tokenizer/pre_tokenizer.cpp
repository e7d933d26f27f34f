#include "tokenizer/pre_tokenizer.hpp"

#include <utility>

#include "tokenizer/byte_alphabet.hpp"
#include "tokenizer/matcher.hpp"
#include "tokenizer/split.hpp"
#include "tokenizer/steps.hpp"
#include "tokenizer/unicode.hpp"

namespace sinkproof::tokenizer {
namespace {

using Step = PreTokenizer::Step;

// GPT-2's: contractions, then words, numbers and other signs with a space before them, then space.
constexpr const char* kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

void append_pieces(const Piece& piece, const std::vector<Span>& spans, std::vector<Piece>& pieces) {
  for (const Span& span : spans) {
    pieces.push_back(
        {piece.text.substr(span.begin, span.end - span.begin), piece.at_start && span.begin == 0});
  }
}

Step splitting(Matcher matcher, SplitBehavior behavior, bool invert) {
  return [matcher = std::move(matcher), behavior, invert](
             const Piece& piece, std::vector<Piece>& pieces, Work& work) -> exact::Result<void> {
    const auto matches = matcher(piece.text, work);
    if (!matches) return tl::make_unexpected(matches.error());
    append_pieces(piece, split(piece.text.size(), *matches, behavior, invert), pieces);
    return {};
  };
}

exact::Result<Step> read_split(const Value& object, const std::string& where) {
  constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> kBehaviors = {{
      {"Removed", SplitBehavior::kRemoved},
      {"Isolated", SplitBehavior::kIsolated},
      {"MergedWithPrevious", SplitBehavior::kMergedWithPrevious},
      {"MergedWithNext", SplitBehavior::kMergedWithNext},
      {"Contiguous", SplitBehavior::kContiguous},
  }};
  const auto invert = flag_field(object, "invert", false, where);
  if (!invert) return tl::make_unexpected(invert.error());
  const auto name = text_field(object, "behavior", where);
  if (!name) return tl::make_unexpected(name.error());
  auto matcher = read_matcher(object, where);
  if (!matcher) return tl::make_unexpected(matcher.error());
  for (const auto& [known, behavior] : kBehaviors) {
    if (known == *name) return splitting(std::move(*matcher), behavior, *invert);
  }
  return exact::fail("SP2202", where, "\"" + name->substr(0, 40) + "\" is no behavior");
}

exact::Result<std::vector<Span>> digits(std::string_view text, Work& /*work*/) {
  std::vector<Span> found;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (is_numeric(character.value)) found.push_back({at, at + character.bytes});
    at += character.bytes;
  }
  return found;
}

exact::Result<Step> read_digits(const Value& object, const std::string& where) {
  const auto individual = flag_field(object, "individual_digits", false, where);
  if (!individual) return tl::make_unexpected(individual.error());
  return splitting(digits, *individual ? SplitBehavior::kIsolated : SplitBehavior::kContiguous,
                   false);
}

exact::Result<Step> read_byte_level(const Value& object, const std::string& where) {
  const auto prefix = flag_field(object, "add_prefix_space", true, where);
  if (!prefix) return tl::make_unexpected(prefix.error());
  const auto use_regex = flag_field(object, "use_regex", true, where);
  if (!use_regex) return tl::make_unexpected(use_regex.error());
  auto regex = Regex::compile(kGpt2, where);
  if (!regex) return tl::make_unexpected(regex.error());
  return [prefix = *prefix, use_regex = *use_regex, regex = std::move(*regex)](
             Piece piece, std::vector<Piece>& pieces, Work& work) -> exact::Result<void> {
    if (prefix && !piece.text.starts_with(' ')) piece.text.insert(0, " ");
    std::vector<Span> words = {{0, piece.text.size()}};
    if (use_regex) {
      const auto matches = regex.matches(piece.text, work);
      if (!matches) return tl::make_unexpected(matches.error());
      words = split(piece.text.size(), *matches, SplitBehavior::kIsolated, false);
    }
    const std::size_t first = pieces.size();
    append_pieces(piece, words, pieces);
    for (std::size_t i = first; i < pieces.size(); ++i) {
      pieces[i].text = to_byte_alphabet(pieces[i].text);
    }
    return {};
  };
}

enum class PrependScheme { kAlways, kFirst, kNever };

// Older files say add_prefix_space instead.
exact::Result<PrependScheme> read_scheme(const Value& object, const std::string& where) {
  const auto legacy = flag_field(object, "add_prefix_space", true, where);
  if (!legacy) return tl::make_unexpected(legacy.error());
  const auto scheme = optional_text_field(object, "prepend_scheme", where);
  if (!scheme) return tl::make_unexpected(scheme.error());
  const std::string name = scheme->value_or(*legacy ? "always" : "never");
  if (name == "always") return PrependScheme::kAlways;
  if (name == "first") return PrependScheme::kFirst;
  if (name == "never") return PrependScheme::kNever;
  return exact::fail("SP2202", where, "\"" + name.substr(0, 40) + "\" is no prepend_scheme");
}

exact::Result<Step> read_metaspace(const Value& object, const std::string& where) {
  const auto scheme = read_scheme(object, where);
  if (!scheme) return tl::make_unexpected(scheme.error());
  const auto cuts = flag_field(object, "split", true, where);
  if (!cuts) return tl::make_unexpected(cuts.error());
  const auto sign = text_field(object, "replacement", where);
  if (!sign) return tl::make_unexpected(sign.error());
  if (sign->empty() || character_at(*sign, 0).bytes != sign->size()) {
    return exact::fail("SP2202", where, "\"replacement\" is no single character");
  }
  const auto matcher = [](const std::string& wanted) {
    return read_matcher({{"pattern", {{"String", wanted}}}}, {});
  };
  return [scheme = *scheme, cuts = *cuts, sign = *sign, spaces = *matcher(" "),
          signs = *matcher(*sign),
          where](Piece piece, std::vector<Piece>& pieces, Work& work) -> exact::Result<void> {
    auto text = replaced(piece.text, *spaces(piece.text, work), sign, where);
    if (!text) return tl::make_unexpected(text.error());
    piece.text = std::move(*text);
    const bool prepends =
        scheme == PrependScheme::kAlways || (scheme == PrependScheme::kFirst && piece.at_start);
    if (prepends && !piece.text.starts_with(sign)) piece.text.insert(0, sign);
    const auto cut =
        split(piece.text.size(), *signs(piece.text, work),
              cuts ? SplitBehavior::kMergedWithNext : SplitBehavior::kContiguous, false);
    append_pieces(piece, cuts ? cut : std::vector<Span>{{0, piece.text.size()}}, pieces);
    return {};
  };
}

constexpr std::array<StepReader<Step>, 4> kReaders = {{
    {"ByteLevel", read_byte_level},
    {"Digits", read_digits},
    {"Metaspace", read_metaspace},
    {"Split", read_split},
}};

}  // namespace

exact::Result<PreTokenizer> PreTokenizer::read(const Value& value, const std::string& where) {
  PreTokenizer made;
  const auto read = read_steps(value, where, "pretokenizers", kReaders, made.steps_);
  if (!read) return tl::make_unexpected(read.error());
  return made;
}

exact::Result<std::vector<Piece>> PreTokenizer::apply(Piece piece, Work& work) const {
  std::vector<Piece> pieces;
  pieces.push_back(std::move(piece));
  for (const Step& step : steps_) {
    std::vector<Piece> next;
    std::size_t size = 0;
    for (Piece& part : pieces) {
      const std::size_t from = next.size();
      if (const auto done = step(std::move(part), next, work); !done) {
        return tl::make_unexpected(done.error());
      }
      for (std::size_t i = from; i < next.size(); ++i) size += next[i].text.size();
      if (size > kMaxText) {
        return exact::fail("SP2208", "pre_tokenizer", "the text becomes longer than 64 MiB");
      }
    }
    pieces = std::move(next);
  }
  return pieces;
}

}  // namespace sinkproof::tokenizer
