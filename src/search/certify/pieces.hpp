// What is searched inside one property, in pieces that do not depend on each other, such as the
// obligations of one side. Threads that are free take some (workers.hpp), and so do processes that
// share a journal: what took long is kept there. A search goes in rounds; what a piece finds
// depends on what it is given for the round alone, not on who does it or what others find
// meanwhile. Processes begin at different pieces of a round and take what the journal has of the
// others: nobody waits, and what two do at the same time they do alike.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "certify/proof.hpp"
#include "json/strict.hpp"

namespace sinkproof::certify {

class Workers;

// What is found for one piece.
struct Piece {
  double target = 0;               // the bound its trees are for; infinite: none were found
  std::vector<std::string> trees;  // with labels
  json::Value parameters;          // of the rule
  std::vector<Label> labels;       // that helped, the last ones last
};

// Who searches for pieces, and where they are kept.
struct PieceSharing {
  Workers* workers = nullptr;
  double begin = 0;  // the share of a round's pieces that are done last, in [0, 1)
  // What was kept under a name; null: nothing. Any thread.
  std::function<json::Value(const std::string& name)> find;
  std::function<void(const std::string& name, const json::Value& piece, double seconds)> keep;

  // Of so many.
  [[nodiscard]] std::size_t first_of(std::size_t count) const {
    return static_cast<std::size_t>(begin * static_cast<double>(count));
  }
};

// What all pieces of a search are given.
struct PieceSearch {
  std::size_t count = 0;  // of the pieces
  std::string given;  // names all that search(i, target, effort) depends on beside its arguments
  std::function<Piece(std::size_t, double target, const Effort&)> search;
  // Of each piece in the round before; none at first. In a piece's effort.
  std::vector<std::vector<Label>> labels{};
};

// A round: all pieces at this target or a larger one each needs, in blocks of which each begins
// with what those before it need. The first round, which finds the target, has more and more in a
// block; the others have one. Where effort.sharing is null pieces are searched for one after the
// other.
std::vector<Piece> search_round(PieceSearch& pieces, double target, const Effort& effort);

// What rounds ended with: a bound, and all pieces' trees for it.
struct Rounds {
  exact::Rational bound;
  std::vector<Piece> pieces;

  // In order.
  [[nodiscard]] std::vector<std::string> trees() const;
};

// Rounds at `room` times what the pieces need, `least` at first, until all have trees for the same
// bound; nothing if that would be no less than `most`.
std::optional<Rounds> search_rounds(PieceSearch& pieces, double least, double room,
                                    const std::optional<exact::Rational>& most,
                                    const Effort& effort);

// For keeping. The inverse gives nothing for anything else.
json::Value to_json(const Piece& piece);
std::optional<Piece> piece_from_json(const json::Value& value);

}  // namespace sinkproof::certify
