#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "forward/series.hpp"

namespace sinkproof::forward {
namespace {

// A term as a product of walked letters, each once (a bit for each), and a rest. Of a square of a
// walked letter, a number in [0, 1], the middle 1/2 is taken: `halved`.
struct Split {
  std::size_t walked = 0;
  Term rest{};
  bool halved = false;
};

Split split(const Term& term, std::size_t walked) {
  Split result;
  std::size_t place = 0;
  for (const Letter letter : term) {
    if (letter == 0) break;
    if (letter > walked) {
      result.rest[place++] = letter;
      continue;
    }
    const std::size_t bit = std::size_t{1} << (letter - 1U);
    result.halved = result.halved || (result.walked & bit) != 0;
    result.walked ^= bit;
  }
  return result;
}

using Group = std::vector<std::pair<std::size_t, Word>>;  // walked letters, coefficient

// The sum of a group's terms in the first `letters` walked letters, at all their corners: entry u
// has letter l at -1 where bit l - 1 of u is set.
std::vector<Word> corners_of(const Group& group, std::size_t letters) {
  std::vector<Word> values(std::size_t{1} << letters);
  if (letters == 0 ||
      std::all_of(group.begin(), group.end(), [](const auto& term) { return term.first == 0; })) {
    Word all = 0;
    for (const auto& [walked, value] : group) all += value;
    std::fill(values.begin(), values.end(), all);
    return values;
  }
  // without + letter with
  Group with;
  Group without;
  const std::size_t half = values.size() / 2;
  for (const auto& [walked, value] : group) {
    if ((walked & half) != 0) {
      with.emplace_back(walked ^ half, value);
    } else {
      without.emplace_back(walked, value);
    }
  }
  const std::vector<Word> base = corners_of(without, letters - 1);
  const std::vector<Word> slope = corners_of(with, letters - 1);
  for (std::size_t u = 0; u < half; ++u) {
    values[u] = base[u] + slope[u];
    values[u + half] = base[u] - slope[u];
  }
  return values;
}

// Coordinate c of some terms, in groups of one rest.
class Groups {
 public:
  // Smaller groups are not worth the walk to the corners.
  static constexpr Word kFlat = kOne >> 19U;

  Groups(const Series& x, std::size_t c, const Alphabet& alphabet) : walked_(alphabet.walked) {
    for (std::size_t t = 0; t < x.terms.size(); ++t) add(x.terms[t], x.values[t * x.size + c]);
  }
  explicit Groups(const Alphabet& alphabet) : walked_(alphabet.walked) {}

  void add(const Term& term, Word value) {
    if (value == 0) return;
    const Split parts = split(term, walked_);
    Word kept = value;
    if (parts.halved) {
      kept = value >> 1U;
      loose_ += std::max(size_of(kept), size_of(value - kept));
    }
    groups_[parts.rest].emplace_back(parts.walked, kept);
  }

  [[nodiscard]] const std::map<Term, Group>& all() const { return groups_; }
  // What squares may add.
  [[nodiscard]] Word loose() const { return loose_; }
  [[nodiscard]] std::size_t corners() const { return std::size_t{1} << walked_; }
  [[nodiscard]] std::vector<Word> at_corners(const Group& group) const {
    return corners_of(group, walked_);
  }
  // Of a group of which the absolute value is taken to be the same at all corners.
  [[nodiscard]] static std::optional<Word> flat(const Group& group) {
    Word all = 0;
    for (const auto& [walked, value] : group) all += size_of(value);
    if (group.size() == 1 || all < kFlat) return all;
    return std::nullopt;
  }

 private:
  std::size_t walked_;
  std::map<Term, Group> groups_;
  Word loose_ = 0;
};

// max over t in [0, 1] of a t - s t^2, a >= 0.
Word tallest(Word a, Word s) {
  if (a >= 2 * s) return a - s;
  const Wide square = Wide{a} * a;
  return static_cast<Word>((square + 4 * Wide{s} - 1) / (4 * Wide{s}));
}

// At each corner what the groups beside the first add to it at most. With t_a the means of keys and
// c_ab their covariances, |c_ab| <= 1 - (t_a^2 + t_b^2)/2 and |t_a t_b| <= (t_a^2 + t_b^2)/2.
class Beside {
 public:
  Beside(const Groups& groups, const Alphabet& alphabet)
      : groups_(groups), alphabet_(alphabet), line_(alphabet.means), bend_(alphabet.means) {
    for (const auto& [rest, group] : groups.all()) {
      if (rest != Term{}) add(rest, group);
    }
  }

  // Twice as much.
  [[nodiscard]] Word twice(std::size_t corner) const {
    Word all = 2 * total_.at(corner);
    for (std::size_t a = 0; a < alphabet_.means; ++a) {
      all += tallest(2 * line_[a].at(corner), bend_[a].at(corner));
    }
    return all;
  }
  // No less than twice as much, at all corners: a t - s t^2 <= a + max(0, -s).
  [[nodiscard]] std::vector<Word> bounds(std::size_t corners) const {
    std::vector<Word> all(corners, 0);
    add_twice(all, total_);
    for (const Sum& line : line_) add_twice(all, line);
    for (const Sum& bend : bend_) {
      if (bend.here.empty() && bend.everywhere >= 0) continue;
      for (std::size_t u = 0; u < corners; ++u) all[u] -= std::min<Word>(0, bend.at(u));
    }
    return all;
  }

 private:
  struct Sum {
    Word everywhere = 0;
    std::vector<Word> here;  // by corner, or empty
    [[nodiscard]] Word at(std::size_t corner) const {
      return everywhere + (here.empty() ? 0 : here[corner]);
    }
  };

