#include "language/cover_check.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "certificate/cover.hpp"
#include "certificate/rule.hpp"
#include "language/cover.hpp"
#include "language/cover_form.hpp"
#include "language/cover_product.hpp"
#include "language/find.hpp"

namespace sinkproof::check {
namespace {

namespace fs = std::filesystem;
using certificate::Cover;
using certificate::CoverFigure;
using certificate::CoverNode;
using certificate::CoverProof;
using certificate::CoverStatement;
using certificate::CoverVerdict;
using certificate::IdRange;
using certificate::IdSet;
using exact::Integer;
using exact::Rational;
using forward::Range;

class CoverCheck {
 public:
  CoverCheck(const Cover& stated, const language::Model& model)
      : stated_(stated),
        model_(model),
        most_(language::batch_of(stated, model)),
        number_(stated.free_numbers()),
        sets_(stated.free_sets()),
        figures_(stated.figures()) {}

  // Gives the counts.
  std::string run() {
    if (stated_.has(CoverProof::kProduct)) product_ = language::CoverProduct::of(stated_, model_);
    walk(stated_.cover, "cover");
    decide();
    for (const CoverStatement& one : stated_.statements) {
      if (one.figure == CoverFigure::kAccuracy) require_counts(one);
    }
    for (std::size_t n = 0; n < figures_.size(); ++n) require_within(n);
    const auto shown = [&](std::size_t n) { return exact::to_string(Rational(counts_[n])); };
    return "right " + shown(0) + ", wrong " + shown(1) + ", undecided " + shown(2);
  }

 private:
  void walk(const CoverNode& node, const std::string& where) {
    if (node.verdict) return leaf(node, where);
    IdSet& ids = sets_[number_[node.position - 1]];
    require_partition(ids, node, where);
    IdSet whole = ids;
    for (std::size_t i = 0; i < node.parts.size(); ++i) {
      ids = node.parts[i].ids;
      walk(node.parts[i].node, where + ".parts[" + std::to_string(i) + "].node");
    }
    ids = std::move(whole);
  }

  // The parts' sets are disjoint, and together the node's.
  static void require_partition(const IdSet& ids, const CoverNode& node, const std::string& where) {
    IdSet all;
    for (const CoverNode::Part& part : node.parts) {
      all.insert(all.end(), part.ids.begin(), part.ids.end());
    }
    std::sort(all.begin(), all.end());
    IdSet joined;
    for (const IdRange& range : all) {
      require(joined.empty() || joined.back().last < range.first, where,
              "two parts hold id " + std::to_string(range.first));
      if (!joined.empty() && joined.back().last + 1 == range.first) {
        joined.back().last = range.last;
      } else {
        joined.push_back(range);
      }
    }
    require(joined == ids, where, "the parts together are not the set that they split");
  }

  void leaf(const CoverNode& node, const std::string& where) {
    const CoverVerdict verdict = *node.verdict;
    Integer count = 1;
    for (const IdSet& ids : sets_) count *= certificate::size_of(ids);
    counts_[static_cast<std::size_t>(verdict)] += count;
    if (node.by == CoverProof::kProduct) return show(verdict, where);
    if (node.by == CoverProof::kForm) return show_form(verdict, where);
    if (verdict == CoverVerdict::kUndecided && figures_.empty()) return;
    language::SequenceOrder order(stated_, sets_);
    language::CoverSequence next;
    while (order.next(next.tokens)) {
      next.target = language::target_of(stated_, next.tokens);
      batch_.push_back(next);
      verdicts_.emplace_back(verdict, where);
      if (batch_.size() == most_) decide();
    }
  }

  // The verdict of the product of the node's sets, for each id of the last position.
  void show(CoverVerdict verdict, const std::string& where) {
    require(product_.has_value(), "precision", "is too low for this model");
    language::IdProduct product;
    for (const IdSet& ids : sets_) product.push_back(certificate::listed(ids));
    certificate::TokenIds& last = product[product_->last_free()];
    for (const std::uint32_t id : certificate::TokenIds(last)) {
      last = {id};
      if (!last_ || last_->id != id) last_ = product_->last(id);
      require(last_.has_value(), "precision", "is too low for this model");
      require(product_->shows(verdict, *last_, product), where,
              std::string("the sequences with last id ") + std::to_string(id) +
                  " are not shown to be " + (verdict == CoverVerdict::kRight ? "right" : "wrong"));
    }
  }

