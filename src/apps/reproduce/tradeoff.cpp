#include "reproduce/tradeoff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "accept/accept.hpp"
#include "certificate/checkpoint.hpp"
#include "reproduce/trade_chart.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::reproduce {
namespace {

using exact::fail;
using exact::Result;

// One architecture from one start.
struct Series {
  std::string name;
  train::Shape shape;
  std::optional<train::Initial> initial{};
};

std::string size_word(const train::Shape& shape) {
  return fmt::format("{}x{}", shape.layers, shape.heads);
}

std::vector<Series> random_series(const std::vector<std::string>& sizes) {
  std::vector<Series> all;
  for (const std::string size : kTradeSizes) {
    if (!sizes.empty() && std::find(sizes.begin(), sizes.end(), size) == sizes.end()) continue;
    train::Shape shape;
    shape.layers = static_cast<std::size_t>(size.front() - '0');
    shape.heads = static_cast<std::size_t>(size.back() - '0');
    shape.residual = shape.layers > 1;
    all.push_back({size + "-random", shape});
  }
  return all;
}

Result<Series> given_series(const std::filesystem::path& start) {
  const auto model = model::load(start, {});
  if (!model) return tl::unexpected(model.error());
  Series series;
  series.shape.attention = model->attention;
  series.shape.d_model = model->d_model;
  series.shape.length = model->length;
  series.shape.heads = model->num_heads;
  series.shape.layers = model->layers.size();
  series.shape.residual = model->residual;
  series.name = size_word(series.shape) + "-" + start.stem().string();
  auto initial = train::read_initial(start, series.shape);
  if (!initial) return tl::unexpected(initial.error());
  series.initial = std::move(*initial);
  return series;
}

Result<std::vector<Series>> every_series(const TradeoffOptions& options) {
  const std::vector<double>& penalties = options.penalties;
  if (options.seeds == 0 || penalties.empty() ||
      !std::is_sorted(penalties.begin(), penalties.end(), std::less_equal<>())) {
    return fail("SP1802", "tradeoff", "needs at least one seed, and penalties in increasing order");
  }
  if (options.starts.size() > 4) return fail("SP1802", "--start", "may be given at most 4 times");
  std::vector<Series> all = random_series(options.sizes);
  for (const std::filesystem::path& start : options.starts) {
    auto series = given_series(start);
    if (!series) return tl::unexpected(series.error());
    const auto same = [&](const Series& other) { return other.name == series->name; };
    if (std::any_of(all.begin(), all.end(), same)) {
      return fail("SP1802", start.string(),
                  "has the same name as another start, " + series->name + "; rename one");
    }
    all.push_back(std::move(*series));
  }
  return all;
}

// The bounds of a readout at one kind of rows; sup-loss itself has none.
std::optional<exact::Enclosure> bound_of(const certificate::Checkpoint& stated,
                                         certificate::Readout readout,
                                         std::optional<certificate::Rows> rows) {
  for (const certificate::Property& property : stated.properties) {
    const certificate::Bound* bound = property.bound();
    if (bound == nullptr || bound->readout != readout || bound->rows != rows || bound->head) {
      continue;
    }
    return exact::Enclosure{bound->lower, bound->upper};
  }
  return std::nullopt;
}

std::optional<TradeBounds> bounds_of(const report::Input& input) {
  using certificate::Readout;
  using certificate::Rows;
  if (!accept::shows_bounds(input.outcome)) return std::nullopt;
  const auto stated = certificate::read_checkpoint(input.certificate);
  if (!stated) return std::nullopt;
  const auto loss = bound_of(*stated, Readout::kLoss, std::nullopt);
  auto floor = bound_of(*stated, Readout::kBosFloor, Rows::kPre);
  auto ceiling = bound_of(*stated, Readout::kBosCeiling, Rows::kPre);
  if (!loss || !floor || !ceiling) return std::nullopt;
  for (const Rows rows : {Rows::kTrigger, Rows::kPost}) {
    if (const auto next = bound_of(*stated, Readout::kBosCeiling, rows)) {
      *ceiling = {std::max(ceiling->lower, next->lower), std::max(ceiling->upper, next->upper)};
    }
  }
  if (const auto next = bound_of(*stated, Readout::kBosFloor, Rows::kPost)) {
    *floor = {std::min(floor->lower, next->lower), std::min(floor->upper, next->upper)};
  }
  return TradeBounds{*loss, *floor, *ceiling};
}

class TradeoffRun {
 public:
  explicit TradeoffRun(const TradeoffOptions& options) : options_(options) {}

