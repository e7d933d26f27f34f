#include "language/cover_form.hpp"

#include <gmp.h>

#include <algorithm>
#include <string>
#include <utility>

#include "exact/whole.hpp"
#include "language/cover.hpp"
#include "language/model_pass.hpp"
#include "language/pass.hpp"

namespace sinkproof::language {
namespace {

using certificate::Cover;
using certificate::CoverFigure;
using certificate::CoverStatement;
using certificate::TokenIds;
using exact::Integer;
using forward::Range;

// By symbol which of its choices a part of the product has.
using Places = std::vector<std::vector<std::size_t>>;

Places places_of(const IdProduct& whole, const IdProduct& part) {
  Places places(whole.size());
  for (std::size_t f = 0; f < whole.size(); ++f) {
    std::size_t at = 0;
    for (const std::uint32_t id : part[f]) {
      while (whole[f][at] != id) ++at;
      places[f].push_back(at);
    }
  }
  return places;
}

// The margin on parts of a product, from a row of logits. All differences of two logits are known
// to `slack`.
class Margins {
 public:
  Margins(const Form& logits, const TokenIds& answers) : logits_(logits), answers_(answers) {
    slack_ = 2 * logits.centre.radius[0];
    for (const Term& term : logits.terms) {
      slack_ += 2 * *std::max_element(term.rows.radius.begin(), term.rows.radius.end());
      values_.emplace_back(term.rows.rows());
      least_.emplace_back(term.rows.rows());
    }
    tops_.resize(values_.size());
  }

  // Of the sequences of a part, whose target is one. For each choice of one symbol, some answer may
  // exceed it.
  Range of(const Places& places, std::uint32_t target) {
    Range margin;
    bool is_first = true;
    for (const std::uint32_t other : answers_) {
      if (other == target) continue;
      const Range own = difference(places, target, other, is_first);
      margin = is_first
                   ? own
                   : Range{std::min(margin.lower, own.lower), std::min(margin.upper, own.upper)};
      is_first = false;
    }
    for (std::size_t n = 0; n < least_.size(); ++n) {
      const Term& term = logits_.terms[n];
      if (term.is_number()) continue;
      const Integer* most = nullptr;
      for (const std::size_t t : places[term.symbol]) {
        if (most == nullptr || least_[n][t] > *most) most = &least_[n][t];
      }
      margin.upper = std::min(margin.upper, *most);
    }
    return {margin.lower - slack_, margin.upper + slack_};
  }

 private:
  // One logit less another; and the least such upper end where one choice is given.
  Range difference(const Places& places, std::uint32_t a, std::uint32_t b, bool is_first) {
    const Integer middle = logits_.centre.centre(0, a) - logits_.centre.centre(0, b);
    Range all{middle, middle};
    for (std::size_t n = 0; n < values_.size(); ++n) {
      const Term& term = logits_.terms[n];
      if (term.is_number()) {
        tops_[n] = magnitude(term.rows.centre(0, a) - term.rows.centre(0, b));
        all = all + Range{-tops_[n], tops_[n]};
        continue;
      }
      const Integer* bottom = nullptr;
      const Integer* top = nullptr;
      for (const std::size_t t : places[term.symbol]) {
        Integer& value = values_[n][t];
        mpz_sub(raw(value), raw(term.rows.centre(t, a)), raw(term.rows.centre(t, b)));
        if (bottom == nullptr || value < *bottom) bottom = &value;
        if (top == nullptr || value > *top) top = &value;
      }
      tops_[n] = *top;
      all = all + Range{*bottom, *top};
    }
    for (std::size_t n = 0; n < values_.size(); ++n) {
      const Term& term = logits_.terms[n];
      if (term.is_number()) continue;
      const Integer others = all.upper - tops_[n];
      for (const std::size_t t : places[term.symbol]) {
        mpz_add(raw(values_[n][t]), raw(values_[n][t]), raw(others));
        if (is_first || values_[n][t] < least_[n][t]) least_[n][t] = values_[n][t];
      }
    }
    return all;
  }

  const Form& logits_;
  const TokenIds& answers_;
  Integer slack_;
  std::vector<std::vector<Integer>> values_;  // by term and choice
  std::vector<std::vector<Integer>> least_;
  std::vector<Integer> tops_;  // by term
};

Range margin_of(const Cover& cover, const Form& logits, const IdProduct& product) {
  const TokenIds answers = certificate::listed(cover.answers);
  Margins margins(logits, answers);
  std::optional<Range> margin;
  by_target(cover, product, [&](const IdProduct& part, std::uint32_t target) {
    const Range own = margins.of(places_of(product, part), target);
    margin = margin ? forward::hull(*margin, own) : own;
    return true;
  });
  return *margin;
}

}  // namespace

// Rows of a row's form: its choices, and a number for each weight, activation and norm.
// FORM_RULES.md.
exact::Result<void> check_form(const Cover& cover, const Model& model) {
  const Config& config = model.config;
  const std::size_t length = cover.positions.size();
  Integer rows = 1;
  for (const certificate::IdSet& ids : cover.free_sets()) rows += certificate::size_of(ids);
  rows += Integer(config.layers) * (length * config.heads + 2 * config.heads + 68);
  std::uint64_t widest = std::max(config.width, config.heads * config.head_width);
  for (const Layer& layer : model.layers) {
    if (layer.mlp_in) widest = std::max<std::uint64_t>(widest, layer.mlp_in->out);
  }
  const Integer words =
      rows * (cover.precision / 64 + 4) * Integer(length * 10 * widest + model.vocabulary());
  if (words <= kMostWords) return {};
  return exact::fail("SP0901", "by", "a leaf by form would hold more than 2^31 words");
}

std::optional<FormFigures> form_figures(const Cover& cover, const Model& model,
                                        const IdProduct& product,
                                        const forward::Observer<ModelForms>& watch) try {
  const std::size_t length = cover.positions.size();
  const std::vector<const CoverStatement*> asked = cover.figures();
  FormFigures found{{}, std::vector<Range>(asked.size())};
  forward::Observer<ModelForms> observer = watch;
  observer.head = [&](const forward::HeadRows<ModelForms>& rows) {
    for (std::size_t n = 0; n < asked.size(); ++n) {
      const CoverStatement& one = *asked[n];
      if (one.figure == CoverFigure::kAttention && one.layer == rows.layer &&
          one.head == rows.head) {
        found.figures[n] = rows.weights.back()[one.key - 1];
      }
    }
    if (watch.head) watch.head(rows);
  };
  std::vector<Choice> tokens;
  for (const std::size_t free : cover.free_numbers()) tokens.push_back({free});
  ModelForms numbers(model.config, length, product, cover.precision);
  ModelPass<ModelForms> pass(numbers, model);
  const std::vector<Run<Choice>> runs = {{tokens, {}}};
  const Forms last = pass.output(pass.hidden<Choice>(runs, observer, length - 1));
  Forms logits;
  numbers.map(*model.head, last, 0, logits, "logits");
  found.margin = margin_of(cover, logits.front(), product);
  for (std::size_t n = 0; n < asked.size(); ++n) {
    if (asked[n]->figure == CoverFigure::kMargin) found.figures[n] = found.margin;
    if (asked[n]->figure == CoverFigure::kLogit) {
      found.figures[n] = entry_of(logits.front(), asked[n]->id);
    }
  }
  return found;
} catch (const forward::TooCoarse&) {
  return std::nullopt;
}

}  // namespace sinkproof::language
