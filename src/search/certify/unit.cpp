#include "certify/unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "certify/decided_json.hpp"
#include "certify/journal.hpp"
#include "write/write.hpp"

namespace sinkproof::certify {
namespace {

json::Value text(const std::optional<exact::Rational>& value) {
  return value ? json::Value(exact::to_string(*value)) : json::Value(nullptr);
}

// All that a part's result depends on, and no more of the options: what else is asked, and on how
// many threads, makes no difference to it.
json::Value key_of(const model::AttentionModel& model, const Options& options,
                   const std::string& part) {
  const StackOptions& stack = options.stack;
  const Effort& effort = options.effort;
  json::Value stated = write::written(certificate_of(model, options));
  json::Value key = {{"box", std::move(stated["box"])},
                     {"effort",
                      {{"margin", fmt::format("{}", effort.margin)},
                       {"nodes", effort.nodes.nodes},
                       {"pass_units", effort.pass_units},
                       {"places", effort.places},
                       {"roots_only", effort.roots_only},
                       {"without_samples", effort.without_samples}}},
                     {"length", model.length},
                     {"model", std::move(stated["model"])},
                     {"part", part},
                     {"seconds", fmt::format("{}", stack.seconds)},
                     {"seed", options.seed}};
  if (!needs_stack(model, options)) return key;
  key["alpha"] = exact::to_string(options.alpha);
  key["epsilon"] = text(options.epsilon);
  key["eta"] = text(options.eta);
  key["samples"] = options.samples;
  key["triggers"] = nullptr;
  if (stack.triggers) key["triggers"] = {stack.triggers->first, stack.triggers->last};
  return key;
}

// An entry of the journal that is usable; made and kept where there is none.
std::optional<Journal::Entry> entry_of(const json::Value& key, const Options& options,
                                       const std::function<bool(const json::Value&)>& usable,
                                       const std::function<json::Value()>& make) {
  Journal& journal = *options.journal;
  if (auto there = journal.find(key); there && usable(there->result)) return there;
  if (!journal.makes()) {
    journal.miss(key["part"]);
    return std::nullopt;
  }
  const auto start = std::chrono::steady_clock::now();
  json::Value made = make();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  auto kept = journal.keep(key, {made, took.count()});
  if (!usable(kept.result)) kept.result = std::move(made);
  return kept;
}

Decided missing(const std::string& part) {
  Decided decided;
  decided.property.name = part;
  decided.property.verdict = "unknown";
  decided.property.lower = 0;
  decided.property.upper = 0;
  decided.failure = part_missing(part);
  return decided;
}

}  // namespace

std::vector<Decided> all_decided_once(const model::AttentionModel& model, const Options& options,
                                      const std::string& part,
                                      const std::function<std::vector<Decided>()>& make) {
  if (options.journal == nullptr) return make();
  const certificate::Checkpoint whole = certificate_of(model, options);
  // Both bounds are taken of losses, and of whatever a theorem of one layer may rest on.
  const bool may_lack_bounds = needs_stack(model, options) && !part.starts_with("sup-loss");
  const auto usable = [&](const json::Value& value) {
    const auto read = decided_from_json(value, whole);
    return read && !read->empty() &&
           (may_lack_bounds || std::all_of(read->begin(), read->end(), [](const Decided& one) {
              return one.property.lower && one.property.upper;
            }));
  };
  const auto entry = entry_of(key_of(model, options, part), options, usable,
                              [&] { return to_json(make(), whole); });
  if (!entry) return {missing(part)};
  auto decided = *decided_from_json(entry->result, whole);
  decided.front().property.seconds = entry->seconds;
  return decided;
}

Decided decided_once(const model::AttentionModel& model, const Options& options,
                     const std::string& part, const std::function<Decided()>& make) {
  return all_decided_once(model, options, part, [&] { return std::vector{make()}; }).front();
}

json::Value found_once(const model::AttentionModel& model, const Options& options,
                       const std::string& part,
                       const std::function<bool(const json::Value&)>& usable,
                       const std::function<json::Value()>& make) {
  if (options.journal == nullptr) return make();
  const auto entry = entry_of(key_of(model, options, part), options, usable, make);
  return entry ? entry->result : json::Value(nullptr);
}

PieceSharing piece_sharing(const model::AttentionModel& model, const Options& options,
                           Workers& workers) {
  PieceSharing sharing{&workers, options.begin, {}, {}};
  if (options.journal == nullptr) return sharing;
  sharing.find = [&](const std::string& name) {
    auto there = options.journal->find(key_of(model, options, name));
    return there ? std::move(there->result) : json::Value(nullptr);
  };
  sharing.keep = [&](const std::string& name, const json::Value& piece, double seconds) {
    options.journal->keep(key_of(model, options, name), {piece, seconds});
  };
  return sharing;
}

exact::Error part_missing(const std::string& part) {
  return {"SP1901", part,
          "is not in the journal; run certify again with the same models, options and --journal"};
}

std::optional<exact::Error> first_failure(const std::vector<Decided>& decided) {
  const auto found = std::find_if(decided.begin(), decided.end(),
                                  [](const Decided& one) { return one.failure.has_value(); });
  return found == decided.end() ? std::nullopt : found->failure;
}

}  // namespace sinkproof::certify
