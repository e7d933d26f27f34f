// How libFuzzer changes inputs of the targets that read JSON: two in three mutants are JSON.
#include "json_mutation.hpp"
#include "target.hpp"

using namespace sinkproof;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  if (seed % 3 != 0) {
    const std::string mutant = fuzz::mutate_json(fuzz::text_of(data, size), seed);
    if (const std::size_t written = fuzz::put(mutant, data, most)) return written;
  }
  return LLVMFuzzerMutate(data, size, most);
}
