#include "report/vector_file.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::report {

using exact::fail;
using exact::Result;

namespace {

bool may_have_structure(const Vectors& vectors) {
  return std::any_of(vectors.properties.begin(), vectors.properties.end(),
                     [](const auto& property) {
                       const auto* cost = std::get_if<Cost>(&property);
                       return cost != nullptr && has_copies(cost->pattern);
                     });
}

}  // namespace

Result<VectorFile> load_vectors(const std::filesystem::path& path, const Vectors& vectors) {
  const auto bytes = file::read(path);
  if (!bytes) return tl::unexpected(bytes.error());
  const std::string where = path.filename().string();
  if (certificate::sha256_hex(*bytes) != vectors.source.sha256) {
    return fail("SP1203", where, "is not the file the certificate names");
  }
  auto contents = safetensors::parse(*bytes, where);
  if (!contents) return tl::unexpected(contents.error());
  const auto tensor = contents->tensors.find(vectors.source.tensor);
  if (tensor == contents->tensors.end() || tensor->second.shape.size() != 2) {
    return fail("SP1203", where, "has no matrix " + vectors.source.tensor);
  }
  const auto& shape = tensor->second.shape;
  VectorFile result{shape[0], shape[1], {}, contents->metadata["instance"]};
  if (!may_have_structure(vectors)) return result;
  auto values = safetensors::exact_values(tensor->second, where);
  if (!values) return tl::unexpected(values.error());
  result.tokens = exact::RationalMatrix(shape[0], shape[1], std::move(*values));
  return result;
}

}  // namespace sinkproof::report
