#include "tokenizer/pre_tokenizer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tokenizer/byte_alphabet.hpp"
#include "tokenizer/matcher.hpp"
#include "tokenizer/metaspace.hpp"
#include "tokenizer/settled.hpp"
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
  return {[matcher = std::move(matcher), behavior, invert](
              const Piece& piece, std::vector<Piece>& pieces, Work& work) -> exact::Result<void> {
    const auto matches = matcher(piece.text, work);
    if (!matches) return tl::make_unexpected(matches.error());
    append_pieces(piece, split(piece.text.size(), *matches, behavior, invert), pieces);
    return {};
  }};
}

exact::Result<SplitBehavior> read_behavior(const Value& object, const std::string& where) {
  constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> kBehaviors = {{
      {"Removed", SplitBehavior::kRemoved},
      {"Isolated", SplitBehavior::kIsolated},
      {"MergedWithPrevious", SplitBehavior::kMergedWithPrevious},
      {"MergedWithNext", SplitBehavior::kMergedWithNext},
      {"Contiguous", SplitBehavior::kContiguous},
  }};
  const auto name = text_field(object, "behavior", where);
  if (!name) return tl::make_unexpected(name.error());
  for (const auto& [known, behavior] : kBehaviors) {
    if (known == *name) return behavior;
  }
  return exact::fail("SP2202", where, "\"" + name->substr(0, 40) + "\" is not a behavior");
}

exact::Result<Step> read_split(const Value& object, const std::string& where) {
  const auto invert = flag_field(object, "invert", where);
  if (!invert) return tl::make_unexpected(invert.error());
  const auto behavior = read_behavior(object, where);
  if (!behavior) return tl::make_unexpected(behavior.error());
  auto matcher = read_matcher(object, where);
  if (!matcher) return tl::make_unexpected(matcher.error());
  return splitting(std::move(*matcher), *behavior, *invert);
}

// Matches each character of which `is` is true, by tables of Unicode that may not be ours.
Matcher each_character(bool (*is)(char32_t), Tables tables, const std::string& where) {
  return [is, tables, where](std::string_view text, Work&) -> exact::Result<std::vector<Span>> {
    auto settled = refuse_unsettled(text, tables, where);
    if (!settled) return tl::make_unexpected(settled.error());
    std::vector<Span> found;
    for (std::size_t at = 0; at < text.size();) {
      const Character character = character_at(text, at);
      if (is(character.value)) found.push_back({at, at + character.bytes});
      at += character.bytes;
    }
    return found;
  };
}

exact::Result<Step> read_digits(const Value& object, const std::string& where) {
  const auto individual = flag_field(object, "individual_digits", where);
  if (!individual) return tl::make_unexpected(individual.error());
  return splitting(each_character(is_numeric, Tables::kNew, where),
                   *individual ? SplitBehavior::kIsolated : SplitBehavior::kContiguous, false);
}

exact::Result<Step> read_punctuation(const Value& object, const std::string& where) {
  const auto behavior =
      object.contains("behavior") ? read_behavior(object, where) : SplitBehavior::kIsolated;
  if (!behavior) return tl::make_unexpected(behavior.error());
  return splitting(each_character(is_punctuation, Tables::kOld, where), *behavior, false);
}

exact::Result<Step> read_white_space_split(const Value& /*object*/, const std::string& where) {
  return splitting(each_character(is_white_space, Tables::kNew, where), SplitBehavior::kRemoved,
                   false);
}

bool is_other_sign(char32_t value) { return !is_white_space(value) && !is_word_character(value); }

Step both(Step first, Step second) {
  return {[first = std::move(first), second = std::move(second)](
              Piece piece, std::vector<Piece>& pieces, Work& work) -> exact::Result<void> {
    std::vector<Piece> parts;
    if (auto done = first.append_pieces(std::move(piece), parts, work); !done) return done;
    for (Piece& part : parts) {
      if (auto done = second.append_pieces(std::move(part), pieces, work); !done) return done;
    }
    return {};
  }};
}

