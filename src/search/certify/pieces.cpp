#include "certify/pieces.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>

#include "certificate/sha256.hpp"
#include "certify/workers.hpp"
#include "rounded/double.hpp"

namespace sinkproof::certify {
namespace {

// A file is worth what takes much longer to find than to write and to read.
constexpr double kWorthKeeping = 0.01;

// Of this thread: what others do on the machine does not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string name_of(const PieceSearch& of, std::size_t i, double target) {
  const std::vector<Label>& labels = of.labels[i];
  const std::string after =
      labels.empty() ? "" : certificate::sha256_hex(fmt::format("{}", fmt::join(labels, " ")));
  return fmt::format("piece {}/{} of {} from {} {}", i + 1, of.count, of.given, target, after);
}

void keep_latest(std::vector<Label>& labels) {
  if (labels.size() > kLabelsTried) {
    labels.erase(labels.begin(), labels.end() - static_cast<std::ptrdiff_t>(kLabelsTried));
  }
}

Piece found_or_made(const PieceSearch& of, std::size_t i, double target, const Effort& effort) {
  const PieceSharing* sharing = effort.sharing;
  const std::string name = name_of(of, i, target);
  if (sharing != nullptr && sharing->find) {
    if (auto there = piece_from_json(sharing->find(name))) return *std::move(there);
  }
  Effort own = effort;
  own.nodes.labels = std::make_shared<std::vector<Label>>(of.labels[i]);
  const double start = processor_seconds();
  Piece piece = of.search(i, target, own);
  const double took = processor_seconds() - start;
  piece.labels = std::move(*own.nodes.labels);
  keep_latest(piece.labels);
  // What the clock has cut short may be another piece tomorrow.
  const bool is_whole = !effort.nodes.is_over();
  if (sharing != nullptr && sharing->keep && is_whole && took >= kWorthKeeping) {
    sharing->keep(name, to_json(piece), took);
  }
  return piece;
}

}  // namespace

std::vector<Piece> search_round(PieceSearch& pieces, double target, const Effort& effort) {
  std::vector<Piece> found(pieces.count);
  const bool is_first = pieces.labels.empty();
  pieces.labels.resize(pieces.count);
  std::size_t block = is_first ? 1 : pieces.count;
  for (std::size_t first = 0; first < pieces.count; first += block, block *= 2) {
    const std::size_t count = std::min(block, pieces.count - first);
    const auto find = [&](std::size_t i) {
      found[first + i] = found_or_made(pieces, first + i, target, effort);
    };
    if (effort.sharing != nullptr) {
      effort.sharing->workers->each(count, effort.sharing->first_of(count), find);
    } else {
      for (std::size_t i = 0; i < count; ++i) find(i);
    }
    for (std::size_t i = 0; i < count; ++i) target = std::max(target, found[first + i].target);
  }
  for (std::size_t i = 0; i < pieces.count; ++i) pieces.labels[i] = found[i].labels;
  return found;
}

std::vector<std::string> Rounds::trees() const {
  std::vector<std::string> trees;
  for (const Piece& piece : pieces) {
    trees.insert(trees.end(), piece.trees.begin(), piece.trees.end());
  }
  return trees;
}

std::optional<Rounds> search_rounds(PieceSearch& pieces, double least, double room,
                                    const std::optional<exact::Rational>& most,
                                    const Effort& effort) {
  constexpr double kLeastPositive = 1e-300;
  double needed = std::max(least, kLeastPositive);
  while (true) {
    const auto bound = bound_above(needed * room);
    if (!bound || (most && *bound >= *most)) return std::nullopt;
    const double stated = rounded::to_double_estimate(*bound);
    Rounds rounds{*bound, search_round(pieces, stated, effort)};
    needed = stated;
    for (const Piece& piece : rounds.pieces) needed = std::max(needed, piece.target);
    if (needed == stated) return rounds;
  }
}

json::Value to_json(const Piece& piece) {
  // Its shortest text; canonical JSON holds no floats.
  return {{"labels", piece.labels},
          {"parameters", piece.parameters},
          {"target", fmt::format("{}", piece.target)},
          {"trees", piece.trees}};
}

std::optional<Piece> piece_from_json(const json::Value& value) {
  if (!value.is_object()) return std::nullopt;
  try {
    Piece piece;
    value.at("labels").get_to(piece.labels);
    value.at("trees").get_to(piece.trees);
    piece.parameters = value.at("parameters");
    const auto& text = value.at("target").get_ref<const std::string&>();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), piece.target);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return piece;
  } catch (const std::exception&) {
    return std::nullopt;  // a file somebody made up: every access above says what it needs
  }
}

}  // namespace sinkproof::certify
