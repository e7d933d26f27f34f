// What GMP does where memory runs out.
#pragma once

namespace sinkproof::exact {

// GMP ends the process where there is no memory left. After this call its functions throw
// std::bad_alloc, as everything else does, in all threads; after the new handler, if there is one.
// For the beginning of a program: who embeds the checker decides for his own (docs/EMBEDDING.md).
void throw_where_gmp_finds_no_memory();

}  // namespace sinkproof::exact
