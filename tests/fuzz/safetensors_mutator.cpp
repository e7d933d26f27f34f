// How libFuzzer changes safetensors files: two in three mutants have another header, its length
// right.
#include <cstring>

#include "json_mutation.hpp"
#include "target.hpp"

using namespace sinkproof;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::uint64_t length = 0;
  if (seed % 3 != 0 && size > sizeof length) {
    std::memcpy(&length, data, sizeof length);
    const std::string_view rest = fuzz::text_of(data, size).substr(sizeof length);
    const std::string header =
        length <= rest.size() ? fuzz::mutate_json(rest.substr(0, length), seed) : "";
    if (!header.empty()) {
      const std::uint64_t changed = header.size();
      std::string mutant(sizeof changed, '\0');
      std::memcpy(mutant.data(), &changed, sizeof changed);
      mutant += header;
      mutant += rest.substr(length);
      if (const std::size_t written = fuzz::put(mutant, data, most)) return written;
    }
  }
  return LLVMFuzzerMutate(data, size, most);
}
