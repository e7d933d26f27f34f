// Content rows at the entrance of each layer, as a row behind them sees them. MOMENT_RULES.md,
// "Keys after a layer".
#pragma once

#include <vector>

#include "forward/moment_model.hpp"

namespace sinkproof::forward {

class ContentRows {
 public:
  // So many, from position 2 on. `trigger`: its row at the entrance of each layer where one of
  // these positions is the trigger's, and any of the rows may see it; else null. Both arguments
  // must outlive this. Throws TooCoarse.
  ContentRows(const MomentModel& model, std::size_t count, const std::vector<Series>* trigger);

  [[nodiscard]] SeenKeys seen(std::size_t layer) const;

 private:
  // Between which numbers a head's share of keys but BOS lies, of the rows by position.
  struct Shares {
    std::vector<Word> least;
    std::vector<Word> most;
    Word trigger = 0;  // that of the trigger, at most
  };
  class Next;

  [[nodiscard]] Shares shares_of(std::size_t layer, const FixedHead& head) const;
  [[nodiscard]] WordRange logit_range(const FixedHead& head, const Series& row, const Series& key,
                                      const Series& bos) const;

  const MomentModel& model_;
  std::size_t count_;
  const std::vector<Series>* trigger_;
  std::vector<ContentKeys> keys_;          // by layer
  std::vector<std::vector<Word>> scales_;  // by number of a letter and position: 256ths
};

}  // namespace sinkproof::forward
