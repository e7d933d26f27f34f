// sinkproof: everything.
#include "cli/host.hpp"
#include "cli/program.hpp"
#include "exact/memory.hpp"
#include "file/streams.hpp"

int main(int argc, char** argv) {
  sinkproof::exact::throw_where_gmp_finds_no_memory();
  sinkproof::file::keep_standard_streams();
  sinkproof::cli::read_host_from_environment();
  return sinkproof::cli::run(argc, argv);
}
