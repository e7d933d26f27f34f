#include "gate/model_item.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "accept/accept.hpp"
#include "certificate/strict.hpp"
#include "check/limits.hpp"
#include "claim/refusal.hpp"
#include "gate/asked.hpp"
#include "gate/finding.hpp"
#include "gate/repository.hpp"
#include "language/folder.hpp"
#include "measure/cover.hpp"
#include "measure/cover_text.hpp"
#include "text/words.hpp"

namespace sinkproof::gate {
namespace {

using certificate::Cover;
using certificate::CoverFigure;
using certificate::CoverStatement;
using claim::Requirement;
using exact::Rational;
using exact::Result;

std::string shown(const exact::Integer& number) { return exact::to_string(Rational(number)); }

// Accuracy and margin, and what else thresholds are put to. SP1302.
Result<std::vector<CoverStatement>> asked_figures(const std::vector<Requirement>& requirements,
                                                  const language::Model& model,
                                                  std::size_t length) {
  std::vector<CoverStatement> figures(2);
  figures[1].figure = CoverFigure::kMargin;
  std::set<std::string> names = {"accuracy", "margin"};
  for (const Requirement& requirement : requirements) {
    const auto figure = measure::named_figure(requirement.property, model, length,
                                              "field \"require\" \"" + requirement.text + "\"");
    if (!figure) return tl::unexpected(figure.error());
    if (names.insert(measure::figure_name(*figure)).second) figures.push_back(*figure);
  }
  return figures;
}

class ModelSubject : public Subject {
 public:
  ModelSubject(const ModelRequest& request, const language::Folder& folder, Cover asked)
      : Subject(request), request_(request), folder_(folder), asked_(std::move(asked)) {}

  [[nodiscard]] certificate::Kind kind() const override { return certificate::Kind::kCover; }

  [[nodiscard]] Result<Parts> parts_of(
      const std::vector<Requirement>& requirements) const override {
    const std::size_t length = asked_.positions.size();
    const auto figures = asked_figures(requirements, folder_.model(), length);
    if (!figures) return tl::unexpected(figures.error());
    std::vector<std::string> known = {"accuracy", "right", "wrong"};
    for (const CoverStatement& figure : *figures) {
      const std::string name = measure::figure_name(figure);
      if (name != "accuracy") known.insert(known.end(), {name + ".least", name + ".greatest"});
    }
    Parts parts;
    for (const Requirement& requirement : requirements) {
      auto expanded = claim::expand(requirement, known, length, "field \"require\"");
      if (!expanded) return tl::unexpected(expanded.error());
      parts.push_back(*std::move(expanded));
    }
    return parts;
  }

  [[nodiscard]] Result<Stated> read(const json::Value& value) const override {
    const auto cover = certificate::result_of([&] { return certificate::read_cover(value); });
    if (!cover) return tl::unexpected(cover.error());
    Stated stated;
    stated.stale = why_not_about(*cover);
    if (!stated.stale.empty()) return stated;
    stated.bounds = bounds_of(*cover);
    stated.how = ", over " + shown(cover->count()) +
                 (cover->count() == 1 ? " sequence of " : " sequences of ") +
                 text::counted(cover->positions.size(), "token");
    for (const CoverStatement& one : cover->statements) {
      if (one.figure != CoverFigure::kAccuracy || one.undecided == 0) continue;
      stated.stale_if_open = "its certificate leaves " + shown(one.undecided) +
                             " sequences undecided; give more time in field \"seconds\"";
    }
    return stated;
  }

  [[nodiscard]] check::Outcome check(const json::Value& certificate) const override {
    return check::within(request_.limits, [&] { return checked(certificate); });
  }

