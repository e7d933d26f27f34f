#include "report/smoothing_block.hpp"

#include <fmt/format.h>

#include "report/bound_text.hpp"
#include "report/chart/interval_plot.hpp"
#include "report/chart/xy_chart.hpp"
#include "report/status.hpp"
#include "rounded/square_root.hpp"

namespace sinkproof::report {
namespace {

using exact::Enclosure;
using exact::Rational;

constexpr int kCurvePoints = 40;
constexpr int kTablePoints = 4;

Enclosure operator+(const Enclosure& a, const Enclosure& b) {
  return {a.lower + b.lower, a.upper + b.upper};
}

// factor >= 0.
Enclosure times(const Rational& factor, const Enclosure& a) {
  return {factor * a.lower, factor * a.upper};
}

std::string sign_words(const char* name, const Enclosure& value) {
  const char* sign = value.lower > 0                        ? "&gt; 0"
                     : value.upper < 0                      ? "&lt; 0"
                     : value.lower == 0 && value.upper == 0 ? "= 0"
                     : value.lower == 0                     ? "≥ 0"
                     : value.upper == 0                     ? "≤ 0"
                                                            : "of undecided sign";
  return fmt::format("{} {}", name, sign);
}

std::string conclusion(const Smoothing& smoothing) {
  switch (smoothing_case(smoothing)) {
    case SmoothingCase::kIncreases:
      return "Dense attention smooths more: the cosine strictly increases with λ (sm-2 a).";
    case SmoothingCase::kDecreases:
      return "Dense attention smooths less: the cosine strictly decreases wherever it is not "
             "negative (sm-2 b).";
    case SmoothingCase::kBalanced:
      return "Dense attention smooths less: the cosine strictly decreases (sm-2 c).";
    case SmoothingCase::kTurns:
      return fmt::format(
          "The norms turn at λ = 1 + s/t in {}; the cosine increases at least up to there (sm-2 "
          "d).",
          interval_text(turning_point(smoothing)));
    case SmoothingCase::kConstant:
      return "The head adds the same to every row: norms and cosine do not depend on λ (sm-1).";
    case SmoothingCase::kNotDecided:
      break;
  }
  return "sm-2 does not decide: the certified intervals leave a sign open.";
}

std::string numbers_table(const Smoothing& smoothing) {
  const auto cell = [](const char* name, const Enclosure& value) {
    return fmt::format(R"(<tr><th scope="row">{}</th><td class="num">{}</td></tr>)"
                       "\n",
                       name, interval_text(value));
  };
  return "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Certified "
         "numbers\"><table class=\"dense\"><thead><tr><th "
         "scope=\"col\">Number</th><th scope=\"col\">lies in</th></tr></thead><tbody>\n" +
         cell("s = β tr(BW)", smoothing.s) + cell("t = tr(BWᵀW)", smoothing.t) +
         cell("s + t", smoothing.s_plus_t) +
         cell("N₀, squared norm of the mean", smoothing.mean_norm) +
         cell("tr B, spread of the tokens", smoothing.spread) + "</tbody></table></div>\n";
}

Chart norm_chart(const Smoothing& smoothing, std::size_t count, const std::string& id) {
  Chart chart;
  chart.id = id + "-norm";
  chart.title = fmt::format("Predicted squared norm of row {}", count);
  chart.description = fmt::format(
      "From {} at λ = 0 to {} at λ = 1. A prediction of sm-1 for independent tokens, not a bound.",
      interval_text(predicted_square(smoothing, count, 0)),
      interval_text(predicted_square(smoothing, count, 1)));
  chart.x_label = "λ: attention from diagonal to uniform";
  chart.y_label = fmt::format("mean squared norm of row {}", count);
  Curve curve{"sm-1’s prediction, independent tokens", Look::kDiagonal, Stroke::kSolid, {}};
  for (int k = 0; k <= kCurvePoints; ++k) {
    const Rational lambda = exact::make_rational(k, kCurvePoints);
    const Enclosure value = predicted_square(smoothing, count, lambda);
    curve.points.push_back({lambda, value.lower, value.upper});
  }
  chart.curves.push_back(std::move(curve));
  return chart;
}

Chart cosine_chart(const Smoothing& smoothing, std::size_t count, const std::string& id) {
  Chart chart;
  chart.id = id + "-cosine";
  chart.title = fmt::format("Predicted cosine of rows {} and {}", count - 1, count);
  chart.x_label = "λ: attention from diagonal to uniform";
  chart.y_label = fmt::format("cosine of rows {} and {}", count - 1, count);
  chart.y_from_zero = false;
  Curve curve{"sm-1’s prediction, independent tokens", Look::kSink, Stroke::kSolid, {}};
  for (int k = 0; k <= kCurvePoints; ++k) {
    const Rational lambda = exact::make_rational(k, kCurvePoints);
    const auto value = predicted_cosine(smoothing, count - 1, lambda);
    if (!value) return {};
    curve.points.push_back({lambda, value->lower, value->upper});
  }
  const IntervalAt& first = curve.points.front();
  const IntervalAt& last = curve.points.back();
  chart.description = fmt::format(
      "From {} at λ = 0 to {} at λ = 1. A prediction of sm-1 for independent tokens, not a bound.",
      interval_text({first.lower, first.upper}), interval_text({last.lower, last.upper}));
  chart.curves.push_back(std::move(curve));
  return chart;
}

std::string prediction_table(const Smoothing& smoothing, std::size_t count) {
  std::string rows;
  for (int k = 0; k <= kTablePoints; ++k) {
    const Rational lambda = exact::make_rational(k, kTablePoints);
    const auto cosine = count > 1 ? predicted_cosine(smoothing, count - 1, lambda) : std::nullopt;
    rows += fmt::format(
        R"(<tr><td class="num">{}</td><td class="num">{}</td><td class="num">{}</td></tr>)"
        "\n",
        down(lambda), interval_text(predicted_square(smoothing, count, lambda)),
        cosine ? interval_text(*cosine) : "—");
  }
  return fmt::format(
             "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Predicted norms and "
             "cosines\"><table class=\"dense\"><thead><tr><th "
             "scope=\"col\">λ</th><th scope=\"col\">Squared norm of row {}</th>"
             "<th scope=\"col\">Cosine with the row before</th></tr></thead><tbody>\n",
             count) +
         rows + "</tbody></table></div>\n";
}

std::string prediction(const Smoothing& smoothing, std::size_t count, const std::string& id) {
  if (count == 0) {
    return "<p class=\"quiet\">No prediction: the vectors’ file was not given.</p>\n";
  }
  const std::string cosine = count > 1 ? xy_chart(cosine_chart(smoothing, count, id)) : "";
  return fmt::format(
             "<p class=\"quiet\">The charts show the prediction of sm-1 for row {} if the tokens "
             "were independent draws with this mean and covariance, and row i put weight 1 − λ on "
             "itself and λ on the mean of 1 to i. This is a prediction under those assumptions, "
             "not a statement about the head’s own attention.</p>\n",
             count) +
         "<div class=\"pair\"><div>" + xy_chart(norm_chart(smoothing, count, id)) + "</div><div>" +
         cosine + "</div></div>\n" + prediction_table(smoothing, count);
}

std::string smoothing_text(const Smoothing& smoothing, std::size_t count, const std::string& id,
                           const Outcome& outcome) {
  return fmt::format("<h4>Smoothing</h4>\n<p>{} {}, {}, {} at β = {}. <strong>{}</strong></p>\n",
                     property_badge(outcome, "enclosed"), sign_words("s", smoothing.s),
                     sign_words("t", smoothing.t), sign_words("s + t", smoothing.s_plus_t),
                     down(smoothing.beta), conclusion(smoothing)) +
         numbers_table(smoothing) + prediction(smoothing, count, id);
}

}  // namespace

SmoothingCase smoothing_case(const Smoothing& smoothing) {
  const auto& [beta, s, t, both, mean_norm, spread] = smoothing;
  if (t.upper == 0) return SmoothingCase::kConstant;
  if (both.upper < 0) return SmoothingCase::kDecreases;
  if (t.lower <= 0) return SmoothingCase::kNotDecided;
  if (s.lower >= 0) return SmoothingCase::kIncreases;
  if (both.lower == 0 && both.upper == 0 && mean_norm.lower > 0) return SmoothingCase::kBalanced;
  if (s.upper < 0 && both.lower > 0) return SmoothingCase::kTurns;
  return SmoothingCase::kNotDecided;
}

Enclosure turning_point(const Smoothing& smoothing) {
  const auto& [beta, s, t, both, mean_norm, spread] = smoothing;
  // 1 + s/t and (s + t)/t, whichever is known better on each side.
  const Rational lower_s = 1 + s.lower / t.lower;
  const Rational upper_s = 1 + s.upper / t.upper;
  return {exact::max(lower_s, both.lower / t.upper), exact::min(upper_s, both.upper / t.lower)};
}

Enclosure predicted_square(const Smoothing& smoothing, std::size_t i, const Rational& lambda) {
  const Rational theta = 1 - Rational(1) / Rational(i);
  const Rational rest = 1 - lambda;
  return smoothing.mean_norm + times(smoothing.beta * smoothing.beta, smoothing.spread) +
         times(2 * (1 - lambda * theta), smoothing.s) +
         times(1 - theta * (1 - rest * rest), smoothing.t);
}

std::optional<Enclosure> predicted_cosine(const Smoothing& smoothing, std::size_t i,
                                          const Rational& lambda) {
  const Enclosure a = predicted_square(smoothing, i, lambda);
  const Enclosure b = predicted_square(smoothing, i + 1, lambda);
  if (a.lower <= 0 || b.lower <= 0) return std::nullopt;
  const Enclosure dot = smoothing.mean_norm + times(lambda / Rational(i + 1), smoothing.s_plus_t);
  const Rational least = rounded::square_root(a.lower * b.lower).lower;
  const Rational most = rounded::square_root(a.upper * b.upper).upper;
  return Enclosure{dot.lower / (dot.lower >= 0 ? most : least),
                   dot.upper / (dot.upper >= 0 ? least : most)};
}

std::string smoothing_block(const Vectors& vectors, std::size_t count, const std::string& id,
                            const Outcome& outcome) {
  std::string text;
  std::size_t number = 0;
  for (const VectorProperty& property : vectors.properties) {
    if (const auto* smoothing = std::get_if<Smoothing>(&property)) {
      text +=
          smoothing_text(*smoothing, count, fmt::format("{}-smoothing-{}", id, ++number), outcome);
    }
  }
  return text;
}

}  // namespace sinkproof::report
