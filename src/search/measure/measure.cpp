#include "measure/measure.hpp"

#include <algorithm>
#include <utility>

namespace sinkproof::measure {
namespace {

using exact::fail;
using exact::Rational;
using exact::Result;

std::string place_of(const Subject& subject) {
  return subject.input->path + ": " + subject.tokens.tensor.substr(0, 80);
}

Result<void> check_widths(const Subject& subject) {
  if (!subject.head) return {};
  const std::size_t width = subject.tokens.rows.columns();
  if (subject.head->value.columns() == width) return {};
  return fail("SP1505", place_of(subject),
              "rows of " + std::to_string(width) + " numbers, but the head's W_V reads " +
                  std::to_string(subject.head->value.columns()));
}

Result<void> check_numbers(const Subject& subject, const Request& request) {
  const std::size_t count = subject.tokens.rows.rows();
  if (request.anchor && *request.anchor >= count) {
    return fail("SP1506", "--anchor " + std::to_string(*request.anchor),
                "there are " + std::to_string(count) + " vectors, counted from 0");
  }
  if (!request.vectors) return {};
  if (request.vectors->empty())
    return fail("SP1503", "--vectors", "is empty; name at least one vector");
  for (std::size_t i = 0; i < request.vectors->size(); ++i) {
    const std::size_t k = (*request.vectors)[i];
    if (k >= count || (i > 0 && (*request.vectors)[i - 1] >= k)) {
      return fail("SP1506", "--vectors " + std::to_string(k),
                  "the numbers must increase and lie below " + std::to_string(count));
    }
  }
  return {};
}

std::vector<std::size_t> chosen_vectors(const Subject& subject, const Request& request) {
  if (request.vectors) return *request.vectors;
  std::vector<std::size_t> all(subject.tokens.rows.rows());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
  return all;
}

bool same_row(const DyadicMatrix& rows, std::size_t a, std::size_t b) {
  for (std::size_t j = 0; j < rows.columns(); ++j) {
    if (rows.entries(a, j) != rows.entries(b, j)) return false;
  }
  return true;
}

// The chosen vectors whose token is another one than the anchor's: every sequence brings its own
// copy of BOS.
std::vector<std::size_t> others_than(std::size_t anchor, const std::vector<std::size_t>& chosen,
                                     const DyadicMatrix& tokens) {
  std::vector<std::size_t> others;
  for (const std::size_t k : chosen) {
    if (!same_row(tokens, anchor, k)) others.push_back(k);
  }
  return others;
}

SmoothingReport smoothing_report(const Subject& subject, const Rational& beta) {
  const std::size_t length = std::min(subject.length, subject.tokens.rows.rows());
  SmoothingReport report;
  report.figures = smoothing(*subject.head, subject.tokens.rows, beta);
  report.norm_turning_point = norm_turning_point(report.figures);
  report.inputs = average_cosine(subject.tokens.rows, length);
  report.diagonal = attended_cosine(*subject.head, subject.tokens.rows, beta, false, length);
  report.uniform = attended_cosine(*subject.head, subject.tokens.rows, beta, true, length);
  if (length < 2) return report;
  report.cosine_turning_points = cosine_turning_points(report.figures, length - 1, length);
  report.predicted_diagonal = predicted_cosine(report.figures, 0, length);
  report.predicted_uniform = predicted_cosine(report.figures, 1, length);
  return report;
}

certificate::VectorSource source_of(const Subject& subject) {
  certificate::VectorSource source{subject.input->sha256, subject.tokens.tensor, {}};
  if (subject.head) {
    const ValueHead& head = *subject.head;
    source.head = {subject.model->sha256, head.prefix, head.num_heads, head.head};
  }
  return source;
}

// One measurement in the making: each function adds what its property finds.
class Measuring {
 public:
  Measuring(const Subject& subject, const Request& request)
      : subject_(subject), request_(request), chosen_(chosen_vectors(subject, request)) {
    result_.anchor = request.anchor;
    if (!result_.anchor && subject.head) result_.anchor = 0;
  }

  Result<void> add(Kind kind) {
    switch (kind) {
      case Kind::kHullDistance:
        return add_hulls();
      case Kind::kHalfSpace:
        result_.hulls.push_back({"half-space", hull_distance(gram(), chosen_)});
        return {};
      case Kind::kSwitch:
        return add_switches();
      case Kind::kSmoothing:
        return add_smoothing();
      case Kind::kRepresentable:
        return add_representable();
    }
    return {};
  }

  Measurement finish(const std::string& claim_hash) {
    std::vector<const Property*> properties;
    for (const NamedHull& named : result_.hulls) properties.push_back(&named.hull.property);
    for (const SwitchBounds& bounds : result_.switches) properties.push_back(&bounds.property);
    if (result_.smoothing) properties.push_back(&result_.smoothing->figures.property);
    for (const PatternAnswer& answer : result_.patterns) {
      if (answer.found) properties.push_back(&answer.found->property);
    }
    result_.certificate = vector_certificate(source_of(subject_), claim_hash, properties);
    return std::move(result_);
  }

 private:
  const exact::RationalMatrix& gram() {
    if (gram_.rows() == 0) {
      gram_ = gram_matrix(subject_.head ? values_of(*subject_.head, subject_.tokens.rows)
                                        : subject_.tokens.rows);
    }
    return gram_;
  }

