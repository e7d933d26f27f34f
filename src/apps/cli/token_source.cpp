#include "cli/token_source.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "json/decimals.hpp"
#include "text/printable.hpp"
#include "tokenizer/token_text.hpp"
#include "tokenizer/tokenizer.hpp"

namespace sinkproof::cli {
namespace {

namespace fs = std::filesystem;
using estimate::OpenSequences;
using estimate::Sequence;
using estimate::Sequences;
using estimate::Tokens;
using exact::fail;
using exact::Result;
using tokenizer::Bos;

constexpr const char* kGenerator = "philox4x32-10, uniform ids";
constexpr std::size_t kDefaultLength = 64;
constexpr std::size_t kBytes = 256;  // the vocabulary of a model of bytes
constexpr std::size_t kMostLine = tokenizer::kMaxInput;
constexpr const char* kNewFile = "has changed while it was read; run it again";

// ---- texts to ids

struct Encoder {
  std::function<Result<Tokens>(const std::string& text)> encode;  // without what begins a text
  Tokens begin;
  std::function<Result<std::string>(std::size_t id)> text_of;
};

Result<Encoder> byte_encoder(const AuditArguments& arguments, const language::Model& model) {
  const bool has_bos = model.vocabulary() > kBytes;
  if (arguments.bos == "with" && !has_bos) {
    return fail("SP2210", arguments.folder,
                "was trained without a token that begins texts; use --bos without, or a model that "
                "train-lm made with its option --bos");
  }
  Encoder encoder;
  if (has_bos && arguments.bos != "without") encoder.begin = {kBytes};
  encoder.encode = [](const std::string& text) -> Result<Tokens> {
    Tokens ids;
    for (const char byte : text) ids.push_back(static_cast<unsigned char>(byte));
    return ids;
  };
  encoder.text_of = tokenizer::byte_text();
  return encoder;
}

Result<Encoder> tokenizer_encoder(const AuditArguments& arguments) {
  if (arguments.bos.empty()) {
    return fail("SP1508", "--text",
                "needs --bos with or --bos without, because a sink is on the first token");
  }
  auto read = tokenizer::Tokenizer::read(arguments.folder);
  if (!read) return tl::unexpected(read.error());
  const auto tokenizer = std::make_shared<tokenizer::Tokenizer>(*std::move(read));
  Encoder encoder;
  const auto ids_of = [tokenizer](const std::string& text, Bos bos) -> Result<Tokens> {
    const auto ids = tokenizer->encode(text, bos);
    if (!ids) return tl::unexpected(ids.error());
    return Tokens(ids->begin(), ids->end());
  };
  if (arguments.bos == "with") {
    auto begin = ids_of("", Bos::kWith);
    if (!begin) return tl::unexpected(begin.error());
    encoder.begin = *std::move(begin);
  }
  encoder.encode = [ids_of](const std::string& text) { return ids_of(text, Bos::kWithout); };
  encoder.text_of = [tokenizer](std::size_t id) {
    return tokenizer->text_of(static_cast<tokenizer::Id>(id));
  };
  return encoder;
}

// ---- documents, each cut into sequences

// Ids without what begins a text.
using Documents = std::function<Result<std::optional<Sequence>>()>;

struct Cut {
  Tokens begin;
  std::size_t length = 0;  // 0: documents stay whole
};

std::vector<Tokens> cut(const Tokens& body, const Cut& how) {
  const std::size_t whole = how.begin.size() + body.size();
  const std::size_t room =
      how.length == 0 || whole <= how.length ? body.size() : how.length - how.begin.size();
  std::vector<Tokens> sequences;
  std::size_t at = 0;
  do {
    Tokens ids = how.begin;
    const auto first = body.begin() + static_cast<std::ptrdiff_t>(at);
    ids.insert(ids.end(), first, first + static_cast<std::ptrdiff_t>(room));
    sequences.push_back(std::move(ids));
    at += room;
  } while (at + room <= body.size() && room != 0);
  return sequences;
}

Sequences sequences_of(Documents documents, const Cut& how) {
  const auto ready = std::make_shared<std::deque<Sequence>>();
  return [documents = std::move(documents), how, ready]() -> Result<std::optional<Sequence>> {
    while (ready->empty()) {
      const auto document = documents();
      if (!document || !*document) return document;
      for (Tokens& ids : cut((*document)->ids, how)) {
        ready->push_back({std::move(ids), (*document)->where});
      }
    }
    Sequence next = std::move(ready->front());
    ready->pop_front();
    return next;
  };
}

Documents listed(std::vector<Tokens> lists, const std::string& where) {
  const auto all = std::make_shared<std::vector<Tokens>>(std::move(lists));
  return [all, where, at = std::size_t{0}]() mutable -> Result<std::optional<Sequence>> {
    if (at == all->size()) return std::nullopt;
    const std::string name = all->size() == 1 ? where : fmt::format("{}: sequence {}", where, at);
    return Sequence{(*all)[at++], name};
  };
}

// ---- JSON Lines

using IdsOfLine = std::function<Result<Tokens>(const json::Value& line, const std::string& where)>;

Result<Tokens> ids_in(const json::Value& line, const std::string& where) {
  if (line.is_string() || (line.is_object() && line.contains("text"))) {
    return fail("SP2103", where, "is a text; read texts with --text in place of --tokens");
  }
  return estimate::read_ids(line, where);
}

IdsOfLine encoded_by(const Encoder& encoder) {
  return [encode = encoder.encode](const json::Value& line,
                                   const std::string& where) -> Result<Tokens> {
    const json::Value& text = line.is_object() && line.contains("text") ? line["text"] : line;
    if (text.is_array()) {
      return fail("SP2103", where, "is a list; read token ids with --tokens in place of --text");
    }
    if (!text.is_string()) {
      return fail("SP2103", where, R"(must be a JSON string, or an object with a string "text")");
    }
    auto ids = encode(text.get<std::string>());
    if (!ids) return fail(ids.error().code, where, ids.error().what);
    return ids;
  };
}

class JsonLines {
 public:
  JsonLines(const fs::path& path, IdsOfLine ids_of)
      : path_(path.string()), stream_(path, std::ios::binary), ids_of_(std::move(ids_of)) {}
  [[nodiscard]] bool good() const { return stream_.good(); }

