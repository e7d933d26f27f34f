#include "exact/memory.hpp"

#include <gmp.h>

#include <cstdlib>
#include <new>

namespace sinkproof::exact {
namespace {

// As operator new, but that a handler which returns has no second try.
void* found(void* memory) {
  if (memory != nullptr) return memory;
  if (const std::new_handler handler = std::get_new_handler()) handler();
  throw std::bad_alloc();
}

void* allocate(std::size_t size) { return found(std::malloc(size)); }
void* reallocate(void* old, std::size_t, std::size_t size) {
  return found(std::realloc(old, size));
}
void release(void* memory, std::size_t) { std::free(memory); }

}  // namespace

void throw_where_gmp_finds_no_memory() { mp_set_memory_functions(allocate, reallocate, release); }

}  // namespace sinkproof::exact
