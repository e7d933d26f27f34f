#include "json_mutation.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace sinkproof::fuzz {
namespace {

using Value = nlohmann::json;
using Random = std::minstd_rand;

std::size_t below(std::size_t most, Random& random) { return random() % most; }

// A node, and where it stands; the root has no parent.
struct Node {
  Value* parent;
  std::string key;
  std::size_t index;
  Value* value;
};

void collect(Node node, std::vector<Node>& nodes) {
  nodes.push_back(node);
  Value& value = *node.value;
  if (value.is_object()) {
    for (auto& [key, part] : value.items()) collect({&value, key, 0, &part}, nodes);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) collect({&value, "", i, &value[i]}, nodes);
  }
}

// Exact numbers are strings: "-12/7".
std::string mutate_string(const std::string& text, Random& random) {
  constexpr std::string_view kDigits = "0123456789";
  static const std::vector<std::string> special = {
      "0", "-0", "1", "-1", "1/2", "1/0", "2/4", "", "1e999999999", "1" + std::string(5000, '0')};
  const std::size_t digit = text.find_first_of(kDigits, below(text.size() + 1, random));
  switch (below(4, random)) {
    case 0:
      return special[below(special.size(), random)];
    case 1:
      if (digit == std::string::npos) break;
      return text.substr(0, digit) + kDigits[below(10, random)] + text.substr(digit + 1);
    case 2:
      return text.starts_with('-') ? text.substr(1) : "-" + text;
    default:
      break;
  }
  return mutate_bytes(text, text.size() + 16);
}

Value mutate_integer(const Value& value, Random& random) {
  static const std::vector<std::int64_t> special = {
      0, 1, -1, 2, 3, 64, 65, 255, 4096, 1000000, INT64_MAX, INT64_MIN, INT32_MAX};
  const auto old = value.get<std::int64_t>();
  if (below(2, random) == 0) return special[below(special.size(), random)];
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(old) + below(5, random) - 2);
}

// The key or element is taken away, or an element stands there twice.
void reshape(const Node& node, Random& random) {
  if (node.parent->is_object()) {
    const Value moved = *node.value;
    node.parent->erase(node.key);
    if (below(2, random) == 0) (*node.parent)[mutate_bytes(node.key, 40)] = moved;
    return;
  }
  const auto at = node.parent->begin() + static_cast<std::ptrdiff_t>(node.index);
  if (below(2, random) == 0) {
    node.parent->erase(at);
  } else {
    const Value copy = *node.value;
    node.parent->insert(at, copy);
  }
}

void mutate(Value& root, Random& random) {
  std::vector<Node> nodes;
  collect({nullptr, "", 0, &root}, nodes);
  const Node& node = nodes[below(nodes.size(), random)];
  switch (below(4, random)) {
    case 0: {
      const Value other = *nodes[below(nodes.size(), random)].value;
      *node.value = other;
      return;
    }
    case 1:
      if (node.parent != nullptr) return reshape(node, random);
      break;
    default:
      break;
  }
  if (node.value->is_string()) {
    *node.value = mutate_string(node.value->get<std::string>(), random);
  } else if (node.value->is_number_integer()) {
    *node.value = mutate_integer(*node.value, random);
  } else if (node.value->is_boolean()) {
    *node.value = !node.value->get<bool>();
  } else if (below(4, random) == 0) {
    static const std::vector<Value> plain = {nullptr,        true,           0, 1.5, "", "1",
                                             Value::array(), Value::object()};
    *node.value = plain[below(plain.size(), random)];
  }
}

}  // namespace

std::string mutate_json(std::string_view text, unsigned seed) {
  Value root = Value::parse(text, nullptr, false);
  if (root.is_discarded()) return "";
  Random random(seed + 1);
  for (std::size_t left = 1 + below(3, random); left > 0; --left) mutate(root, random);
  return root.dump(-1, ' ', false, Value::error_handler_t::replace) + "\n";
}

std::string mutate_bytes(std::string_view bytes, std::size_t most) {
  std::string mutant(bytes);
  mutant.resize(std::max(most, bytes.size()));
  auto* data = reinterpret_cast<std::uint8_t*>(mutant.data());
  mutant.resize(LLVMFuzzerMutate(data, bytes.size(), mutant.size()));
  return mutant;
}

std::size_t put(std::string_view mutant, std::uint8_t* data, std::size_t most) {
  if (mutant.size() > most) return 0;
  std::copy(mutant.begin(), mutant.end(), data);
  return mutant.size();
}

}  // namespace sinkproof::fuzz
