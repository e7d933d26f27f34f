#include "language/architecture.hpp"

#include <algorithm>

#include "language/architectures/tables.hpp"

namespace sinkproof::language {

const std::vector<Architecture>& architectures() {
  static const std::vector<Architecture> all = {kBert,    kGptNeox, kGptOss, kGpt2,  kLlama,
                                                kMistral, kOpt,     kQwen2,  kQwen3, kSinkproof};
  return all;
}

const Architecture* find_architecture(std::string_view model_type) {
  const auto found =
      std::find_if(architectures().begin(), architectures().end(),
                   [&](const Architecture& table) { return table.model_type == model_type; });
  return found == architectures().end() ? nullptr : &*found;
}

}  // namespace sinkproof::language
