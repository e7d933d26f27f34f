#include "reproduce/variant.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace sinkproof::reproduce {
namespace {

using train::Attention;

constexpr std::array kAttentions = {Attention::kSoftmax, Attention::kRelu};

// The figures' numbers are those that the authors' repository gives them
// (github.com/YuvMilo/sinks-are-provably-necessary, README.md).
struct Size {
  std::size_t size;
  const char* figures;
};
constexpr std::array<Size, 3> kSizes = {
    {{1, "Figure 3"}, {2, "Figures 4 and 5"}, {4, "Figures 6 to 8"}}};

std::string size_word(std::size_t size) {
  return std::to_string(size) + "x" + std::to_string(size);
}

std::vector<std::string> attention_words() {
  std::vector<std::string> words;
  words.reserve(kAttentions.size());
  for (const Attention attention : kAttentions) words.push_back(certificate::to_string(attention));
  return words;
}

std::vector<std::string> size_words() {
  std::vector<std::string> words;
  words.reserve(kSizes.size());
  for (const auto& [size, figures] : kSizes) words.push_back(size_word(size));
  return words;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Those of `all` that are among `named`, or all of them.
std::vector<std::string> chosen(const std::vector<std::string>& all,
                                const std::vector<std::string>& named) {
  std::vector<std::string> some;
  for (const std::string& word : all) {
    if (contains(named, word)) some.push_back(word);
  }
  return some.empty() ? all : some;
}

}  // namespace

const std::vector<std::string>& selection_words() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> words = attention_words();
    for (std::string& size : size_words()) words.push_back(std::move(size));
    return words;
  }();
  return all;
}

std::vector<Variant> variants(const std::vector<std::string>& words) {
  const auto attentions = chosen(attention_words(), words);
  const auto sizes = chosen(size_words(), words);
  std::vector<Variant> selected;
  for (const auto& [size, figures] : kSizes) {
    for (const Attention attention : kAttentions) {
      const std::string kind = certificate::to_string(attention);
      if (!contains(attentions, kind) || !contains(sizes, size_word(size))) continue;
      Variant& variant = selected.emplace_back();
      variant.name = kind + "-" + size_word(size);
      variant.paper_figures = figures;
      variant.shape.attention = attention;
      variant.shape.layers = variant.shape.heads = size;
      variant.shape.residual = size > 1;
    }
  }
  return selected;
}

}  // namespace sinkproof::reproduce
