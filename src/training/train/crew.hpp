// A few threads that work on the same list of numbered pieces, thousands of times a second: they
// spin for some tens of microseconds before they sleep. A thread the system does not run is not
// waited for unless it holds a piece. Which thread takes which piece is not fixed, so a piece must
// write only to places of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace sinkproof::train {

class Crew {
 public:
  // `workers` >= 1 counts the calling thread.
  explicit Crew(std::size_t workers);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew();

  [[nodiscard]] std::size_t workers() const { return threads_.size() + 1; }

  // Calls work(worker, piece) for every piece < pieces, worker < workers(); returns when all are
  // done.
  using Work = std::function<void(std::size_t worker, std::size_t piece)>;
  void run(std::uint32_t pieces, const Work& work);

 private:
  void serve(std::size_t worker);
  void take_pieces(std::size_t worker);

  // The list's number in the upper half, the count of pieces nobody has taken yet in the lower:
  // taking a piece is one exchange that fails when the list has changed meanwhile.
  std::atomic<std::uint64_t> untaken_{0};
  std::atomic<std::uint32_t> unfinished_{0};
  std::atomic<bool> leaving_{false};
  const Work* work_ = nullptr;  // read only by those who hold a piece
  std::vector<std::thread> threads_;
};

}  // namespace sinkproof::train
