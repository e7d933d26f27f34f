// Commands that had another name, which still works.
#pragma once

#include <string>
#include <vector>

namespace sinkproof::cli {

// The words of a command line with the command's present name: `measure DIR`, of a folder with
// config.json, is `audit DIR`; `measure MODEL --property sink-share` is `sink-share MODEL`.
std::vector<std::string> by_present_name(std::vector<std::string> words);

}  // namespace sinkproof::cli
