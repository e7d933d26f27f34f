// sinkproof: everything.
#include "cli/program.hpp"

int main(int argc, char** argv) { return sinkproof::cli::run(argc, argv); }
