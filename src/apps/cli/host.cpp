#include "cli/host.hpp"

namespace sinkproof::cli {

Host& host() {
  static Host instance;
  return instance;
}

}  // namespace sinkproof::cli
