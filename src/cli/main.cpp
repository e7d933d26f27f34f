// sinkproof: everything.
#include "cli/program.hpp"
#include "exact/memory.hpp"

int main(int argc, char** argv) {
  sinkproof::exact::throw_where_gmp_finds_no_memory();
  return sinkproof::cli::run(argc, argv);
}
