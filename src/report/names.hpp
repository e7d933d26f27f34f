// What the certificates of one section are called on the page: no two the same.
#pragma once

#include <string>
#include <vector>

#include "report/input.hpp"

namespace sinkproof::report {

// Text, not markup, in the order of `inputs`: of a theory claim its id, else the file's name
// without .json. Where that is the name of several, the checkpoint's width, the hash of what it is
// about or at last a number tells them apart.
std::vector<std::string> names_of(const std::vector<const Input*>& inputs);

}  // namespace sinkproof::report
