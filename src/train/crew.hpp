// A few threads that work on the same list of numbered pieces, thousands of times a second: they spin
// for some microseconds before they sleep. Which thread takes which piece is not fixed, so a piece must
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

  // Calls work(worker, piece) for every piece < pieces, worker < workers(); returns when all are done.
  using Work = std::function<void(std::size_t worker, std::size_t piece)>;
  void run(std::size_t pieces, const Work& work);

 private:
  void serve(std::size_t worker);
  void take_pieces(std::size_t worker);

  std::vector<std::thread> threads_;
  const Work* work_ = nullptr;
  std::size_t pieces_ = 0;
  std::atomic<std::size_t> next_piece_{0};
  std::atomic<std::uint32_t> round_{0};
  std::atomic<std::uint32_t> busy_{0};
  std::atomic<bool> leaving_{false};
};

}  // namespace sinkproof::train
