// Standard input, output and error of a program, kept apart from the files it opens.
#pragma once

#include "exact/error.hpp"

namespace sinkproof::file {

// For the beginning of a program. A descriptor of the three that is closed is opened such that
// reading finds nothing and writing fails: otherwise a file opened later would take its number, and
// printed text would end up in it. A reader of a pipe who goes away makes writing fail as well, in
// place of a signal.
void keep_standard_streams();

// What was printed to standard output, written out. SP0203: not all of it could be.
exact::Result<void> flush_standard_output();

}  // namespace sinkproof::file