// Runs of word characters, and of what is neither these nor white space.
exact::Result<Step> read_white_space(const Value& object, const std::string& where) {
  return both(*read_white_space_split(object, where),
              splitting(each_character(is_other_sign, Tables::kNew, where),
                        SplitBehavior::kContiguous, false));
}

exact::Result<Step> read_bert(const Value& object, const std::string& where) {
  return both(*read_white_space_split(object, where),
              splitting(each_character(is_punctuation, Tables::kOld, where),
                        SplitBehavior::kIsolated, false));
}

exact::Result<Step> read_byte_level(const Value& object, const std::string& where) {
  const auto prefix = flag_field(object, "add_prefix_space", where);
  if (!prefix) return tl::make_unexpected(prefix.error());
  const auto use_regex = optional_flag_field(object, "use_regex", where);
  if (!use_regex) return tl::make_unexpected(use_regex.error());
  auto regex = Regex::compile(kGpt2, where);
  if (!regex) return tl::make_unexpected(regex.error());
  return Step{[prefix = *prefix, use_regex = use_regex->value_or(true), regex = std::move(*regex)](
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
  }};
}

exact::Result<Step> read_metaspace_step(const Value& object, const std::string& where) {
  const auto settings = read_metaspace(object, where);
  if (!settings) return tl::make_unexpected(settings.error());
  return Step{
      [settings = *settings, spaces = literal_matcher(" "), signs = literal_matcher(settings->sign),
       where](Piece piece, std::vector<Piece>& pieces, Work& work) -> exact::Result<void> {
        const auto& [sign, scheme, cuts] = settings;
        auto text = replaced(piece.text, *spaces(piece.text, work), sign, where);
        if (!text) return tl::make_unexpected(text.error());
        piece.text = std::move(*text);
        const bool prepends =
            scheme == PrependScheme::kAlways || (scheme == PrependScheme::kFirst && piece.at_start);
        if (prepends && !piece.text.starts_with(sign)) piece.text.insert(0, sign);
        const auto cut = split(piece.text.size(), *signs(piece.text, work),
                               SplitBehavior::kMergedWithNext, false);
        append_pieces(piece, cuts ? cut : std::vector<Span>{{0, piece.text.size()}}, pieces);
        return {};
      },
      settings->scheme == PrependScheme::kFirst};
}

constexpr std::array<StepReader<Step>, 8> kReaders = {{
    {"BertPreTokenizer", "", read_bert},
    {"ByteLevel", "add_prefix_space trim_offsets use_regex", read_byte_level},
    {"Digits", "individual_digits", read_digits},
    {"Metaspace", kMetaspaceFields, read_metaspace_step},
    {"Punctuation", "behavior", read_punctuation},
    {"Split", "pattern behavior invert", read_split},
    {"Whitespace", "", read_white_space},
    {"WhitespaceSplit", "", read_white_space_split},
}};

}  // namespace

exact::Result<PreTokenizer> PreTokenizer::read(const Value& value, const std::string& where) {
  PreTokenizer made;
  const auto read = read_steps(value, where, "pretokenizers", kReaders, made.steps_);
  if (!read) return tl::make_unexpected(read.error());
  made.needs_start_ = std::any_of(made.steps_.begin(), made.steps_.end(),
                                  [](const Step& step) { return step.needs_start; });
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
      if (const auto done = step.append_pieces(std::move(part), next, work); !done) {
        return tl::make_unexpected(done.error());
      }
      for (std::size_t i = from; i < next.size(); ++i) size += next[i].text.size();
      if (size > kMaxText) {
        return exact::fail("SP2208", "pre_tokenizer",
                           "makes the text longer than 64 MiB; encode it in parts");
      }
    }
    pieces = std::move(next);
  }
  return pieces;
}

}  // namespace sinkproof::tokenizer
