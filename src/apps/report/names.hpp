// What certificates are called on the page: no two the same.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/input.hpp"

namespace sinkproof::report {

// Text, not markup; numbers are places in `inputs`. Of a theory claim its id, else the file's name
// without .json. Where that is the name of several, the checkpoint's width, the language model's
// folder, the hash of what it is
// about or at last a number tells them apart.
using Names = std::map<const Input*, std::string>;
Names names_of(const std::vector<const Input*>& inputs);

}  // namespace sinkproof::report
