#include "certificate/cover.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "certificate/envelope.hpp"
#include "certificate/schema.hpp"

namespace sinkproof::certificate {
namespace {

using exact::Integer;
using exact::Rational;

constexpr std::size_t kMostPositions = 256;
constexpr std::size_t kMostRanges = 65536;
constexpr std::size_t kMostTable = std::size_t{1} << 20U;
constexpr std::size_t kMostStatements = 4096;
constexpr std::uint64_t kMostId = (std::uint64_t{1} << 31U) - 1;
constexpr std::uint64_t kMostPlace = 1U << 20U;

constexpr std::array<std::pair<std::string_view, TargetRule>, 4> kRules = {
    {{"sum", TargetRule::kSum},
     {"maximum", TargetRule::kMaximum},
     {"copy", TargetRule::kCopy},
     {"table", TargetRule::kTable}}};
constexpr std::array<std::pair<std::string_view, CoverVerdict>, 3> kVerdicts = {
    {{"right", CoverVerdict::kRight},
     {"wrong", CoverVerdict::kWrong},
     {"undecided", CoverVerdict::kUndecided}}};
constexpr std::array<std::pair<std::string_view, CoverProof>, 2> kProofs = {
    {{"product", CoverProof::kProduct}, {"form", CoverProof::kForm}}};
constexpr std::array<std::pair<std::string_view, CoverFigure>, 4> kFigures = {
    {{"accuracy", CoverFigure::kAccuracy},
     {"margin", CoverFigure::kMargin},
     {"attention", CoverFigure::kAttention},
     {"logit", CoverFigure::kLogit}}};

void describe_ids(Fields& io, const Key& key, IdSet& ids) {
  io.list(key, ids, {1, kMostRanges, "must be a list of 1 to 65536 pairs [first, last] of ids"},
          [](Fields& list, const Key& at, IdRange& range) {
            list.array(at, 2, {2, 2, "must be [first, last]"}, [&](Fields& pair, std::size_t) {
              pair.count(0, range.first, 0, kMostId);
              pair.count(1, range.last, 0, kMostId);
              pair.require(range.first <= range.last, "must not end before it begins");
            });
          });
  for (std::size_t i = 1; i < ids.size(); ++i) {
    io.require_of(key, std::uint64_t{ids[i - 1].last} + 1 < ids[i].first,
                  "must be ascending ranges with a gap between two of them");
  }
}

void describe_position(Fields& io, CoverPosition& of, std::size_t number) {
  if (!io.has("repeats", of.repeats.has_value())) return describe_ids(io, "ids", of.ids);
  if (!of.repeats) of.repeats.emplace(1);
  io.require(number > 1, "the first position has none to repeat");
  io.count("repeats", *of.repeats, 1, number - 1);
}

void describe_target(Fields& io, CoverTarget& of, std::size_t length) {
  io.choice("rule", of.rule, kRules, "must be sum, maximum, copy or table", "SP0503");
  if (of.rule == TargetRule::kTable) {
    return io.list(
        "values", of.table, {1, kMostTable, "must be 1 to 1048576 ids"},
        [](Fields& list, const Key& at, std::uint32_t& id) { list.count(at, id, 0, kMostId); });
  }
  const bool copies = of.rule == TargetRule::kCopy;
  io.list("of", of.of, {1, copies ? 1 : kMostPositions, "must be 1 to 256 positions; 1 of copy"},
          [&](Fields& list, const Key& at, std::size_t& position) {
            list.count(at, position, 1, length);
          });
  for (std::size_t i = 1; i < of.of.size(); ++i) {
    io.require_of("of", of.of[i - 1] < of.of[i], "must be in ascending order");
  }
  if (of.rule == TargetRule::kSum) io.count("modulo", of.modulo, 1, kMostId);
}

void describe_node(Fields& io, CoverNode& of, const std::vector<CoverPosition>& positions,
                   std::size_t& nodes, std::size_t splits) {
  io.require(++nodes <= kMostCoverNodes, "there may be at most 1048576 nodes");
  io.require(splits <= kMostSplits, "lies below more than 20 splits, the most that there may be");
  if (io.has("verdict", of.verdict.has_value())) {
    if (!of.verdict) of.verdict.emplace();
    io.choice("verdict", *of.verdict, kVerdicts, "must be right, wrong or undecided", "SP0503");
    if (!io.has("by", of.by != CoverProof::kSequences)) return;
    io.choice("by", of.by, kProofs, "must be product or form");
    return io.require(of.by == CoverProof::kForm || *of.verdict != CoverVerdict::kUndecided,
                      "an undecided leaf is not shown by a product; leave out by");
  }
  io.count("position", of.position, 1, positions.size());
  io.require_of("position", !positions[of.position - 1].repeats, "must be a free position");
  io.list("parts", of.parts, {1, kMostRanges, "must be 1 to 65536 parts"},
          [&](Fields& list, const Key& at, CoverNode::Part& part) {
            list.object(at, [&](Fields& inside) {
              describe_ids(inside, "ids", part.ids);
              inside.object("node", [&](Fields& node) {
                describe_node(node, part.node, positions, nodes, splits + 1);
              });
            });
          });
}

void describe_count(Fields& io, const char* key, Integer& of) {
  Rational number(of);
  io.short_number(key, number, kMostCoverCharacters);
  io.require_of(key, number >= 0 && boost::multiprecision::denominator(number) == 1,
                "must be an integer, not negative");
  of = boost::multiprecision::numerator(number);
}

void describe_ends(Fields& io, const char* key, std::vector<Rational>& of) {
  io.list(key, of, {2, 2, "must be [lower, upper]"},
          [](Fields& list, const Key& at, Rational& number) {
            list.short_number(at, number, kMostCoverCharacters);
          });
}

void describe_statement(Fields& io, CoverStatement& of, std::size_t length) {
  io.choice("property", of.figure, kFigures, "must be accuracy, margin, attention or logit",
            "SP0503");
  if (of.figure == CoverFigure::kAccuracy) {
    describe_count(io, "right", of.right);
    describe_count(io, "wrong", of.wrong);
    return describe_count(io, "undecided", of.undecided);
  }
  if (of.figure == CoverFigure::kAttention) {
    io.count("layer", of.layer, 0, kMostPlace);
    io.count("head", of.head, 0, kMostPlace);
    io.count("key", of.key, 1, length);
  }
  if (of.figure == CoverFigure::kLogit) io.count("id", of.id, 0, kMostId);
  describe_ends(io, "least", of.least);
  describe_ends(io, "greatest", of.greatest);
}

void require_consistent(Fields& io, const Cover& of) {
  io.require_of("answers", size_of(of.answers) >= 2, "must be at least two ids");
  for (std::size_t i = 0; i < of.positions.size(); ++i) {
    const auto& repeats = of.positions[i].repeats;
    io.require_of("positions", !repeats || !of.positions[*repeats - 1].repeats,
                  "position " + std::to_string(i + 1) + " must repeat a free position");
  }
  io.require_of("target",
                of.target.rule != TargetRule::kTable || of.count() == of.target.table.size(),
                "values must have an entry for each sequence");
  io.require_of("statements", of.figures().empty() || !of.has(CoverProof::kProduct),
                "must be of accuracy alone where a leaf is by product");
  std::set<std::tuple<CoverFigure, std::size_t, std::size_t, std::size_t, std::uint32_t>> about;
  for (const CoverStatement& one : of.statements) {
    io.require_of("statements",
                  about.insert({one.figure, one.layer, one.head, one.key, one.id}).second,
                  "must not be about the same twice");
  }
}

bool has_below(const CoverNode& node, CoverProof by) {
  return (node.verdict && node.by == by) ||
         std::any_of(node.parts.begin(), node.parts.end(),
                     [by](const CoverNode::Part& part) { return has_below(part.node, by); });
}

}  // namespace

std::uint64_t size_of(const IdSet& ids) {
  std::uint64_t size = 0;
  for (const IdRange& range : ids) size += std::uint64_t{range.last} - range.first + 1;
  return size;
}

bool contains(const IdSet& ids, std::uint32_t id) {
  return std::any_of(ids.begin(), ids.end(),
                     [id](const IdRange& range) { return range.first <= id && id <= range.last; });
}

TokenIds listed(const IdSet& ids) {
  TokenIds list;
  list.reserve(size_of(ids));
  for (const IdRange& range : ids) {
    for (std::uint64_t id = range.first; id <= range.last; ++id) {
      list.push_back(static_cast<std::uint32_t>(id));
    }
  }
  return list;
}

IdSet id_set(const TokenIds& ids) {
  IdSet set;
  for (const std::uint32_t id : ids) {
    if (!set.empty() && std::uint64_t{set.back().last} + 1 == id) {
      set.back().last = id;
    } else {
      set.push_back({id, id});
    }
  }
  return set;
}

Integer Cover::count() const {
  Integer product = 1;
  for (const CoverPosition& position : positions) {
    if (!position.repeats) product *= size_of(position.ids);
  }
  return product;
}

std::vector<IdSet> Cover::free_sets() const {
  std::vector<IdSet> sets;
  for (const CoverPosition& position : positions) {
    if (!position.repeats) sets.push_back(position.ids);
  }
  return sets;
}

std::vector<std::size_t> Cover::free_numbers() const {
  std::vector<std::size_t> numbers;
  std::size_t free = 0;
  for (const CoverPosition& position : positions) {
    numbers.push_back(position.repeats ? numbers[*position.repeats - 1] : free++);
  }
  return numbers;
}

std::vector<const CoverStatement*> Cover::figures() const {
  std::vector<const CoverStatement*> all;
  for (const CoverStatement& one : statements) {
    if (one.figure != CoverFigure::kAccuracy) all.push_back(&one);
  }
  return all;
}

bool Cover::has(CoverProof by) const { return has_below(cover, by); }

void describe(Fields& io, Cover& of) {
  std::int64_t format = kFormat;
  io.integer("format", format, kFormat, kFormat);
  io.constant("kind", "cover");
  io.constant("claim", "cover");
  io.constant("semantics", "real");
  io.text("claim_sha256", of.claim_sha256);
  io.object("model", [&](Fields& model) { describe_model(model, of.model); });
  io.count("precision", of.precision, 32, 2048);
  std::size_t number = 0;
  io.list("positions", of.positions, {1, kMostPositions, "must be 1 to 256 positions"},
          [&](Fields& list, const Key& at, CoverPosition& position) {
            ++number;
            list.object(at, [&](Fields& part) { describe_position(part, position, number); });
          });
  describe_ids(io, "answers", of.answers);
  io.object("target", [&](Fields& part) { describe_target(part, of.target, of.positions.size()); });
  std::size_t nodes = 0;
  io.object("cover", [&](Fields& node) { describe_node(node, of.cover, of.positions, nodes, 0); });
  io.list("statements", of.statements, {1, kMostStatements, "must be 1 to 4096 statements"},
          [&](Fields& list, const Key& at, CoverStatement& statement) {
            list.object(at, [&](Fields& part) {
              describe_statement(part, statement, of.positions.size());
            });
          });
  require_consistent(io, of);
}

Cover read_cover(const json::Value& certificate) { return read<Cover>(certificate, "certificate"); }

}  // namespace sinkproof::certificate
