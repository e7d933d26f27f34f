#include "measure/language.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "certificate/strict.hpp"
#include "exact/whole.hpp"
#include "forward/elementary.hpp"
#include "language/readouts.hpp"
#include "measure/digits.hpp"
#include "measure/side_by_side.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::measure {
namespace {

using certificate::Language;
using certificate::LanguageQuestion;
using certificate::LanguageStatement;
using certificate::TokenIds;
using exact::Integer;
using exact::Rational;
using forward::Range;
using language::Numbers;

// What is left of a number's bits, at least and as it is asked for.
constexpr unsigned kEnough = 20;
constexpr unsigned kWanted = 48;
constexpr std::size_t kTrialTokens = 4;
constexpr int kMostTries = 2;

// Bits of the smallest number's that are known: of the width against the size, or against one.
int known_bits(const std::vector<Numbers>& numbers, unsigned p) {
  int least = static_cast<int>(p);
  for (const Numbers& list : numbers) {
    for (const Range& range : list) {
      const Integer width = range.upper - range.lower;
      if (width == 0) continue;
      const Integer size =
          std::max({Integer(1) << p, magnitude(range.lower), magnitude(range.upper)});
      const auto bits = [](const Integer& n) {
        return static_cast<int>(mpz_sizeinbase(raw(n), 2));
      };
      least = std::min(least, bits(size) - bits(width));
    }
  }
  return least;
}

// A precision whose numbers, a few bits above one, fill whole words.
unsigned rounded_up(int p) {
  constexpr int kWord = 64;
  constexpr int kAbove = 12;
  const int words = std::max(2, (p + kAbove + kWord - 1) / kWord);
  return std::min(forward::kMostPrecision, static_cast<unsigned>(words * kWord - kAbove));
}

// A pass over the first tokens shows how many bits a pass loses. Shares lose what alphas do.
std::optional<unsigned> precision_for(const LanguageRequest& request,
                                      const language::ForEach& each) {
  const language::Model& model = request.folder.model();
  std::vector<TokenIds> first = {request.sequences.front()};
  first.front().resize(std::min(kTrialTokens, first.front().size()));
  LanguageQuestion hidden;
  hidden.readout = certificate::LanguageReadout::kHiddenNorm;
  for (unsigned p = rounded_up(64 + 40 * static_cast<int>(model.config.layers));; p *= 2) {
    p = std::min(p, forward::kMostPrecision);
    const auto numbers = language::readouts(model, first, {hidden}, p, each);
    const int known = numbers ? known_bits(*numbers, p) : 0;
    if (known > 0) {
      return rounded_up(static_cast<int>(p) - known + static_cast<int>(kWanted));
    }
    if (p == forward::kMostPrecision) return std::nullopt;
  }
}

// What is never negative, by what it is; norms.
bool is_size(certificate::LanguageReadout readout) {
  using certificate::LanguageReadout;
  return readout == LanguageReadout::kMoved || readout == LanguageReadout::kHiddenNorm ||
         readout == LanguageReadout::kQueryNorm || readout == LanguageReadout::kKeyNorm ||
         readout == LanguageReadout::kValueNorm || readout == LanguageReadout::kBroadcastShare;
}

// With room for another checker's enclosure, in a few digits.
void state(LanguageStatement& statement, const Numbers& numbers, unsigned p) {
  const Rational unit(Integer(1) << p);
  for (const Range& range : numbers) {
    const Integer size = std::max(magnitude(range.lower), magnitude(range.upper));
    const Rational room =
        std::max(Rational(size) * exact::power_of_two(32 - static_cast<long>(p)) / unit,
                 exact::power_of_two(-40));
    const bool share = statement.question.row().is_share;
    const Rational slack = share ? Rational(0) : room;
    const Rational least =
        rounded::round_down_decimal(Rational(range.lower) / unit - slack, kDigits);
    statement.lower.push_back(is_size(statement.question.readout) ? std::max(least, Rational(0))
                                                                  : least);
    statement.upper.push_back(
        rounded::round_up_decimal(Rational(range.upper) / unit + slack, kDigits));
  }
}

exact::Result<void> check(const LanguageRequest& request) {
  const language::Model& model = request.folder.model();
  for (const TokenIds& tokens : request.sequences) {
    auto fits = language::check_request(model, tokens, {});
    if (!fits) return fits;
  }
  for (const LanguageQuestion& question : request.questions) {
    auto fits = language::check_question(question, model, request.sequences);
    if (!fits) return fits;
  }
  return {};
}

exact::Result<std::vector<Numbers>> numbers_of(const LanguageRequest& request, unsigned& p,
                                               const std::function<void(double)>& progress) {
  const language::ForEach each = [&request](std::size_t count, const auto& work) {
    side_by_side(count, request.jobs, work);
  };
  const auto chosen = precision_for(request, each);
  p = chosen.value_or(forward::kMostPrecision);
  for (int tries = 0; chosen; ++tries) {
    auto numbers =
        language::readouts(request.folder.model(), request.sequences, request.questions, p, each,
                           [&](std::size_t done, std::size_t all) {
                             if (!progress) return;
                             progress(static_cast<double>(done) / static_cast<double>(all));
                           });
    // Some numbers have no better enclosure: what share of nothing goes where.
    const bool last = p == forward::kMostPrecision || tries == kMostTries;
    if (numbers && (last || known_bits(*numbers, p) >= static_cast<int>(kEnough))) {
      return *std::move(numbers);
    }
    if (p == forward::kMostPrecision) break;
    p = rounded_up(static_cast<int>(p) * 3 / 2);
  }
  return exact::fail("SP2007", "precision",
                     "2048 bits do not suffice to enclose this model's numbers on these tokens; "
                     "leave --rigorous out");
}

}  // namespace

exact::Result<Language> enclosed(const LanguageRequest& request,
                                 const std::function<void(double)>& progress) {
  if (auto fits = check(request); !fits) return tl::unexpected(fits.error());
  return certificate::result_of([&]() -> Language {
    Language result;
    const auto numbers = certificate::value_of(numbers_of(request, result.precision, progress));
    result.claim_sha256 = request.claim_hash;
    result.architecture = request.folder.model().config.architecture->model_type;
    result.files = request.folder.files();
    result.assumed_neutral = request.folder.model().config.assumed_neutral;
    result.sequences = request.sequences;
    for (std::size_t q = 0; q < numbers.size(); ++q) {
      result.statements.push_back({request.questions[q], {}, {}});
      state(result.statements.back(), numbers[q], result.precision);
    }
    return result;
  });
}

}  // namespace sinkproof::measure
