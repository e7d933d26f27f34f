// The files of src/search/claim/skeletons/, put into the program by the build: `new-claim` needs no
// folder of data beside it.
#pragma once

#include <string_view>
#include <vector>

namespace sinkproof::claim {

struct SkeletonText {
  std::string_view kind;  // the folder's name
  std::string_view file;
  std::string_view text;  // with the @NAMES@ that write_skeleton replaces
};

const std::vector<SkeletonText>& skeleton_texts();

}  // namespace sinkproof::claim
