#include "certify/stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "certify/attained.hpp"
#include "certify/digits.hpp"
#include "certify/entries.hpp"
#include "certify/progress.hpp"
#include "certify/random.hpp"
#include "certify/stack_attack.hpp"
#include "certify/stack_bounds_once.hpp"
#include "certify/theorem.hpp"
#include "certify/unit.hpp"
#include "certify/workers.hpp"
#include "model/forward_model.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::certify {
namespace {

using exact::Rational;
using Clock = std::chrono::steady_clock;

constexpr const char* kTheorem = "theorem.tc-4";
// Of all bounds together, as StackEffort: about 20 s of the checker, half an hour of tools/recheck.
constexpr double kMostEffort = 1.9e9;

// Of the seconds there are: what bounds and checking them may take. Attacks have the rest.
constexpr double kOfBounds = 0.75;

struct Asked : StackQuestion {
  std::string name;
};

class StackRun {
 public:
  StackRun(const model::AttentionModel& model, const Options& options, const TriggerRange& triggers)
      : model_(model),
        options_(options),
        triggers_(triggers),
        exact_model_(model::forward_model(model)),
        prepared_(exact_model_),
        progress_(options.progress, options.stack.seconds),
        workers_(options.jobs) {}

  exact::Result<void> find_bounds(const std::vector<Asked>& asked) {
    const auto start = Clock::now();
    StackSearch search{model_.length,
                       model_.box,
                       triggers_,
                       {},
                       kMostEffort,
                       kOfBounds * options_.stack.seconds,
                       [this](const std::string& doing) { progress_.begin(doing, 0); },
                       &workers_};
    for (const Asked& each : asked) search.asked[static_cast<std::size_t>(each.rows)] = true;
    auto made = stack_bounds_once(model_, options_, exact_model_, search);
    if (!made) return tl::unexpected(made.error());
    bounds_ = *std::move(made);
    // What checking the bounds takes, at most as long as finding them, is kept for it.
    const std::chrono::duration<double> took = Clock::now() - start;
    const double seconds = options_.stack.seconds;
    const std::chrono::duration<double> left(
        std::max(seconds - 2 * took.count(), (1 - kOfBounds) * seconds));
    attacks_end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(left);
    return {};
  }

  // Every property's bound and its witness; options.jobs at a time.
  void decide(const std::vector<Asked>& asked) {
    properties_.resize(asked.size());
    waiting_ = asked.size();
    const auto first = static_cast<std::size_t>(options_.begin * static_cast<double>(asked.size()));
    workers_.each(asked.size(), first, [&](std::size_t i) {
      if (asked[i].name != "sup-loss") properties_[i] = timed(asked[i]);
    });
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (asked[i].name == "sup-loss") properties_[i] = maximum(asked);
    }
  }

  void add(std::vector<Decided> decided) {
    std::move(decided.begin(), decided.end(), std::back_inserter(properties_));
  }

  [[nodiscard]] std::optional<exact::Error> failure() const { return first_failure(properties_); }

  // What tc-4 makes of the certified loss.
  void add_theorem() {
    const auto found = [&](const std::string& name) -> const Property& {
      return std::find_if(properties_.begin(), properties_.end(),
                          [&](const Decided& decided) { return decided.property.name == name; })
          ->property;
    };
    Decided decided = forced_sink(
        kTheorem, *found("sup-loss").upper, model_,
        [&](const std::string& floor) { return found(floor).lower.value_or(Rational(0)); });
    properties_.push_back(std::move(decided));
  }

  Certification certification() {
    Certification result;
    result.triggers = triggers_;
    result.box = model_.box;
    result.stated = certificate_of(model_, options_);
    for (Decided& decided : properties_) {
      // What is unknown states nothing, so the certificate does not hold it.
      if (decided.stated) result.stated.properties.push_back(*std::move(decided.stated));
      result.properties.push_back(std::move(decided.property));
    }
    return result;
  }

