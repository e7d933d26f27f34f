// The vectors a certificate is about, read again for what only they can tell: how many there are,
// and whether they have the structure of docs/THEORY.md section 5.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "exact/error.hpp"
#include "exact/matrix.hpp"
#include "report/vector_reading.hpp"

namespace sinkproof::report {

struct VectorFile {
  std::size_t count = 0;         // T
  std::size_t width = 0;         // d
  exact::RationalMatrix tokens;  // T x d; read only where a cost has one copy for each group
  std::string instance;          // what the file says of how it was made, its metadata; else ""
};

// SP1203: the file is not the one the certificate names, or has no such tensor. SP04xx: it is no
// safetensors file, or the tensor holds no finite numbers.
exact::Result<VectorFile> load_vectors(const std::filesystem::path& path, const Vectors& vectors);

}  // namespace sinkproof::report