  [[nodiscard]] Result<json::Value> make(
      const std::vector<Requirement>& requirements) const override {
    auto figures = asked_figures(requirements, folder_.model(), asked_.positions.size());
    if (!figures) return tl::unexpected(figures.error());
    Cover asked = asked_;
    asked.statements = *std::move(figures);
    auto found = measure::find_cover(
        {folder_, std::move(asked), request_.item.seconds, request_.jobs}, [&](double share) {
          if (request_.progress) request_.progress("rigorous pass", share);
        });
    if (!found) return tl::unexpected(found.error());
    const auto accepted = accept::ask_about_cover(found->certificate, request_.item.folder);
    if (!accepted) {
      return tl::unexpected(claim::refusal(request_.certificate.string(), accepted.error()));
    }
    return std::move(found->certificate);
  }

 private:
  // Why the certificate is not about this model and these inputs; "" when it is.
  [[nodiscard]] std::string why_not_about(const Cover& stated) const {
    if (stated.claim_sha256 != asked_.claim_sha256) {
      return "its certificate was made for another definition of the properties";
    }
    if (stated.model.files != folder_.files()) {
      return "its certificate is about other files than those of the model's folder";
    }
    if (stated.model.assumed_neutral != folder_.model().config.assumed_neutral) {
      return "its certificate reads other keys of config.json as absent";
    }
    if (stated.positions != asked_.positions) return "its certificate is about other positions";
    if (stated.answers != asked_.answers) return "its certificate is about other answers";
    if (!(stated.target == asked_.target)) return "its certificate is about another target";
    return "";
  }

  [[nodiscard]] check::Outcome checked(const json::Value& certificate) const {
    return check::check_cover(certificate, {request_.item.folder});
  }

  const ModelRequest& request_;
  const language::Folder& folder_;
  Cover asked_;  // without statements
};

// What thresholds are about, without statements.
Result<Cover> read_asked(const ModelRequest& request, const language::Folder& folder) {
  const ModelItem& item = request.item;
  const measure::CoverTexts texts{
      item.positions, item.answers,
      item.table.empty() ? item.target : "table " + item.table.string()};
  auto asked = measure::read_cover_texts(texts, folder.model().vocabulary());
  if (!asked) return tl::unexpected(asked.error());
  const auto shipped = shipped_folder();
  if (!shipped) return tl::unexpected(shipped.error());
  const auto hash = accept::claim_text_hash("cover", *shipped / "proofs", request.certificate);
  if (!hash) return tl::unexpected(hash.error());
  asked->claim_sha256 = *hash;
  return asked;
}

}  // namespace

std::vector<CertifiedBounds> bounds_of(const Cover& stated) {
  std::vector<CertifiedBounds> bounds;
  const Rational all(stated.count());
  for (const CoverStatement& one : stated.statements) {
    if (one.figure == CoverFigure::kAccuracy) {
      const Rational right(one.right);
      const Rational wrong(one.wrong);
      const Rational undecided(one.undecided);
      bounds.push_back({"accuracy", right / all, (right + undecided) / all});
      bounds.push_back({"right", right, right + undecided});
      bounds.push_back({"wrong", wrong, wrong + undecided});
      continue;
    }
    const std::string name = measure::figure_name(one);
    bounds.push_back({name + ".least", one.least[0], one.least[1]});
    bounds.push_back({name + ".greatest", one.greatest[0], one.greatest[1]});
  }
  return bounds;
}

Decision decide_model(const ModelRequest& request, std::vector<ci::Finding> blanks) {
  const ModelItem& item = request.item;
  const auto lacking = [&](const exact::Error& error) {
    return Decision{all(std::move(blanks), [&](ci::Finding& each) { lack(each, error); }), {}};
  };
  const auto folder =
      language::open_folder(item.folder, {item.assume_neutral.begin(), item.assume_neutral.end()});
  if (!folder) return lacking(folder.error());
  const auto asked = read_asked(request, **folder);
  if (!asked) return lacking(asked.error());
  const ModelSubject subject(request, **folder, *asked);
  Decision decision{decide_bounds(subject, item.require, std::move(blanks)),
                    asked_of(request, **folder, *asked)};
  const std::string remarks = (*folder)->model().remarks();
  for (ci::Finding& finding : decision.findings) {
    if (remarks.empty()) break;
    finding.assumptions.push_back(remarks);
    finding.message += "; " + remarks;
  }
  return decision;
}

}  // namespace sinkproof::gate
