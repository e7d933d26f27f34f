#include "certify/stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "certificate/work.hpp"
#include "certify/attained.hpp"
#include "certify/entries.hpp"
#include "certify/random.hpp"
#include "certify/stack_attack.hpp"
#include "certify/stack_bounds.hpp"
#include "certify/unit.hpp"
#include "exact/decimal.hpp"
#include "forward/box_pass.hpp"
#include "forward/polynomial.hpp"
#include "model/forward_model.hpp"

namespace sinkproof::certify {
namespace {

using exact::Integer;
using exact::Rational;
using Clock = std::chrono::steady_clock;

constexpr unsigned kDigits = 9;
// Of a checker's 2^31 units; the rest is for witnesses.
constexpr std::uint64_t kUnits = (std::uint64_t{1} << 31U) - (std::uint64_t{1} << 28U);
constexpr double kSecondsPerUnit = 1e-8;  // estimate, at first

struct Asked {
  std::string name;
  RowClass rows = RowClass::kPre;
  bool loss = false;
  Slot slot = Slot::kBos;
  bool ceiling = false;
  std::optional<std::size_t> layer;
  std::optional<std::size_t> head;
};

Rational value(const Integer& units) {
  return exact::make_rational(units, Integer(1) << forward::kBoxPrecision);
}

class StackRun {
 public:
  // `budget`: units that a checker may spend on the bounds.
  StackRun(const model::AttentionModel& model, const Options& options, const TriggerRange& triggers,
           std::uint64_t budget)
      : budget_(budget),
        model_(model),
        options_(options),
        triggers_(triggers),
        exact_model_(model::forward_model(model)),
        prepared_(exact_model_) {}

  // The bounds of all rows that are asked about, once: with a budget of seconds another run of the
  // search may end elsewhere.
  exact::Result<void> find_bounds(const std::vector<Asked>& asked) {
    const auto is_asked = [&](RowClass rows) {
      return std::any_of(asked.begin(), asked.end(),
                         [&](const Asked& each) { return each.rows == rows; });
    };
    const StackShape shape{
        model_.layers.size(),
        model_.num_heads,
        {is_asked(RowClass::kPre), is_asked(RowClass::kTrigger), is_asked(RowClass::kPost)}};
    const json::Value found = found_once(
        model_, options_, shape.part(),
        [&](const json::Value& value) { return bounds_from_json(value, shape).has_value(); },
        [&] {
          const auto made = make_bounds(is_asked);
          return to_json(made ? exact::Result<BestOfRows>(made_) : tl::unexpected(made.error()),
                         shape);
        });
    auto bounds = bounds_from_json(found, shape);
    if (!bounds) return tl::unexpected(part_missing(shape.part()));
    if (!*bounds) return tl::unexpected(bounds->error());
    made_ = **std::move(bounds);
    return {};
  }

  // Polynomials of the first degree; then, for the trigger's rows and for all others, higher ones
  // while they help and time and the checker's budget last.
  template <typename IsAsked>
  exact::Result<void> make_bounds(const IsAsked& is_asked) {
    const RowClass rows = is_asked(RowClass::kPost) ? RowClass::kPost : RowClass::kPre;
    const bool of_trigger = is_asked(RowClass::kTrigger);
    const RowClass last = std::max(rows, of_trigger ? RowClass::kTrigger : RowClass::kPre);
    const auto first = made(1, 1, last, budget_);
    if (!first.affordable) {
      return exact::fail("SP1409", "model", "its stack is beyond a checker's budget");
    }
    if (!first.made) {
      return exact::fail("SP1403", "model", "a number is beyond the range of the pass");
    }
    made_.fill(*first.made);
    if (is_asked(rows)) improve_rows(rows);
    if (of_trigger) improve_trigger();
    return {};
  }

