#include "tokenizer/tokenizer.hpp"

#include <algorithm>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "tokenizer/document.hpp"
#include "tokenizer/matcher.hpp"
#include "tokenizer/post_processor.hpp"
#include "tokenizer/settled.hpp"
#include "tokenizer/unicode.hpp"

namespace sinkproof::tokenizer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxRemembered = 256;  // bytes of a word

// One text on its way to ids.
class Encoding {
 public:
  Encoding(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer, const Model& model,
           const AddedTokens& added, std::vector<Id>& ids)
      : normalizer_(normalizer),
        pre_tokenizer_(pre_tokenizer),
        model_(model),
        added_(added),
        ids_(ids) {}

  exact::Result<void> text(std::string_view text) {
    if (added_.has_single_words()) {
      auto settled = refuse_unsettled(text, Tables::kNew, "added_tokens");
      if (!settled) return settled;
    }
    for (const Segment& segment : added_.segments(text, false)) {
      if (segment.id) {
        ids_.push_back(*segment.id);
        continue;
      }
      const Span span = segment.span;
      auto normal =
          normalizer_.apply(std::string(text.substr(span.begin, span.end - span.begin)), work_);
      if (!normal) return tl::make_unexpected(normal.error());
      if (auto done = normalized(*normal, span.begin == 0); !done) return done;
    }
    return {};
  }

 private:
  exact::Result<void> normalized(const std::string& text, bool at_start) {
    for (const Segment& segment : added_.segments(text, true)) {
      if (segment.id) {
        ids_.push_back(*segment.id);
        continue;
      }
      const Span span = segment.span;
      const auto pieces = pre_tokenizer_.apply(
          {text.substr(span.begin, span.end - span.begin), at_start && span.begin == 0}, work_);
      if (!pieces) return tl::make_unexpected(pieces.error());
      for (const Piece& piece : *pieces) {
        if (auto done = word(piece.text); !done) return done;
      }
    }
    return {};
  }

  // Words come again: what they gave is kept.
  exact::Result<void> word(const std::string& word) {
    if (word.size() > kMaxRemembered) return model_.encode(word, ids_);
    const auto [place, fresh] = remembered_.try_emplace(word);
    if (fresh) {
      auto done = model_.encode(word, place->second);
      if (!done) return done;
    }
    ids_.insert(ids_.end(), place->second.begin(), place->second.end());
    return {};
  }

  const Normalizer& normalizer_;
  const PreTokenizer& pre_tokenizer_;
  const Model& model_;
  const AddedTokens& added_;
  std::vector<Id>& ids_;
  std::unordered_map<std::string, std::vector<Id>> remembered_;
  Work work_;
};

// Options beside the parts. Padding to the longest of one text adds nothing.
exact::Result<void> refuse_header(const Value& document, const std::string& where) {
  constexpr std::string_view kFields =
      "version truncation padding added_tokens normalizer pre_tokenizer post_processor decoder "
      "model";
  if (auto known = refuse_other_fields(document, kFields, where); !known) return known;
  const Value& version = field_or_null(document, "version");
  if (document.contains("version") && version != Value("1.0")) {
    return exact::fail("SP2203", where, "\"version\" must be \"1.0\"");
  }
  const auto refuse = [&where](const char* field) {
    return exact::fail("SP2203", where,
                       "the field \"" + std::string(field) +
                           "\" makes ids depend on the length of the text, which is not supported; "
                           "set it to null to encode whole texts");
  };
  if (!field_or_null(document, "truncation").is_null()) return refuse("truncation");
  const Value& padding = field_or_null(document, "padding");
  const bool none = field_or_null(padding, "strategy") == Value("BatchLongest") &&
                    field_or_null(padding, "pad_to_multiple_of").is_null();
  if (!padding.is_null() && !none) return refuse("padding");
  return {};
}

}  // namespace

