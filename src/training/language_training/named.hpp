// A choice of a decoder is a row of a table, with its name in the member `name`.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace sinkproof::language_training {

// Null for a name that is not in the table.
template <typename Row, std::size_t count>
constexpr const Row* find_named(const std::array<Row, count>& table, std::string_view name) {
  for (const Row& row : table) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// All names, with commas.
template <typename Row, std::size_t count>
std::string names_of(const std::array<Row, count>& table) {
  std::string names;
  for (const Row& row : table) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

}  // namespace sinkproof::language_training