 private:
  Decided timed(const Asked& asked) {
    const std::size_t waiting = waiting_--;
    progress_.begin(asked.name,
                    1 - static_cast<double>(waiting) / static_cast<double>(properties_.size()));
    const Clock::time_point deadline = share_of(waiting);
    const auto start = Clock::now();
    Decided decided = decided_once(model_, options_, part_of(asked), [&] {
      return asked.loss      ? loss(asked, deadline)
             : asked.rollout ? rollout(asked, deadline)
                             : attention(asked, deadline);
    });
    const std::chrono::duration<double> took = Clock::now() - start;
    if (options_.journal == nullptr) decided.property.seconds = took.count();
    decided.property.name = asked.name;
    return decided;
  }

  // When the attack on one of so many properties ends, so that all have their turn.
  [[nodiscard]] Clock::time_point share_of(std::size_t waiting) const {
    const auto now = Clock::now();
    const auto turns = static_cast<Clock::rep>((waiting + options_.jobs - 1) / options_.jobs);
    return now + std::max(attacks_end_ - now, Clock::duration(0)) / std::max<Clock::rep>(1, turns);
  }

  // What is sought depends on the bounds, and these on their degrees.
  [[nodiscard]] std::string part_of(const Asked& asked) const {
    std::string part = asked.name;
    if (asked.head) part += fmt::format(" layer {} head {}", *asked.layer, *asked.head);
    part += " by degrees";
    for (const StackBounds::Pass& pass : bounds_->passes()) {
      if (!pass.bounds.loss[static_cast<std::size_t>(asked.rows)]) continue;
      part += fmt::format(" {}/{}", pass.degree, pass.row_degree);
    }
    return part;
  }

  Decided loss(const Asked& asked, Clock::time_point deadline) {
    const AttackResult attack = attack_stack_loss(model_, asked.rows, triggers_, effort(deadline));
    const auto attained = attained_loss(prepared_, attack.witness);
    const Rational least = attained ? exact::max(0, attained->lower) : Rational(0);
    return enclosed(asked, least, attack.witness);
  }

  Decided attention(const Asked& asked, Clock::time_point deadline) {
    std::vector<std::pair<Rational, StackAttentionGoal>> heads;
    for (std::size_t l = 0; l < model_.layers.size(); ++l) {
      for (std::size_t h = 0; h < model_.num_heads; ++h) {
        if (asked.head && (*asked.head != h || *asked.layer != l)) continue;
        StackQuestion one = asked;
        one.layer = l;
        one.head = h;
        heads.push_back({bounds_->best(one).bound, {asked.slot, l, h, asked.ceiling}});
      }
    }
    std::sort(heads.begin(), heads.end(), [&](const auto& a, const auto& b) {
      return asked.ceiling ? a.first > b.first : a.first < b.first;
    });
    // What decides the bound decides the witness, too, as a rule.
    constexpr std::size_t kHeadsTried = 3;
    std::optional<Rational> attained;
    Witness witness;
    const std::size_t tried = std::min(kHeadsTried, heads.size());
    for (std::size_t i = 0; i < tried; ++i) {
      const StackAttentionGoal& goal = heads[i].second;
      const auto now = Clock::now();
      const auto turn = now + (deadline - now) / static_cast<Clock::rep>(tried - i);
      const AttackResult attack =
          attack_stack_attention(model_, asked.rows, triggers_, goal, effort(turn));
      const auto paid =
          attained_attention(prepared_, attack.witness, goal.slot, goal.head, goal.layer);
      if (!paid) continue;
      const Rational end = asked.ceiling ? paid->lower : paid->upper;
      if (attained && (asked.ceiling ? end <= *attained : end >= *attained)) continue;
      attained = end;
      witness = attack.witness;
    }
    return attained ? enclosed(asked, *attained, witness) : unknown(asked);
  }

  Decided rollout(const Asked& asked, Clock::time_point deadline) {
    const AttackResult attack =
        attack_stack_rollout(model_, asked.rows, triggers_, asked.ceiling, effort(deadline));
    const auto attained = attained_rollout(prepared_, attack.witness);
    if (!attained) return unknown(asked);
    return enclosed(asked, asked.ceiling ? attained->lower : attained->upper, attack.witness);
  }