exact::Result<Tokenizer> Tokenizer::read(const fs::path& folder) {
  const fs::path path = folder / "tokenizer.json";
  const auto document = read_document(path);
  if (!document) return tl::make_unexpected(document.error());
  const auto where = [&path](const char* part) { return path.string() + ": " + part; };
  if (!document->is_object()) return exact::fail("SP2202", path.string(), "is not an object");
  const auto settings = refuse_header(*document, path.string());
  if (!settings) return tl::make_unexpected(settings.error());
  Tokenizer made;
  auto model = Model::read(field_or_null(*document, "model"), where("model"));
  if (!model) return tl::make_unexpected(model.error());
  made.model_ = std::move(*model);
  auto normalizer = Normalizer::read(field_or_null(*document, "normalizer"), where("normalizer"));
  if (!normalizer) return tl::make_unexpected(normalizer.error());
  made.normalizer_ = std::move(*normalizer);
  auto words =
      PreTokenizer::read(field_or_null(*document, "pre_tokenizer"), where("pre_tokenizer"));
  if (!words) return tl::make_unexpected(words.error());
  made.pre_tokenizer_ = std::move(*words);
  if (made.pre_tokenizer_.needs_start() && !made.normalizer_.keeps_start()) {
    return exact::fail("SP2203", where("pre_tokenizer"),
                       "prepend_scheme \"first\" is not supported with a normalizer that may "
                       "remove the beginning of a text; give token ids instead of text");
  }
  auto added = AddedTokens::read(field_or_null(*document, "added_tokens"), made.model_.vocabulary(),
                                 made.normalizer_, where("added_tokens"));
  if (!added) return tl::make_unexpected(added.error());
  made.added_ = std::move(*added);
  auto decoder = Decoder::read(field_or_null(*document, "decoder"), where("decoder"));
  if (!decoder) return tl::make_unexpected(decoder.error());
  made.decoder_ = std::move(*decoder);
  const auto prefix =
      read_prefix(field_or_null(*document, "post_processor"), where("post_processor"));
  if (!prefix) return tl::make_unexpected(prefix.error());
  const auto tokens = made.known(*prefix, where("post_processor"));
  if (!tokens) return tl::make_unexpected(tokens.error());
  auto barred = check_settings(folder, *document, made.added_, *prefix);
  if (!barred) return tl::make_unexpected(barred.error());
  made.barred_ = std::move(*barred);
  made.bos_ = prefix->empty() ? made.find_bos(folder) : tokens;
  return made;
}

exact::Result<std::vector<Id>> Tokenizer::known(std::vector<Id> ids,
                                                const std::string& where) const {
  for (const Id id : ids) {
    if (content_of(id) == nullptr) {
      return exact::fail("SP2211", where,
                         "id " + std::to_string(id) + " is not a token of this tokenizer");
    }
  }
  return ids;
}

exact::Result<std::vector<Id>> Tokenizer::find_bos(const fs::path& folder) const {
  const auto bos = named_bos(folder);
  if (!bos) return tl::make_unexpected(bos.error());
  if (*bos) {
    const auto added = added_.vocabulary().id_of(**bos);
    const auto id = added ? added : model_.vocabulary().id_of(**bos);
    if (id) return std::vector{*id};
    return exact::fail("SP2210", folder.string(),
                       "bos_token is not a token of tokenizer.json; ask for ids without BOS");
  }
  const fs::path model = folder / "config.json";
  const auto config = read_if_there(model);
  if (!config) return tl::make_unexpected(config.error());
  const Value& number = field_or_null(*config, "bos_token_id");
  if (number.is_null()) {
    return exact::fail(
        "SP2210", folder.string(),
        "names no BOS token (post-processor, bos_token or bos_token_id); ask for ids without BOS");
  }
  const auto id = read_id(number, model.string() + ": bos_token_id");
  if (!id) return tl::make_unexpected(id.error());
  return known({*id}, model.string() + ": bos_token_id");
}

exact::Result<std::vector<Id>> Tokenizer::encode(std::string_view text, Bos bos) const {
  if (text.size() > kMaxInput)
    return exact::fail("SP2208", "text", "is longer than 8 MiB; encode it in parts");
  if (!is_utf8(text)) return exact::fail("SP2208", "text", "is not UTF-8; save it as UTF-8");
  if (const auto fits = refuse_barred(text, barred_, added_); !fits) {
    return tl::make_unexpected(fits.error());
  }
  if (bos == Bos::kWith && !bos_) return bos_;
  std::vector<Id> ids;
  if (bos == Bos::kWith) ids = *bos_;
  Encoding encoding(normalizer_, pre_tokenizer_, model_, added_, ids);
  if (const auto done = encoding.text(text); !done) return tl::make_unexpected(done.error());
  return ids;
}

const std::string* Tokenizer::content_of(Id id) const {
  const std::string* const added = added_.vocabulary().content_of(id);
  return added != nullptr ? added : model_.vocabulary().content_of(id);
}

exact::Result<std::string> Tokenizer::text_of(Id id) const {
  if (const std::string* const added = added_.vocabulary().content_of(id)) return *added;
  const std::string* const content = model_.vocabulary().content_of(id);
  if (content == nullptr) {
    return exact::fail("SP2211", "text_of",
                       "id " + std::to_string(id) + " is not a token of this tokenizer");
  }
  auto bytes = decoder_.bytes_of(*content);
  if (!bytes) return bytes;
  return with_bytes_named(*bytes);
}

}  // namespace sinkproof::tokenizer
