// tokenizer_lines FOLDER with|without: a JSON list of texts in, for each a line of JSON out: its
// ids and the text beside each, or the code of the error.
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "tokenizer/tokenizer.hpp"

using namespace sinkproof;
using nlohmann::json;

namespace {

json answer(const tokenizer::Tokenizer& reader, const std::string& text, tokenizer::Bos bos) {
  const auto ids = reader.encode(text, bos);
  if (!ids) return {{"error", ids.error().code}};
  json shown = json::array();
  for (const tokenizer::Id id : *ids) shown.push_back(reader.text_of(id).value_or("no text"));
  return {{"ids", *ids}, {"shown", shown}};
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  if (arguments.size() != 3) return 2;
  const auto reader = tokenizer::Tokenizer::read(arguments[1]);
  if (!reader) {
    std::cerr << reader.error().code << ' ' << reader.error().where << ": " << reader.error().what
              << '\n';
    return 2;
  }
  const std::string input{std::istreambuf_iterator<char>(std::cin), {}};
  const auto bos =
      std::string_view(arguments[2]) == "with" ? tokenizer::Bos::kWith : tokenizer::Bos::kWithout;
  for (const json& text : json::parse(input)) {
    std::cout << answer(*reader, text.get<std::string>(), bos).dump(-1, ' ', true) << '\n';
  }
  return 0;
}