  Result<std::optional<Sequence>> next() {
    std::string line;
    if (!take(line)) {
      if (stream_.bad()) return fail("SP0201", path_, "cannot be read");
      return std::nullopt;
    }
    const std::string where = fmt::format("{}: line {}", path_, ++number_);
    if (line.size() > kMostLine) {
      return fail("SP0202", where, fmt::format("is over {} bytes; split it", kMostLine));
    }
    const auto value = json::parse_with_decimals(line, where);
    if (!value) return tl::unexpected(value.error());
    auto ids = ids_of_(*value, where);
    if (!ids) return tl::unexpected(ids.error());
    return Sequence{*std::move(ids), where};
  }

 private:
  // The next line and no more of it than is too much.
  bool take(std::string& line) {
    std::streambuf& from = *stream_.rdbuf();
    for (int c = from.sbumpc(); c != std::char_traits<char>::eof(); c = from.sbumpc()) {
      if (c == '\n' || line.size() > kMostLine) return true;
      line += static_cast<char>(c);
    }
    return !line.empty();
  }

  std::string path_;
  std::ifstream stream_;
  IdsOfLine ids_of_;
  std::size_t number_ = 0;
};

Result<Documents> json_lines(const std::string& path, const IdsOfLine& ids_of) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    return fail("SP0201", path, "is not a file that can be read; name a .jsonl file");
  }
  const auto lines = std::make_shared<JsonLines>(path, ids_of);
  if (!lines->good()) return fail("SP0201", path, "cannot be opened; name a .jsonl file");
  return [lines] { return lines->next(); };
}

// ---- folders of prompts

std::vector<fs::path> prompts_in(const fs::path& folder) {
  std::vector<fs::path> all = file::sorted_entries(folder);
  std::erase_if(all, [](const fs::path& path) { return path.extension() != ".txt"; });
  return all;
}

Result<std::optional<Sequence>> document_of(const fs::path& path, const Encoder& encoder) {
  const auto text = file::read(path, tokenizer::kMaxInput);
  if (!text) return tl::unexpected(text.error());
  auto ids = encoder.encode(*text);
  if (!ids) return fail(ids.error().code, path.string(), ids.error().what);
  return Sequence{*std::move(ids), path.string()};
}

Documents documents_of(std::vector<fs::path> paths, const Encoder& encoder) {
  return [paths = std::move(paths), encoder,
          at = std::size_t{0}]() mutable -> Result<std::optional<Sequence>> {
    if (at == paths.size()) return std::nullopt;
    return document_of(paths[at++], encoder);
  };
}

