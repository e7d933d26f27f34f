#include "report/vector_file.hpp"

#include <utility>

#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::report {

using exact::fail;
using exact::Result;

Result<VectorFile> load_vectors(const std::filesystem::path& path, const Vectors& vectors) {
  const auto bytes = file::read(path);
  if (!bytes) return tl::unexpected(bytes.error());
  const std::string where = path.filename().string();
  if (certificate::sha256_hex(*bytes) != vectors.sha256) {
    return fail("SP1203", where, "is not the file the certificate names");
  }
  auto contents = safetensors::parse(*bytes, where);
  if (!contents) return tl::unexpected(contents.error());
  const auto tensor = contents->tensors.find(vectors.tensor);
  if (tensor == contents->tensors.end() || tensor->second.shape.size() != 2) {
    return fail("SP1203", where, "has no matrix " + vectors.tensor);
  }
  auto values = safetensors::exact_values(tensor->second, where);
  if (!values) return tl::unexpected(values.error());
  const auto& shape = tensor->second.shape;
  return VectorFile{exact::RationalMatrix(shape[0], shape[1], std::move(*values)),
                    contents->metadata["instance"]};
}

}  // namespace sinkproof::report
