#include "check/rejected.hpp"

namespace sinkproof::check {

void require(bool condition, const std::string& where, const std::string& what) {
  if (!condition) throw Rejected{{"SP0901", where, what}};
}

}  // namespace sinkproof::check
