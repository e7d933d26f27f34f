// The tables of this folder.
#pragma once

#include "language/architecture.hpp"

namespace sinkproof::language {

extern const Architecture kGpt2;
extern const Architecture kLlama;
extern const Architecture kMistral;
extern const Architecture kQwen2;
extern const Architecture kQwen3;
extern const Architecture kGptOss;
extern const Architecture kGptNeox;
extern const Architecture kOpt;
extern const Architecture kBert;
extern const Architecture kSinkproof;

}  // namespace sinkproof::language