  Result<Tradeoff> finish() {
    const auto all = every_series(options_);
    if (!all) return tl::unexpected(all.error());
    if (auto made = folder_.make("figures"); !made) return tl::unexpected(made.error());
    for (const Series& series : *all) {
      for (const double penalty : options_.penalties) {
        for (std::uint64_t seed = 0; seed < options_.seeds; ++seed) {
          auto added = add(series, penalty, options_.seed + seed);
          if (!added) return tl::unexpected(added.error());
          if (folder_.interrupted()) return std::move(result_);
        }
      }
    }
    if (auto written = put_together(); !written) return tl::unexpected(written.error());
    return std::move(result_);
  }

 private:
  Result<void> add(const Series& series, double penalty, std::uint64_t seed) {
    TradePoint point{
        series.name, fmt::format("{}-{}-{}", series.name, penalty, seed), penalty, seed, {}, {}};
    train::Options training;
    training.shape = series.shape;
    training.initial = series.initial;
    training.bos_penalty = penalty;
    training.seed = seed;
    training.lr = options_.lr;
    training.max_steps = options_.steps;
    training.stop_linf = 0;
    const auto trained = folder_.train_or_load(point.model, training);
    if (!trained) return tl::unexpected(trained.error());
    if (folder_.interrupted()) return {};
    folder_.tell(point.model + ": random sequences", 0);
    point.sample = trade_sample(trained->model, options_.sequences, options_.seed);
    const bool end = penalty == options_.penalties.front() || penalty == options_.penalties.back();
    if (end && seed == options_.seed) {
      if (auto bounded = bound(*trained, point); !bounded) return bounded;
    }
    result_.points.push_back(std::move(point));
    return {};
  }

  Result<void> bound(const Trained& trained, TradePoint& point) {
    const auto is_of = [&](const json::Value& value, const std::string& claim_hash) {
      const auto stated = certificate::read_checkpoint(value);
      return stated && stated->model.sha256 == trained.model.sha256 &&
             stated->claim_sha256 == claim_hash && stated->over_box;
    };
    const auto make = [&](const std::string& claim_hash) {
      certify::Options search;
      search.seed = options_.seed;
      search.claim_hash = claim_hash;
      search.properties = {"sup-loss",        "bos-floor.pre",       "bos-floor.post",
                           "bos-ceiling.pre", "bos-ceiling.trigger", "bos-ceiling.post"};
      return folder_.over_the_box(point.model, trained, search);
    };
    auto input = folder_.certificate(point.model + ".box.json", is_of, make);
    if (!input) return tl::unexpected(input.error());
    if (!*input) return {};
    point.box = bounds_of(**input);
    inputs_.push_back(std::move(**input));
    return {};
  }

  Result<void> put_together() {
    report::Options page;
    page.figures = figures(result_.points);
    for (const report::Figure& figure : page.figures) {
      auto drawn = folder_.update("figures/" + figure.name + ".svg", figure.svg);
      if (!drawn) return drawn;
    }
    auto written = folder_.update("table.json", table_json(result_.points).dump(2) + "\n");
    return written ? folder_.write_page(inputs_, page) : written;
  }

  const TradeoffOptions& options_;
  Tradeoff result_;
  RunFolder folder_{options_, result_};
  std::vector<report::Input> inputs_;
};

json::Value pair(const exact::Enclosure& interval) {
  constexpr unsigned kTradeDigits = 10;
  return {rounded::decimal_down(interval.lower, kTradeDigits),
          rounded::decimal_up(interval.upper, kTradeDigits)};
}

}  // namespace

json::Value table_json(const std::vector<TradePoint>& points) {
  json::Value all = json::Value::array();
  for (const TradePoint& point : points) {
    const auto estimate = [](double value) { return fmt::format("{:.7g}", value); };
    json::Value box;
    if (point.box) {
      box = {{"loss", pair(point.box->loss)},
             {"bos_floor", pair(point.box->floor)},
             {"bos_ceiling", pair(point.box->ceiling)}};
    }
    all.push_back({{"series", point.series},
                   {"model", point.model},
                   {"penalty", fmt::format("{}", point.penalty)},
                   {"seed", point.seed},
                   {"estimates",
                    {{"loss", estimate(point.sample.loss)},
                     {"linf", estimate(point.sample.linf)},
                     {"mean_bos", estimate(point.sample.mean_bos)},
                     {"largest_mean_bos", estimate(point.sample.largest_mean_bos)},
                     {"largest_bos", estimate(point.sample.largest_bos)},
                     {"value_growth", estimate(point.sample.value_growth)}}},
                   {"over_box", box}});
  }
  return {{"schema", 1}, {"points", std::move(all)}};
}

Result<Tradeoff> tradeoff(const TradeoffOptions& options) { return TradeoffRun(options).finish(); }

}  // namespace sinkproof::reproduce
