#include "report/proof_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using text::escape;

namespace fs = std::filesystem;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

// One component of a path as it may stand in a URL.
std::string encoded(const std::string& name) {
  std::string text;
  for (const char c : name) {
    text += is_plain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

std::string url_path(const fs::path& path) {
  std::string text;
  for (const fs::path& part : path) {
    if (!part.empty()) text += (text.empty() ? "" : "/") + encoded(part.string());
  }
  return text;
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// A file's name as a step gives it: no folders.
bool is_file_name(const std::string& file) {
  return !file.empty() && file != "." && file != ".." && file.find('/') == std::string::npos &&
         file.find('\0') == std::string::npos;
}

}  // namespace

std::optional<std::string> relative_proof_base(const fs::path& page, const fs::path& claims,
                                               const fs::path& from) {
  std::error_code error;
  const fs::path root = fs::weakly_canonical(from, error);
  const fs::path folder = error ? fs::path() : fs::weakly_canonical(root / claims, error);
  const fs::path target = error ? fs::path() : fs::weakly_canonical(root / page, error);
  if (error || !fs::is_directory(folder, error)) return std::nullopt;
  const fs::path beside = target.parent_path();
  if (!lies_in(folder, root) || !lies_in(beside, root)) return std::nullopt;
  return url_path(folder.lexically_relative(beside));
}

bool is_proof_base(const std::string& base) {
  const auto allowed = [](char c) {
    return is_plain(c) || std::string_view(":/?#[]@!$&()*+,;=%").find(c) != std::string_view::npos;
  };
  if (base.empty() || base.starts_with("//")) return false;
  if (!std::all_of(base.begin(), base.end(), allowed)) return false;
  if (base.starts_with("https://") || base.starts_with("http://")) return true;
  const std::size_t colon = base.find(':');
  return colon == std::string::npos || base.find('/') < colon;
}

std::string proof_link(const Options& options, const std::string& claim, const std::string& file,
                       bool named, const std::string& label) {
  if (!options.claims || !options.proof_base || !named || !is_file_name(file)) return label;
  std::error_code error;
  if (!fs::is_regular_file(*options.claims / claim / file, error)) return label;
  std::string base = *options.proof_base;
  while (base.ends_with('/')) base.pop_back();
  return fmt::format(R"(<a href="{}/{}/{}">{}</a>)", escape(base), encoded(claim), encoded(file),
                     label);
}

}  // namespace sinkproof::report