  Result<void> add_hulls() {
    result_.hulls.push_back({"hull-distance", hull_distance(gram(), chosen_)});
    if (!result_.anchor) return {};
    return add_hull_without_anchor();
  }

  Result<void> add_hull_without_anchor() {
    if (without_anchor() != nullptr) return {};
    auto others = others_than(*result_.anchor, chosen_, subject_.tokens.rows);
    if (others.empty()) {
      return fail("SP1503", place_of(subject_),
                  "has no vector besides the anchor's; name more with --vectors");
    }
    result_.hulls.push_back({kWithoutAnchor, hull_distance(gram(), others)});
    return {};
  }

  [[nodiscard]] const HullDistance* without_anchor() const {
    for (const NamedHull& named : result_.hulls) {
      if (named.name == kWithoutAnchor) return &named.hull;
    }
    return nullptr;
  }

  Result<void> add_switches() {
    if (!result_.anchor) result_.anchor = 0;
    if (auto done = add_hull_without_anchor(); !done) return done;
    result_.asked_switch = true;
    result_.switches = best_switch_bounds(gram(), *result_.anchor, *without_anchor());
    return {};
  }

  Result<void> add_smoothing() {
    const std::size_t width = subject_.tokens.rows.columns();
    if (subject_.head->output.rows() != width) {
      return fail("SP1507", place_of(subject_),
                  "smoothing needs outputs of the inputs' width " + std::to_string(width) +
                      "; W_O has " + std::to_string(subject_.head->output.rows()) + " rows");
    }
    result_.smoothing = smoothing_report(subject_, request_.beta);
    return {};
  }

  // Row 0 or the anchor as BOS, the other chosen rows one group.
  Result<Roles> anchored_roles() {
    if (!result_.anchor) result_.anchor = 0;
    auto others = others_than(*result_.anchor, chosen_, subject_.tokens.rows);
    if (others.empty()) {
      return fail("SP1503", place_of(subject_),
                  "has no row besides the anchor's; name more with --vectors");
    }
    return Roles{*result_.anchor, {std::move(others)}, {}};
  }

  Result<std::vector<certificate::Pattern>> demanded_patterns() {
    const PatternDemand& demand = request_.demand;
    std::vector<certificate::Pattern> patterns;
    if (!demand.kinds.empty()) {
      const auto roles = demand.roles ? Result<Roles>(*demand.roles) : anchored_roles();
      if (!roles) return tl::unexpected(roles.error());
      for (const certificate::PatternKind kind : demand.kinds) {
        patterns.push_back(pattern_of(kind, *roles, demand.margin));
      }
    }
    if (demand.constraints) patterns.push_back(*demand.constraints);
    return patterns;
  }

  Result<void> add_representable() {
    const std::size_t count = subject_.tokens.rows.rows();
    if (count > kMostPatternRows) {
      return fail(
          "SP1614", place_of(subject_),
          std::to_string(count) + " rows, but at most 256 can be certified; give a smaller tensor");
    }
    const auto patterns = demanded_patterns();
    if (!patterns) return tl::unexpected(patterns.error());
    const DyadicMatrix products = exact_gram(subject_.tokens.rows);
    for (const certificate::Pattern& pattern : *patterns) {
      const auto system = margin_system(pattern);
      if (!system) return tl::unexpected(system.error());
      auto found = representable(products, pattern, *system);
      if (!found && found.error().code != "SP1611") return tl::unexpected(found.error());
      PatternAnswer answer{pattern, system->constraints.size(), std::nullopt};
      if (found) answer.found = std::move(*found);
      result_.patterns.push_back(std::move(answer));
    }
    return {};
  }

  static constexpr std::size_t kMostPatternRows = 256;  // VECTOR_RULES.md, 6.4 and 6.5
  static constexpr const char* kWithoutAnchor = "hull-distance without the anchor";

  const Subject& subject_;
  const Request& request_;
  std::vector<std::size_t> chosen_;
  exact::RationalMatrix gram_;
  Measurement result_;
};

}  // namespace

std::string to_string(Kind kind) {
  switch (kind) {
    case Kind::kHullDistance:
      return "hull-distance";
    case Kind::kHalfSpace:
      return "half-space";
    case Kind::kSwitch:
      return "switch";
    case Kind::kSmoothing:
      return "smoothing";
    case Kind::kRepresentable:
      return "representable";
  }
  return "";
}

bool applies(Kind kind, bool has_head) {
  if (kind == Kind::kHalfSpace || kind == Kind::kRepresentable) return !has_head;
  return kind != Kind::kSmoothing || has_head;
}

Result<Measurement> measure(const Subject& subject, const Request& request,
                            const std::string& claim_hash) {
  if (auto fits = check_widths(subject); !fits) return tl::unexpected(fits.error());
  if (auto fits = check_numbers(subject, request); !fits) return tl::unexpected(fits.error());
  Measuring measuring(subject, request);
  for (const Kind kind : kKinds) {
    const bool asked =
        std::find(request.kinds.begin(), request.kinds.end(), kind) != request.kinds.end();
    if (!asked || !applies(kind, subject.head.has_value())) continue;
    if (auto added = measuring.add(kind); !added) return tl::unexpected(added.error());
  }
  return measuring.finish(claim_hash);
}

}  // namespace sinkproof::measure
