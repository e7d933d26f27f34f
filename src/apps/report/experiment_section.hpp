// Tables and figures that the caller puts beside the certificates.
#pragma once

#include <string>

#include "report/input.hpp"

namespace sinkproof::report {

// "" when there are neither.
std::string experiment_section(const Options& options);

}  // namespace sinkproof::report
