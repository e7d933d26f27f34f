#include "measure/cover_text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "certificate/split.hpp"
#include "certificate/strict.hpp"
#include "file/file.hpp"
#include "npy/npy.hpp"
#include "text/whole.hpp"

namespace sinkproof::measure {
namespace {

using certificate::Cover;
using certificate::CoverFigure;
using certificate::CoverPosition;
using certificate::CoverStatement;
using certificate::CoverTarget;
using certificate::IdRange;
using certificate::IdSet;
using certificate::split;
using certificate::TargetRule;
using exact::fail;
using exact::Result;

constexpr std::string_view kIds = "write ids such as 3,5,7-9, or any";
constexpr std::string_view kFigures =
    "the properties of a model are accuracy, right, wrong, margin, attention.LAYER.HEAD.POSITION "
    "and logit.ID, such as attention.0.1.2; layers and heads are counted from 0, positions from 1";
constexpr std::string_view kRules =
    "write sum 1,2 mod 113, maximum 1,2,3, copy 4 or table FILE.npy, with positions from 1";

using Shape = std::vector<std::size_t>;

std::optional<std::uint32_t> number_of(std::string_view text) {
  const auto number = text::whole_number(text, (std::uint64_t{1} << 31U) - 1);
  return number ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

Result<CoverPosition> position_of(const std::string& text, std::size_t number,
                                  const std::vector<CoverPosition>& before,
                                  std::size_t vocabulary) {
  const std::string where = "position " + std::to_string(number);
  if (!text.starts_with('=')) {
    auto ids = read_ids(text, vocabulary, where);
    if (!ids) return tl::unexpected(ids.error());
    return CoverPosition{*std::move(ids), {}};
  }
  const auto repeats = number_of(std::string_view(text).substr(1));
  if (!repeats || *repeats == 0 || *repeats >= number || before[*repeats - 1].repeats) {
    return fail("SP2009", where,
                "\"" + text +
                    "\" must be = and the number of an earlier position that has ids of "
                    "its own, from 1");
  }
  return CoverPosition{{}, *repeats};
}

// The ids of a file, and its shape.
Result<std::vector<std::uint32_t>> table_of(const std::string& file, Shape& shape) {
  const auto bytes = file::read(file);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto integers = npy::parse_table(*bytes, file);
  if (!integers) return tl::unexpected(integers.error());
  shape = integers->shape;
  std::vector<std::uint32_t> table;
  for (const std::int64_t id : integers->values) {
    if (id < 0 || id >= std::int64_t{1} << 31U) {
      return fail("SP2009", file, "entry " + std::to_string(table.size()) + " is not an id");
    }
    table.push_back(static_cast<std::uint32_t>(id));
  }
  return table;
}

// `shape`: that of a table.
Result<CoverTarget> target_of(const std::string& text, std::size_t length, Shape& shape) {
  const std::vector<std::string_view> words = split(text, " ");
  CoverTarget target;
  const auto refused = [&] {
    return fail("SP2009", "target", "\"" + text + "\" is not a rule; " + std::string(kRules));
  };
  if (words.front() == "table" && text.size() > 6) {
    auto table = table_of(text.substr(6), shape);
    if (!table) return tl::unexpected(table.error());
    target.rule = TargetRule::kTable;
    target.table = *std::move(table);
    return target;
  }
  const bool sums = words.front() == "sum";
  if (!sums && words.front() != "maximum" && words.front() != "copy") return refused();
  if (words.size() != (sums ? 4 : 2) || (sums && words[2] != "mod")) return refused();
  target.rule = sums                         ? TargetRule::kSum
                : words.front() == "maximum" ? TargetRule::kMaximum
                                             : TargetRule::kCopy;
  for (const std::string_view part : split(words[1], ",")) {
    const auto position = number_of(part);
    if (!position) return refused();
    if (*position == 0 || *position > length) {
      return fail("SP2009", "target",
                  "position " + std::to_string(*position) + " is not one of the " +
                      std::to_string(length) + " positions, from 1");
    }
    target.of.push_back(*position);
  }
  std::sort(target.of.begin(), target.of.end());
  const bool twice = std::adjacent_find(target.of.begin(), target.of.end()) != target.of.end();
  if (twice || (target.rule == TargetRule::kCopy && target.of.size() != 1)) return refused();
  if (!sums) return target;
  const auto modulo = number_of(words[3]);
  if (!modulo || *modulo == 0) return refused();
  target.modulo = *modulo;
  return target;
}

bool is_ascending(const std::string& ids) {
  std::optional<std::uint32_t> before;
  for (const std::string_view part : split(ids, ",")) {
    const auto first = number_of(part.substr(0, part.find('-')));  // none of "any" and "=2"
    if (before && first && *first <= *before) return false;
    before = number_of(part.substr(part.find('-') + 1));
  }
  return true;
}

std::string axes_text(const Shape& axes) {
  std::string text;
  for (const std::size_t extent : axes) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

// One entry for each sequence, by position and id: that is what its axes have to say, too.
Result<void> check_table(const CoverTexts& texts, const Cover& cover, Shape shape) {
  if (cover.count() != cover.target.table.size()) {
    return fail("SP2009", "target",
                "the table has " + std::to_string(cover.target.table.size()) + " entries, but " +
                    exact::to_string(exact::Rational(cover.count())) +
                    " sequences; save one for each, the first position foremost");
  }
  Shape axes;
  for (const CoverPosition& position : cover.positions) {
    if (!position.repeats) axes.push_back(certificate::size_of(position.ids));
  }
  std::erase(axes, std::size_t{1});
  std::erase(shape, std::size_t{1});
  if (shape.size() > 1 && shape != axes) {
    return fail("SP2009", "target",
                "the table has the axes " + axes_text(shape) + ", but the positions have " +
                    axes_text(axes) +
                    " ids; give it an axis for each position with more than one id, in their "
                    "order, or one axis for all sequences");
  }
  for (std::size_t i = 0; i < texts.positions.size(); ++i) {
    if (is_ascending(texts.positions[i])) continue;
    return fail("SP2009", "position " + std::to_string(i + 1),
                "\"" + texts.positions[i] +
                    "\" must name its ids in ascending order, each once, because the entries of "
                    "the table are in that order");
  }
  return {};
}

// The numbers of "attention.0.1.2" behind the first point; nothing where one is none.
std::optional<std::vector<std::size_t>> numbers_behind(const std::vector<std::string_view>& parts) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto number = number_of(parts[i]);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

Result<IdSet> read_ids(const std::string& text, std::size_t vocabulary, const std::string& where) {
  if (text == "any") return IdSet{{0, static_cast<std::uint32_t>(vocabulary - 1)}};
  IdSet ranges;
  for (const std::string_view part : split(text, ",")) {
    const std::size_t dash = part.find('-');
    const auto first = number_of(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number_of(part.substr(dash + 1));
    if (!first || !last) {
      return fail("SP2009", where, "\"" + text + "\" is not a set of ids; " + std::string(kIds));
    }
    if (*first > *last) {
      return fail("SP2009", where,
                  "range " + std::string(part) + " is empty; " + std::string(kIds));
    }
    if (*last >= vocabulary) {
      return fail("SP2009", where,
                  "id " + std::to_string(*last) + " is not below the vocabulary of " +
                      std::to_string(vocabulary));
    }
    ranges.push_back({*first, *last});
  }
  std::sort(ranges.begin(), ranges.end());
  IdSet joined;
  for (const IdRange& range : ranges) {
    if (!joined.empty() && range.first <= std::uint64_t{joined.back().last} + 1) {
      joined.back().last = std::max(joined.back().last, range.last);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

Result<Cover> read_cover_texts(const CoverTexts& texts, std::size_t vocabulary) {
  Cover cover;
  for (const std::string& text : texts.positions) {
    auto position = position_of(text, cover.positions.size() + 1, cover.positions, vocabulary);
    if (!position) return tl::unexpected(position.error());
    cover.positions.push_back(*std::move(position));
  }
  auto answers = read_ids(texts.answers, vocabulary, "answers");
  if (!answers) return tl::unexpected(answers.error());
  if (certificate::size_of(*answers) < 2) {
    return fail("SP2009", "answers", "must be at least two ids; " + std::string(kIds));
  }
  cover.answers = *std::move(answers);
  Shape shape;
  auto target = target_of(texts.target, cover.positions.size(), shape);
  if (!target) return tl::unexpected(target.error());
  cover.target = *std::move(target);
  if (cover.target.rule != TargetRule::kTable) return cover;
  if (auto fits = check_table(texts, cover, shape); !fits) return tl::unexpected(fits.error());
  return cover;
}

std::string figure_name(const CoverStatement& one) {
  switch (one.figure) {
    case CoverFigure::kAccuracy:
      return "accuracy";
    case CoverFigure::kMargin:
      return "margin";
    case CoverFigure::kAttention:
      return "attention." + std::to_string(one.layer) + "." + std::to_string(one.head) + "." +
             std::to_string(one.key);
    case CoverFigure::kLogit:
      return "logit." + std::to_string(one.id);
  }
  return {};
}

Result<CoverStatement> named_figure(const std::string& name, const language::Model& model,
                                    std::size_t length, const std::string& where) {
  constexpr std::size_t kShown = 80;
  const auto refused = [&](const std::string& what) {
    return fail("SP1302", where, "\"" + name.substr(0, kShown) + "\" " + what);
  };
  CoverStatement one;
  if (name == "accuracy" || name == "right" || name == "wrong") return one;
  one.figure = CoverFigure::kMargin;
  if (name == "margin") return one;
  const std::vector<std::string_view> parts = split(name, ".");
  const auto numbers = numbers_behind(parts);
  if (parts.front() == "logit" && numbers && numbers->size() == 1) {
    one.figure = CoverFigure::kLogit;
    one.id = static_cast<std::uint32_t>(numbers->front());
    if (one.id < model.vocabulary()) return one;
    return refused("is about an id that is not below the vocabulary of " +
                   std::to_string(model.vocabulary()));
  }
  if (parts.front() == "attention" && numbers && numbers->size() == 3) {
    one.figure = CoverFigure::kAttention;
    one.layer = (*numbers)[0];
    one.head = (*numbers)[1];
    one.key = (*numbers)[2];
    const language::Config& config = model.config;
    if (one.layer < config.layers && one.head < config.heads && one.key >= 1 && one.key <= length) {
      return one;
    }
    return refused("must have a layer from 0 to " + std::to_string(config.layers - 1) +
                   ", a head from 0 to " + std::to_string(config.heads - 1) +
                   " and a position from 1 to " + std::to_string(length));
  }
  return refused("is not a property of a model; " + std::string(kFigures));
}

}  // namespace sinkproof::measure
