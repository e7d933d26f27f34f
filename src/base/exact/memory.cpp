#include "exact/memory.hpp"

#include <gmp.h>

#include <cstdlib>
#include <new>

namespace sinkproof::exact {
namespace {

void* found(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* allocate(std::size_t size) { return found(std::malloc(size)); }
void* reallocate(void* old, std::size_t, std::size_t size) {
  return found(std::realloc(old, size));
}
void release(void* memory, std::size_t) { std::free(memory); }

}  // namespace

void throw_where_gmp_finds_no_memory() { mp_set_memory_functions(allocate, reallocate, release); }

}  // namespace sinkproof::exact