  // Every property's bound and its witness; options.jobs at a time.
  void decide(const std::vector<Asked>& asked) {
    properties_.resize(asked.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < asked.size(); i = next++) {
        if (asked[i].name != "sup-loss" && is_ours(i)) properties_[i] = timed(asked[i]);
      }
    };
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < options_.jobs; ++i) helpers.emplace_back(work);
    work();
    helpers.clear();
    if (options_.share) return;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (asked[i].name == "sup-loss") properties_[i] = maximum(asked);
    }
  }

  void add(std::vector<Decided> decided) {
    std::move(decided.begin(), decided.end(), std::back_inserter(properties_));
  }

  // Whether this process decides unit i.
  [[nodiscard]] bool is_ours(std::size_t i) const { return !options_.share || options_.share(i); }

  exact::Result<Certification> certification() {
    if (options_.share) return Certification{};
    if (const auto failure = first_failure(properties_)) return tl::unexpected(*failure);
    Certification result;
    result.triggers = triggers_;
    json::Value entries = json::Value::array();
    for (Decided& decided : properties_) {
      // What is unknown states nothing, so the certificate does not hold it.
      if (!decided.entry.is_null()) entries.push_back(std::move(decided.entry));
      result.properties.push_back(std::move(decided.property));
    }
    result.certificate =
        checkpoint_object(model_, options_, triggers_, nullptr, std::move(entries));
    return result;
  }

 private:
  struct Step {
    bool affordable = false;
    std::optional<Made> made;
  };

  // A pass, if a checker can make it for so many units and the time that is left is enough.
  Step made(std::size_t degree, std::size_t row_degree, RowClass last, std::uint64_t budget) {
    const forward::BoxRequest asked = request(degree, row_degree, last);
    const std::uint64_t units = forward::box_units(exact_model_, asked);
    const bool is_first = degree == 1 && row_degree == 1;
    if (units > budget) return {};
    if (!is_first &&
        spent() + static_cast<double>(units) * seconds_per_unit_ > options_.stack.seconds) {
      return {};
    }
    const double before = spent();
    auto bounds = forward::box_bounds(exact_model_, asked, [&](std::size_t trigger) {
      tell("polynomials of degree " + std::to_string(std::max(degree, row_degree)), trigger);
    });
    seconds_per_unit_ = std::max(kSecondsPerUnit, (spent() - before) / static_cast<double>(units));
    if (!bounds) return {true, {}};
    return {true, Made{degree, row_degree, *std::move(bounds)}};
  }

  [[nodiscard]] forward::BoxRequest request(std::size_t degree, std::size_t row_degree,
                                            RowClass last) const {
    return {model_.length, triggers_.first, triggers_.last,
            degree,        row_degree,      static_cast<certificate::Rows>(last)};
  }

  // What is left of the budget beside the bounds of one class of rows.
  [[nodiscard]] std::uint64_t budget_beside(RowClass rows) const {
    const Made& made = made_[static_cast<std::size_t>(rows)];
    const std::uint64_t units =
        forward::box_units(exact_model_, request(made.degree, made.row_degree, rows));
    return budget_ - std::min(budget_, units);
  }

  void improve_rows(RowClass last) {
    for (std::size_t degree = 2; degree <= forward::kMostDegree; ++degree) {
      Step step = made(1, degree, last, budget_beside(RowClass::kTrigger));
      if (!step.made) return;
      if (!improves(RowClass::kPre, *step.made)) return;
      made_of(RowClass::kPre) = *step.made;
      made_of(RowClass::kPost) = *std::move(step.made);
    }
  }

  // Content keys need a high degree where the trigger's row does, unless their weights are affine.
  void improve_trigger() {
    constexpr std::size_t kMostRowDegree = 3;
    for (std::size_t degree = 2; degree <= forward::kMostDegree; ++degree) {
      const std::size_t row_degree =
          has_exponential_weights() ? std::min(degree, kMostRowDegree) : 1;
      Step step = made(degree, row_degree, RowClass::kTrigger, budget_beside(RowClass::kPost));
      if (!step.made) return;
      const bool better = improves(RowClass::kTrigger, *step.made);
      if (better) made_of(RowClass::kTrigger) = *std::move(step.made);
      if (!better && degree > 2) return;
    }
  }

  [[nodiscard]] bool has_exponential_weights() const {
    return certificate::kind_of(model_.attention).kernel == certificate::Kernel::kExp;
  }

  Made& made_of(RowClass rows) { return made_[static_cast<std::size_t>(rows)]; }
  [[nodiscard]] const Made& made_of(RowClass rows) const {
    return made_[static_cast<std::size_t>(rows)];
  }

  // By a thousandth at least: a higher degree costs the checkers time.
  [[nodiscard]] bool improves(RowClass rows, const Made& now) const {
    const auto index = static_cast<std::size_t>(rows);
    return 1000 * *now.bounds.loss[index] < 999 * *made_[index].bounds.loss[index];
  }

  [[nodiscard]] double spent() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  void tell(const std::string& doing, std::size_t trigger) {
    if (!options_.progress) return;
    const double all = static_cast<double>(triggers_.last - triggers_.first + 1);
    options_.progress(doing, static_cast<double>(trigger - triggers_.first) / all);
  }

  Decided timed(const Asked& asked) {
    if (options_.progress) {
      const std::lock_guard lock(mutex_);
      options_.progress(asked.name,
                        static_cast<double>(done_++) / static_cast<double>(properties_.size()));
    }
    const auto start = Clock::now();
    Decided decided = decided_once(model_, options_, part_of(asked),
                                   [&] { return asked.loss ? loss(asked) : attention(asked); });
    const std::chrono::duration<double> took = Clock::now() - start;
    if (options_.journal == nullptr) decided.property.seconds = took.count();
    return decided;
  }

  // What is sought depends on the bounds, and these on their degrees.
  [[nodiscard]] std::string part_of(const Asked& asked) const {
    const Made& made = made_of(asked.rows);
    std::string part = asked.name;
    if (asked.head) {
      part += " layer " + std::to_string(*asked.layer) + " head " + std::to_string(*asked.head);
    }
    return part + " degree " + std::to_string(made.degree) + " " + std::to_string(made.row_degree);
  }

  Decided loss(const Asked& asked) {
    const Rational upper = exact::round_up_decimal(
        value(*made_of(asked.rows).bounds.loss[static_cast<std::size_t>(asked.rows)]), kDigits);
    const AttackResult attack = attack_stack_loss(model_, asked.rows, triggers_, effort());
    const auto attained = attained_loss(prepared_, attack.witness);
    const Rational least = attained ? exact::max(0, attained->lower) : Rational(0);
    return enclosed(asked, exact::round_down_decimal(least, kDigits), upper, attack.witness);
  }

  Decided attention(const Asked& asked) {
    std::vector<std::pair<Rational, StackAttentionGoal>> heads;
    const auto& all_paid = made_of(asked.rows).bounds.paid;
    for (std::size_t l = 0; l < all_paid.size(); ++l) {
      for (std::size_t h = 0; h < model_.num_heads; ++h) {
        if (asked.head && (*asked.head != h || *asked.layer != l)) continue;
        const auto& paid = *all_paid[l][h][static_cast<std::size_t>(asked.rows)];
        const forward::Range& slot = asked.slot == Slot::kBos ? paid.bos : paid.null;
        heads.push_back(
            {value(asked.ceiling ? slot.upper : slot.lower), {asked.slot, l, h, asked.ceiling}});
      }
    }
    std::sort(heads.begin(), heads.end(), [&](const auto& a, const auto& b) {
      return asked.ceiling ? a.first > b.first : a.first < b.first;
    });
    const Rational bound = asked.ceiling ? exact::round_up_decimal(heads.front().first, kDigits)
                                         : exact::round_down_decimal(heads.front().first, kDigits);
    // What decides the bound decides the witness, too, as a rule.
    constexpr std::size_t kHeadsTried = 3;
    std::optional<Rational> attained;
    Witness witness;
    for (std::size_t i = 0; i < std::min(kHeadsTried, heads.size()); ++i) {
      const StackAttentionGoal& goal = heads[i].second;
      const AttackResult attack =
          attack_stack_attention(model_, asked.rows, triggers_, goal, effort());
      const auto paid =
          attained_attention(prepared_, attack.witness, goal.slot, goal.head, goal.layer);
      if (!paid) continue;
      const Rational end = asked.ceiling ? paid->lower : paid->upper;
      if (attained && (asked.ceiling ? end <= *attained : end >= *attained)) continue;
      attained = end;
      witness = attack.witness;
    }
    if (!attained) return unknown(asked);
    if (asked.ceiling) {
      return enclosed(asked, exact::round_down_decimal(*attained, kDigits), bound, witness);
    }
    return enclosed(asked, bound, exact::round_up_decimal(*attained, kDigits), witness);
  }

  [[nodiscard]] AttackEffort effort() const {
    AttackEffort result;
    result.seed = options_.seed;
    return result;
  }

  static Decided unknown(const Asked& asked) {
    Decided decided;
    decided.property.name = asked.name;
    decided.property.verdict = "unknown";
    return decided;
  }

  Decided enclosed(const Asked& asked, const Rational& lower, const Rational& upper,
                   const Witness& witness) const {
    Decided decided;
    Property& property = decided.property;
    property.name = asked.name;
    property.layer = asked.layer;
    property.head = asked.head;
    property.verdict = "enclosed";
    property.rows = rows_text(asked.rows, !asked.loss);
    property.lower = lower;
    property.upper = upper;
    property.witness = witness;
    decided.entry = {{"name", asked.name},
                     {"verdict", "enclosed"},
                     {"lower", exact::to_string(lower)},
                     {"upper", exact::to_string(upper)},
                     {"witness", witness_entry(witness)},
                     {"proof",
                      {{"rule", "stack"},
                       {"degree", made_of(asked.rows).degree},
                       {"row_degree", made_of(asked.rows).row_degree}}}};
    if (asked.head) {
      decided.entry["layer"] = *asked.layer;
      decided.entry["head"] = *asked.head;
    }
    return decided;
  }

  // sup-loss, from its parts.
  [[nodiscard]] Decided maximum(const std::vector<Asked>& asked) const {
    Decided decided;
    Property& property = decided.property;
    property.name = "sup-loss";
    property.verdict = "enclosed";
    property.rows = "1 <= i <= L";
    std::vector<std::string> parts;
    std::string from;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (!asked[i].loss || asked[i].name == "sup-loss") continue;
      const Property& part = properties_[i].property;
      parts.push_back(part.name);
      if (!property.upper || *part.upper > *property.upper) property.upper = part.upper;
      if (!property.lower || *part.lower > *property.lower) {
        property.lower = part.lower;
        property.witness = part.witness;
        from = part.name;
      }
    }
    decided.entry = {{"name", "sup-loss"},
                     {"verdict", "enclosed"},
                     {"lower", exact::to_string(*property.lower)},
                     {"upper", exact::to_string(*property.upper)},
                     {"witness", {{"from", from}}},
                     {"proof", {{"rule", "maximum"}, {"of", parts}}}};
    return decided;
  }

  std::uint64_t budget_;
  const model::AttentionModel& model_;
  const Options& options_;
  TriggerRange triggers_;
  forward::Model exact_model_;
  forward::Prepared prepared_;
  BestOfRows made_;
  Clock::time_point start_ = Clock::now();
  double seconds_per_unit_ = kSecondsPerUnit;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::vector<Decided> properties_;
};