  [[nodiscard]] AttackEffort effort(Clock::time_point deadline) const {
    AttackEffort result;
    result.seed = options_.seed;
    result.deadline = deadline;
    return result;
  }

  static Decided unknown(const Asked& asked) {
    Decided decided;
    decided.property.name = asked.name;
    decided.property.verdict = "unknown";
    return decided;
  }

  Decided enclosed(const Asked& asked, const Rational& attained, const Witness& witness) const {
    const Proof proof = bounds_->best(asked);
    const bool from_above = asked.loss || asked.ceiling;
    const Rational lower =
        rounded::round_down_decimal(from_above ? attained : proof.bound, kDigits);
    const Rational upper = rounded::round_up_decimal(from_above ? proof.bound : attained, kDigits);
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
    decided.stated = stated_bound(property, proof.by);
    return decided;
  }

  // sup-loss, from its parts.
  [[nodiscard]] Decided maximum(const std::vector<Asked>& asked) const {
    std::vector<const Property*> parts;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (asked[i].loss && asked[i].name != "sup-loss") parts.push_back(&properties_[i].property);
    }
    return largest_loss(parts);
  }

  const model::AttentionModel& model_;
  const Options& options_;
  TriggerRange triggers_;
  forward::Model exact_model_;
  forward::Prepared prepared_;
  std::optional<StackBounds> bounds_;
  std::vector<Decided> properties_;
  std::atomic<std::size_t> waiting_ = 0;
  Clock::time_point attacks_end_;
  Progress progress_;
  Workers workers_;
};

Asked read_name(const std::string& name) {
  Asked asked;
  asked.name = name;
  asked.loss = name.starts_with("sup-loss");
  asked.rollout = name.starts_with("rollout-");
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
    const bool of_heads = !asked.loss && !asked.rollout;
    if (of_heads) {
      asked.layer = stack.layer;
      asked.head = stack.head;
    }
    result.push_back(asked);
    if (!of_heads || !stack.every_head) continue;
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
        "must be FIRST..LAST within 3.." + std::to_string(model.length) +
            ", the first not above the last");
  }
  if (stack.head.has_value() != stack.layer.has_value()) {
    return exact::fail("SP1410", "layer and head",
                       "must be given together; give both --layer and --head");
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
  const bool has_post = triggers->first < model.length;
  const bool all_triggers = triggers->first == 3 && triggers->last == model.length;
  auto all = property_names(model);
  std::erase_if(all, [&](const std::string& name) {
    if (name.starts_with("theorem.")) return name != kTheorem || !all_triggers;
    return name.ends_with(".post") && !has_post;
  });
  const auto random = random_names(model);
  if (options.samples > 0) all.insert(all.end(), random.begin(), random.end());
  auto names = named_properties(model, options.properties, all);
  if (!names) return tl::unexpected(names.error());
  const auto bounds = std::stable_partition(
      names->begin(), names->end(), [](const auto& name) { return !name.starts_with("random."); });
  const std::vector<std::string> sampled(bounds, names->end());
  names->erase(bounds, names->end());
  const bool with_theorem = std::erase(*names, kTheorem) > 0;
  StackRun run(model, options, *triggers);
  const std::vector<Asked> asked = all_asked(model, *names, options.stack);
  if (!asked.empty()) {
    if (auto found = run.find_bounds(asked); !found) return tl::unexpected(found.error());
    run.decide(asked);
  }
  if (with_theorem && !run.failure()) run.add_theorem();
  if (!sampled.empty()) {
    run.add(all_decided_once(model, options, fmt::format("{}", fmt::join(sampled, " ")),
                             [&] { return decide_random(model, options, *triggers, sampled); }));
  }
  if (auto failure = run.failure()) return tl::unexpected(*std::move(failure));
  return run.certification();
}

}  // namespace sinkproof::certify
