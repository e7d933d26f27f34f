#include "claim/fields.hpp"

#include <sstream>

#include "file/file.hpp"
#include "text/words.hpp"

namespace sinkproof::claim {

exact::Result<toml::table> read_toml(const std::filesystem::path& path) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
  const auto text = file::read(path, kMostBytes);
  if (!text) return tl::unexpected(text.error());
  try {
    return toml::parse(*text);
  } catch (const toml::parse_error& problem) {
    std::ostringstream what;
    what << "is not TOML: " << problem;
    return exact::fail("SP0601", path.string(), what.str());
  }
}

std::string Fields::text(const std::string& key, bool required) {
  known_.insert(key);
  const toml::node* node = table_.get(key);
  if (node == nullptr) {
    if (required) note(key, "is missing");
    return {};
  }
  const auto value = node->value_exact<std::string>();
  if (!value || value->empty()) note(key, "must be a non-empty string");
  return value.value_or("");
}

std::vector<std::string> Fields::texts(const std::string& key) {
  known_.insert(key);
  std::vector<std::string> values;
  const toml::node* node = table_.get(key);
  if (node == nullptr) return note(key, "is missing"), values;
  const toml::array* array = node->as_array();
  if (array == nullptr) return note(key, "must be an array of strings"), values;
  for (const toml::node& element : *array) {
    const auto value = element.value_exact<std::string>();
    if (!value || value->empty()) note(key, "must be an array of strings");
    values.push_back(value.value_or(""));
  }
  return values;
}

std::optional<std::int64_t> Fields::integer(const std::string& key) {
  known_.insert(key);
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  const auto value = node->value_exact<std::int64_t>();
  if (!value) note(key, "must be a whole number");
  return value;
}

std::optional<bool> Fields::boolean(const std::string& key) {
  known_.insert(key);
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  const auto value = node->value_exact<bool>();
  if (!value) note(key, "must be true or false");
  return value;
}

const toml::table* Fields::table(const std::string& key) {
  known_.insert(key);
  const toml::node* node = table_.get(key);
  if (node == nullptr) return nullptr;
  if (!node->is_table()) note(key, "must be a table: [" + key + "]");
  return node->as_table();
}

const toml::array* Fields::tables(const std::string& key) {
  known_.insert(key);
  const toml::node* node = table_.get(key);
  if (node == nullptr) return nullptr;
  if (!node->is_array_of_tables()) note(key, "must be an array of tables: [[" + key + "]]");
  return node->as_array();
}

exact::Result<void> Fields::finish() {
  for (const auto& [key, node] : table_) {
    const std::string name(key.str());
    if (known_.contains(name)) continue;
    // Before what is missing: it may be that field, misspelt.
    if (problem_.empty()) {
      const std::string meant = text::nearest(name, {known_.begin(), known_.end()});
      for (const std::string& known : known_) problem_ += (problem_.empty() ? "" : ", ") + known;
      problem_ =
          meant.empty() ? "the fields are " + problem_ : "did you mean field \"" + meant + "\"?";
    }
    problem_ = "field \"" + name + "\" is unknown; " + problem_;
    break;
  }
  if (problem_.empty()) return {};
  return exact::fail("SP0602", where_, problem_);
}

void Fields::note(const std::string& key, const std::string& what) {
  if (problem_.empty()) problem_ = "field \"" + key + "\" " + what;
}

}  // namespace sinkproof::claim
