// sinkproof-check: the trusted checker alone. No solver, no trainer, no search is linked in.
#include "check/command_line.hpp"

int main(int argc, char** argv) { return sinkproof::check::program(argc, argv); }
