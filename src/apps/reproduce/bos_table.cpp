#include "reproduce/bos_table.hpp"

#include <fmt/format.h>

#include "accept/accept.hpp"
#include "certificate/checkpoint.hpp"
#include "rounded/decimal.hpp"
#include "text/words.hpp"

namespace sinkproof::reproduce {
namespace {

using certificate::Bound;
using certificate::GivenValue;
using certificate::Property;
using certificate::Readout;
using certificate::Rows;
using exact::Enclosure;

constexpr unsigned kDigits = 10;
constexpr unsigned kPageDigits = 4;

bool is_alpha_of(const GivenValue* value, const BosLine& line) {
  return value != nullptr && value->kind == GivenValue::Kind::kAlpha && !value->sequence &&
         value->key == 1 && value->layer == line.layer && value->head == line.head;
}

// Whether a bound is about this head: it names it, or the model has no other.
bool is_about(const Bound& bound, const BosLine& line, bool only_head) {
  return bound.head ? bound.head == line.head && bound.layer.value_or(0) == line.layer : only_head;
}

std::optional<Enclosure> box_at(const certificate::Checkpoint& stated, const BosLine& line,
                                Rows rows) {
  const bool only_head = stated.model.num_layers == 1 && stated.model.num_heads == 1;
  std::optional<exact::Rational> floor;
  std::optional<exact::Rational> ceiling;
  for (const Property& property : stated.properties) {
    const Bound* bound = property.bound();
    if (bound == nullptr || bound->rows != rows || !is_about(*bound, line, only_head)) continue;
    if (bound->readout == Readout::kBosFloor) floor = bound->lower;
    if (bound->readout == Readout::kBosCeiling) ceiling = bound->upper;
  }
  if (!floor || !ceiling) return std::nullopt;
  return Enclosure{*floor, *ceiling};
}

void add(const certificate::Checkpoint& stated, BosLine& line) {
  for (const Property& property : stated.properties) {
    const auto* value = std::get_if<GivenValue>(&property.content);
    if (is_alpha_of(value, line)) line.drawn = Enclosure{value->lower, value->upper};
  }
  if (!stated.over_box) return;
  line.box = {box_at(stated, line, Rows::kPre), box_at(stated, line, Rows::kTrigger),
              box_at(stated, line, Rows::kPost)};
}

json::Value estimate(double value) { return fmt::format("{:.7g}", value); }

json::Value pair(const std::optional<Enclosure>& interval) {
  if (!interval) return nullptr;
  return {rounded::decimal_down(interval->lower, kDigits),
          rounded::decimal_up(interval->upper, kDigits)};
}

std::string shown(const Moments& moments) {
  return fmt::format("{:.4g}\n± {:.2g}", moments.mean, moments.deviation);
}

std::string shown(const std::optional<Enclosure>& interval) {
  if (!interval) return "—";
  if (interval->lower == interval->upper) return "= " + exact::to_string(interval->lower);
  return "≥ " + rounded::decimal_down(interval->lower, kPageDigits) + "\n≤ " +
         rounded::decimal_up(interval->upper, kPageDigits);
}

}  // namespace

std::vector<BosLine> bos_lines(const std::string& model, const AttentionSample& sample,
                               const std::vector<report::Input>& certificates) {
  std::vector<certificate::Checkpoint> accepted;
  for (const report::Input& input : certificates) {
    if (!accept::shows_bounds(input.outcome)) continue;
    auto stated = certificate::read_checkpoint(input.certificate);
    if (stated && stated->model.sha256 == sample.sha256) accepted.push_back(std::move(*stated));
  }
  std::vector<BosLine> lines;
  for (std::size_t l = 0; l < sample.heads.size(); ++l) {
    for (std::size_t h = 0; h < sample.heads[l].size(); ++h) {
      const HeadSample& head = sample.heads[l][h];
      BosLine line{model, l, h, head.bos, head.alpha, {}, {}};
      for (const certificate::Checkpoint& stated : accepted) add(stated, line);
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

json::Value table_json(const std::vector<BosLine>& lines) {
  json::Value all = json::Value::array();
  for (const BosLine& line : lines) {
    all.push_back({{"model", line.model},
                   {"layer", line.layer},
                   {"head", line.head},
                   {"sampled_estimates",
                    {{"before", estimate(line.sampled.before.mean)},
                     {"before_deviation", estimate(line.sampled.before.deviation)},
                     {"trigger", estimate(line.sampled.trigger.mean)},
                     {"trigger_deviation", estimate(line.sampled.trigger.deviation)},
                     {"after", estimate(line.sampled.after.mean)},
                     {"after_deviation", estimate(line.sampled.after.deviation)},
                     {"alpha_mean", estimate(line.alpha.mean)},
                     {"alpha_deviation", estimate(line.alpha.deviation)}}},
                   {"enclosed_alpha_on_drawn", pair(line.drawn)},
                   {"certified_over_box",
                    {{"before", pair(line.box.before)},
                     {"trigger", pair(line.box.trigger)},
                     {"after", pair(line.box.after)}}}});
  }
  return {{"schema", 1}, {"lines", std::move(all)}};
}

report::Table page_table(const std::vector<BosLine>& lines, const Draw& draw) {
  const std::vector<std::string> rows = {"before", "at", "after the trigger"};
  report::Table table;
  table.title = "Attention on BOS";
  table.words = fmt::format(
      "Attention of each head on BOS. Sampled: estimates from {} with the trigger "
      "at {}: averages over the rows from 2 before, at and after it, and α over all rows, each ± "
      "its standard deviation between sequences. Drawn: bounds on α for the sequences that a "
      "certificate lists. Box: bounds for every row from 2, all inputs and all trigger positions. "
      "The trusted checker accepted both; — means that it accepted none.",
      text::counted(draw.sequences, "random sequence"), draw.trigger);
  table.names = "Model";
  table.groups = {{"sampled", "estimate", {rows[0], rows[1], rows[2], "α"}},
                  {"drawn", "enclosed", {"α"}},
                  {"box", "certified", rows}};
  for (const BosLine& line : lines) {
    table.rows.push_back(
        {line.model,
         fmt::format("layer {}, head {}", line.layer, line.head),
         {shown(line.sampled.before), shown(line.sampled.trigger), shown(line.sampled.after),
          shown(line.alpha), shown(line.drawn), shown(line.box.before), shown(line.box.trigger),
          shown(line.box.after)}});
  }
  return table;
}

}  // namespace sinkproof::reproduce
