#include "certificate/says.hpp"

#include <algorithm>

#include "certificate/split.hpp"
#include "certificate/strict.hpp"

namespace sinkproof::certificate {
namespace {

constexpr std::string_view kBegin = "says = [\"";
constexpr std::string_view kEnd = "\"]";

// TOML lets a key stand in quotation marks, with blanks around it.
bool has_key_says(std::string_view line) {
  std::string bare(line);
  std::erase_if(bare, [](char c) { return c == ' ' || c == '\t' || c == '"' || c == '\''; });
  return bare.starts_with("says=");
}

bool is_said_name(std::string_view name) {
  return !name.empty() && name.find_first_not_of(
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                              "0123456789._'/-") == std::string_view::npos;
}

}  // namespace

std::set<std::string> said_names(std::string_view claim_toml, const std::string& where) {
  std::set<std::string> names;
  for (std::string_view line : split(claim_toml, "\n")) {
    if (!has_key_says(line)) continue;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string what = "a field says of claim.toml is not a line says = [\"NAME\", \"NAME\"]";
    require(line.starts_with(kBegin) && line.ends_with(kEnd), where, what, "SP0810");
    line.remove_prefix(kBegin.size());
    for (const std::string_view name : split(line.substr(0, line.rfind(kEnd)), "\", \"")) {
      require(is_said_name(name), where, what, "SP0810");
      names.emplace(name);
    }
  }
  require(!names.empty(), where, "claim.toml names nothing that states the claim", "SP0810");
  return names;
}

}  // namespace sinkproof::certificate