// The SHA-256 of what `sha256sum *.txt` prints in the folder, in the C locale.
Result<std::string> hash_of_folder(const std::vector<fs::path>& paths) {
  std::string lines;
  for (const fs::path& path : paths) {
    const auto hash = certificate::sha256_hex_of_file(path);
    if (!hash) return tl::unexpected(hash.error());
    lines += *hash + "  " + path.filename().string() + "\n";
  }
  return certificate::sha256_hex(lines);
}

// ---- the kinds of source

Result<TokenSource> of_ids(const AuditArguments& arguments) {
  const std::string path = arguments.tokens;
  const auto hash = certificate::sha256_hex_of_file(path);
  if (!hash) return tl::unexpected(hash.error());
  TokenSource source;
  source.origin = {{"sha256", *hash}};
  const Cut how{{}, arguments.length};
  if (fs::path(path).extension() == ".jsonl") {
    source.open = [path, how]() -> Result<Sequences> {
      auto documents = json_lines(path, ids_in);
      if (!documents) return tl::unexpected(documents.error());
      return sequences_of(*std::move(documents), how);
    };
    return source;
  }
  auto lists = estimate::read_tokens(path);
  if (!lists) return tl::unexpected(lists.error());
  source.open = [lists = *std::move(lists), path, how]() -> Result<Sequences> {
    return sequences_of(listed(lists, path), how);
  };
  return source;
}

Result<TokenSource> of_texts(const AuditArguments& arguments, const language::Model& model) {
  const auto encoder = tokenizer::reads_bytes(arguments.folder) ? byte_encoder(arguments, model)
                                                                : tokenizer_encoder(arguments);
  if (!encoder) return tl::unexpected(encoder.error());
  const Cut how{encoder->begin, arguments.length};
  if (how.length != 0 && how.length <= how.begin.size()) {
    return fail("SP1508", "--length",
                fmt::format("leaves no room for a text after the {} token(s) that begin it; give a "
                            "larger one",
                            how.begin.size()));
  }
  const fs::path path = arguments.text;
  std::error_code none;
  const bool is_folder = fs::is_directory(path, none);
  std::vector<fs::path> paths = is_folder ? prompts_in(path) : std::vector<fs::path>{path};
  if (paths.empty()) {
    return fail("SP1508", "--text " + path.string(),
                "is a folder without .txt files; name one that holds a prompt in each .txt file");
  }
  const auto hash = is_folder ? hash_of_folder(paths) : certificate::sha256_hex_of_file(path);
  if (!hash) return tl::unexpected(hash.error());
  TokenSource source;
  source.origin = {{"text_sha256", *hash}, {"bos", encoder->begin.empty() ? "without" : "with"}};
  source.text_of = encoder->text_of;
  source.open = [path, paths = std::move(paths), encoder = *encoder, how]() -> Result<Sequences> {
    if (path.extension() != ".jsonl") return sequences_of(documents_of(paths, encoder), how);
    auto documents = json_lines(path.string(), encoded_by(encoder));
    if (!documents) return tl::unexpected(documents.error());
    return sequences_of(*std::move(documents), how);
  };
  return source;
}

Result<TokenSource> drawn(const AuditArguments& arguments, const language::Model& model) {
  const std::size_t length = arguments.length == 0 ? kDefaultLength : arguments.length;
  TokenSource source;
  source.origin = {
      {"random", arguments.random}, {"seed", arguments.seed}, {"generator", kGenerator}};
  source.open = [count = arguments.random, seed = arguments.seed, length,
                 vocabulary = model.vocabulary()]() -> Result<Sequences> {
    return [=, at = std::size_t{0}]() mutable -> Result<std::optional<Sequence>> {
      if (at == count) return std::nullopt;
      const std::size_t number = at++;
      return Sequence{estimate::draw_tokens(number, length, seed, vocabulary),
                      fmt::format("random sequence {}", number)};
    };
  };
  return source;
}

}  // namespace

Result<TokenSource> token_source(const AuditArguments& arguments, const language::Model& model) {
  if (!arguments.text.empty()) return of_texts(arguments, model);
  auto source = arguments.tokens.empty() ? drawn(arguments, model) : of_ids(arguments);
  const bool kept = arguments.common.json() && !arguments.summary;
  if (!source || !kept) return source;
  if (const auto text_of = tokenizer::token_text(arguments.folder)) source->text_of = *text_of;
  return source;
}

}  // namespace sinkproof::cli