Asked read_name(const std::string& name) {
  Asked asked;
  asked.name = name;
  asked.loss = name.starts_with("sup-loss");
  if (name.ends_with(".trigger")) asked.rows = RowClass::kTrigger;
  if (name.ends_with(".post")) asked.rows = RowClass::kPost;
  if (name.starts_with("null-")) asked.slot = Slot::kNull;
  asked.ceiling = name.find("-ceiling") != std::string::npos;
  return asked;
}

std::vector<Asked> all_asked(const model::AttentionModel& model,
                             const std::vector<std::string>& names, const StackOptions& stack) {
  std::vector<Asked> result;
  for (const std::string& name : names) {
    Asked asked = read_name(name);
    if (!asked.loss) {
      asked.layer = stack.layer;
      asked.head = stack.head;
    }
    result.push_back(asked);
    if (asked.loss || !stack.every_head) continue;
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
      for (std::size_t h = 0; h < model.num_heads; ++h) {
        if (stack.head == h && stack.layer == l) continue;
        asked.layer = l;
        asked.head = h;
        result.push_back(asked);
      }
    }
  }
  return result;
}

exact::Result<TriggerRange> read_scope(const model::AttentionModel& model,
                                       const StackOptions& stack) {
  const TriggerRange triggers = stack.triggers.value_or(TriggerRange{3, model.length});
  if (triggers.first < 3 || triggers.last < triggers.first || triggers.last > model.length) {
    return exact::fail(
        "SP1410",
        "triggers " + std::to_string(triggers.first) + ".." + std::to_string(triggers.last),
        "must lie in 3.." + std::to_string(model.length));
  }
  if (stack.head.has_value() != stack.layer.has_value()) {
    return exact::fail("SP1410", "layer and head", "are said together");
  }
  if (stack.head && (*stack.head >= model.num_heads || *stack.layer >= model.layers.size())) {
    return exact::fail(
        "SP1410", "layer " + std::to_string(*stack.layer) + " head " + std::to_string(*stack.head),
        "the model has " + std::to_string(model.layers.size()) + " layer(s) of " +
            std::to_string(model.num_heads) + " head(s), counted from 0");
  }
  return triggers;
}

}  // namespace