  static void add_twice(std::vector<Word>& all, const Sum& sum) {
    for (Word& value : all) value += 2 * sum.everywhere;
    for (std::size_t u = 0; u < sum.here.size(); ++u) all[u] += 2 * sum.here[u];
  }

  [[nodiscard]] std::size_t number(Letter mean) const { return mean - alphabet_.mean; }

  void add(const Term& rest, const Group& group) {
    const std::optional<Word> flat = Groups::flat(group);
    std::vector<Word> values;
    if (!flat) values = groups_.at_corners(group);
    for (Word& value : values) value = size_of(value);
    const auto into = [&](Sum& sum, int factor) {
      if (flat) {
        sum.everywhere += factor * *flat;
        return;
      }
      sum.here.resize(values.size());
      for (std::size_t u = 0; u < values.size(); ++u) sum.here[u] += factor * values[u];
    };
    const auto mean = std::find_if(rest.begin(), rest.end(),
                                   [&](Letter letter) { return alphabet_.is_mean(letter); });
    const std::size_t degree = degree_of(rest);
    if (degree == 1 && mean == rest.end() && alphabet_.is_spread(rest[0])) {
      // The bend is kept twice: 2 |c_ab| v <= 2 v - v t_a^2 - v t_b^2.
      into(total_, 1);
      into(bend_[(rest[0] - alphabet_.spread) / alphabet_.columns], 1);
      into(bend_[(rest[0] - alphabet_.spread) % alphabet_.columns], 1);
    } else if (degree == 2 && mean != rest.end() && alphabet_.is_mean(rest[0]) &&
               alphabet_.is_mean(rest[1])) {
      into(bend_[number(rest[0])], -1);
      into(bend_[number(rest[1])], -1);
    } else if (mean != rest.end()) {
      into(line_[number(*mean)], 1);
    } else {
      into(total_, 1);
    }
  }

  const Groups& groups_;
  const Alphabet& alphabet_;
  Sum total_;
  std::vector<Sum> line_;
  std::vector<Sum> bend_;  // twice
};

// By degree and coordinate, the sum of absolute coefficients.
std::vector<Wide> sums_by_degree(const Series& x) {
  std::vector<Wide> sums((kMostSeriesDegree + 1) * x.size);
  for (std::size_t t = 0; t < x.terms.size(); ++t) {
    Wide* row = &sums[degree_of(x.terms[t]) * x.size];
    for (std::size_t c = 0; c < x.size; ++c) row[c] += size_of(x.values[t * x.size + c]);
  }
  return sums;
}

// What all groups together do not exceed.
Word largest(const Groups& groups) {
  std::vector<Word> sums(groups.corners());
  Word flat = groups.loose();
  for (const auto& [rest, group] : groups.all()) {
    if (const auto same = Groups::flat(group)) {
      flat += *same;
      continue;
    }
    const std::vector<Word> values = groups.at_corners(group);
    for (std::size_t u = 0; u < sums.size(); ++u) sums[u] += size_of(values[u]);
  }
  return narrow(Wide{flat} + *std::max_element(sums.begin(), sums.end()));
}

}  // namespace

WordRange range(const Series& x, std::size_t c, const Alphabet& alphabet) {
  const Word reaches = reach(x, c);  // sums below are no larger than twice this
  const auto is_alone = [&](const Term& term) {
    return degree_of(term) <= 1 && !alphabet.is_spread(term[0]);
  };
  if (std::all_of(x.terms.begin(), x.terms.end(), is_alone)) {
    const Word middle = x.constant(c);
    const Word around = reaches - size_of(middle);
    return {narrow(Wide{middle} - around), narrow(Wide{middle} + around)};
  }
  const Groups groups(x, c, alphabet);
  std::vector<Word> first(groups.corners());
  if (const auto found = groups.all().find(Term{}); found != groups.all().end()) {
    first = groups.at_corners(found->second);
  }
  const Beside beside(groups, alphabet);
  const std::vector<Word> bounds = beside.bounds(first.size());
  Word lower = 2 * first.front();
  Word upper = lower;
  for (std::size_t u = 0; u < first.size(); ++u) {
    if (2 * first[u] - bounds[u] >= lower && 2 * first[u] + bounds[u] <= upper) continue;
    const Word around = beside.twice(u);
    lower = std::min(lower, 2 * first[u] - around);
    upper = std::max(upper, 2 * first[u] + around);
  }
  const Word open = groups.loose() + x.remainder[c];
  return {narrow(Wide{lower >> 1U} - open), narrow(Wide{(upper + 1) >> 1U} + open)};
}

std::vector<Word> sizes(const Series& x, const Alphabet& alphabet) {
  // Where absolute values sum up to less, corners are not worth their time.
  constexpr Word kLittle = kOne >> 9U;
  const std::vector<Wide> sums = sums_by_degree(x);
  std::vector<Word> result;
  result.reserve(sums.size());
  for (const Wide sum : sums) result.push_back(narrow(sum));
  for (std::size_t c = 0; c < x.size; ++c) {
    for (std::size_t d = 2; d <= kMostSeriesDegree; ++d) {
      Word& size = result[d * x.size + c];
      if (size <= kLittle) continue;
      Groups groups(alphabet);
      for (std::size_t t = 0; t < x.terms.size(); ++t) {
        if (degree_of(x.terms[t]) == d) groups.add(x.terms[t], x.values[t * x.size + c]);
      }
      size = std::min(size, largest(groups));
    }
  }
  return result;
}

}  // namespace sinkproof::forward