  // The verdict and the figures of the node's sets, of one pass.
  void show_form(CoverVerdict verdict, const std::string& where) {
    language::IdProduct product;
    for (const IdSet& ids : sets_) product.push_back(certificate::listed(ids));
    const auto found = language::form_figures(stated_, model_, product);
    require(found.has_value(), where, "is too large for the precision, or for this model");
    require(verdict != CoverVerdict::kRight || found->margin.lower > 0, where,
            "the sequences are not shown to be right");
    require(verdict != CoverVerdict::kWrong || found->margin.upper < 0, where,
            "the sequences are not shown to be wrong");
    add(found->figures);
  }

  // Those of a sequence, or of many.
  void add(const std::vector<Range>& figures) {
    for (std::size_t n = 0; n < figures.size(); ++n) {
      if (extremes_.size() == n) extremes_.emplace_back(figures[n]);
      extremes_[n].add(figures[n]);
    }
  }

  // What is in the batch.
  void decide() {
    if (batch_.empty()) return;
    const auto found = language::cover_figures(stated_, model_, batch_);
    require(found.has_value(), "precision", "is too low for this model");
    for (std::size_t s = 0; s < batch_.size(); ++s) {
      const auto& [verdict, where] = verdicts_[s];
      const Range& margin = (*found)[s].front();
      require(verdict != CoverVerdict::kRight || margin.lower > 0, where,
              "a sequence is not shown to be right");
      require(verdict != CoverVerdict::kWrong || margin.upper < 0, where,
              "a sequence is not shown to be wrong");
      add({(*found)[s].begin() + 1, (*found)[s].end()});
    }
    batch_.clear();
    verdicts_.clear();
  }

  void require_counts(const CoverStatement& one) const {
    require(one.right == counts_[0] && one.wrong == counts_[1] && one.undecided == counts_[2],
            "accuracy", "right, wrong and undecided are not the cover's counts");
  }

  void require_within(std::size_t n) const {
    const Rational unit(Integer(1) << stated_.precision);
    const auto within = [&](const std::vector<Rational>& ends, const Range& found) {
      return ends[0] * unit <= Rational(found.lower) && Rational(found.upper) <= ends[1] * unit;
    };
    const std::string where = "figure " + std::to_string(n);
    require(within(figures_[n]->least, extremes_[n].least), where,
            "the least is not shown to lie within");
    require(within(figures_[n]->greatest, extremes_[n].greatest), where,
            "the greatest is not shown to lie within");
  }

  const Cover& stated_;
  const language::Model& model_;
  std::size_t most_;                 // of a batch
  std::vector<std::size_t> number_;  // Cover::free_numbers
  std::vector<IdSet> sets_;          // of the node, by free position
  std::vector<const CoverStatement*> figures_;
  std::vector<language::Extremes> extremes_;          // of figures_, once a sequence was evaluated
  std::array<Integer, 3> counts_;                     // by verdict
  std::optional<language::CoverProduct> product_;     // where a leaf needs it
  std::optional<language::CoverProduct::Last> last_;  // of the id that was last asked for
  std::vector<language::CoverSequence> batch_;
  std::vector<std::pair<CoverVerdict, std::string>> verdicts_;  // of the batch, and whose they are
};

}  // namespace

LanguageVerified verify_cover(const json::Value& certificate, const std::vector<fs::path>& roots,
                              const fs::path& file) {
  const Cover stated = certificate::read_cover(certificate);
  const auto folder = find_language_model(stated.model, roots, file);
  value_of(language::check_cover(stated, folder->model()));
  const language::Model& model = folder->model();
  if (stated.has(CoverProof::kProduct)) value_of(language::check_product(stated, model));
  if (stated.has(CoverProof::kForm)) value_of(language::check_form(stated, model));
  return {CoverCheck(stated, model).run(), model.remarks(), model.scope()};
}

}  // namespace sinkproof::check