exact::Result<Certification> certify_stack(const model::AttentionModel& model,
                                           const Options& options) {
  const auto triggers = read_scope(model, options.stack);
  if (!triggers) return tl::unexpected(triggers.error());
  auto all = property_names(model);
  if (triggers->first == model.length) {
    std::erase_if(all, [](const std::string& name) { return name.ends_with(".post"); });
  }
  const auto random = random_names(model);
  if (options.samples > 0) all.insert(all.end(), random.begin(), random.end());
  auto names = named_properties(model, options.properties, all);
  if (!names) return tl::unexpected(names.error());
  const auto bounds = std::stable_partition(
      names->begin(), names->end(), [](const auto& name) { return !name.starts_with("random."); });
  const std::vector<std::string> sampled(bounds, names->end());
  names->erase(bounds, names->end());
  const std::uint64_t units = sampled.empty() ? 0 : random_units(model);
  const std::uint64_t budget = certificate::product_of({options.work, kUnits});
  const std::uint64_t reserved = certificate::product_of({units, options.samples});
  if (reserved > budget) {
    return exact::fail("SP1407", std::to_string(options.samples) + " samples",
                       "a checker's budget lasts for " + std::to_string(budget / units) +
                           " of this model's; --work " + std::to_string(reserved / kUnits + 1) +
                           " allows for them");
  }
  StackRun run(model, options, *triggers, budget - reserved);
  const std::vector<Asked> asked = all_asked(model, *names, options.stack);
  bool has_ours = false;
  for (std::size_t i = 0; i < asked.size(); ++i) has_ours |= run.is_ours(i);
  if (has_ours) {
    if (auto found = run.find_bounds(asked); !found) return tl::unexpected(found.error());
    run.decide(asked);
  }
  if (!sampled.empty() && run.is_ours(asked.size())) {
    run.add(all_decided_once(model, options, fmt::format("{}", fmt::join(sampled, " ")),
                             [&] { return decide_random(model, options, *triggers, sampled); }));
  }
  return run.certification();
}

}  // namespace sinkproof::certify
