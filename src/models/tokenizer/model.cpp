#include "tokenizer/model.hpp"

#include <utility>

namespace sinkproof::tokenizer {
namespace {

// Older files have no "type": only BPE was written with merges then.
std::string type_of(const Value& model) {
  const Value& type = field_or_null(model, "type");
  if (type.is_string()) return type.get<std::string>();
  return type.is_null() && !field_or_null(model, "merges").is_null() ? "BPE" : "without type";
}

}  // namespace

exact::Result<Model> Model::read(const Value& model, const std::string& where) {
  Model made;
  const std::string type = type_of(model);
  const auto take = [&made](auto read) -> exact::Result<Model> {
    if (!read) return tl::make_unexpected(read.error());
    made.model_ = std::move(*read);
    return std::move(made);
  };
  if (type == "BPE") return take(BytePair::read(model, where));
  if (type == "WordPiece") return take(WordPiece::read(model, where));
  return exact::fail(
      "SP2203", where,
      "a model " + type.substr(0, 40) +
          " is not supported, only BPE and WordPiece are; give token ids instead of text");
}

exact::Result<void> Model::encode(std::string_view word, std::vector<Id>& ids) const {
  return std::visit([&](const auto& model) { return model.encode(word, ids); }, model_);
}

const Vocabulary& Model::vocabulary() const {
  return std::visit([](const auto& model) -> const Vocabulary& { return model.vocabulary(); },
                    model_);
}

}  // namespace sinkproof::tokenizer
