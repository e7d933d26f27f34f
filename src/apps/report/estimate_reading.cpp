#include "report/estimate_reading.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "certificate/attention.hpp"
#include "certificate/envelope.hpp"
#include "certificate/sha256.hpp"
#include "certificate/strict.hpp"
#include "estimate/interventions.hpp"
#include "file/file.hpp"
#include "report/language_reading.hpp"
#include "rounded/double.hpp"
#include "text/printable.hpp"

namespace sinkproof::report {
namespace {

namespace fs = std::filesystem;
using exact::Rational;

constexpr const char* kArithmetic = "estimates in float64";
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30U;
constexpr std::size_t kMostCount = std::size_t{1} << 30U;
constexpr std::size_t kMostPositions = 8192;

constexpr std::string_view kKeys[] = {
    "schema",     "kind",      "arithmetic", "architecture",   "attention", "layers",
    "heads",      "key_heads", "width",      "files",          "tokens",    "position",
    "epsilon",    "summary",   "estimates",  "digest",         "sequences", "texts",
    "enclosures", "name",      "remarks",    "assumed_neutral"};

constexpr std::pair<LanguageReadout, Kept> kByPosition[] = {
    {LanguageReadout::kHiddenNorm, Kept::kMean},
    {LanguageReadout::kQueryNorm, Kept::kMean},
    {LanguageReadout::kKeyNorm, Kept::kMean},
    {LanguageReadout::kValueNorm, Kept::kMean}};

// A value of the file and its name in it. Its functions throw Rejected, SP1208, with that name.
class Field {
 public:
  Field(const json::Value& value, std::string name) : value_(value), name_(std::move(name)) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw exact::Rejected{
        {"SP1208", name_, what + "; print it again with sinkproof audit --format json"}};
  }
  void need(bool holds, const std::string& what) const {
    if (!holds) refuse(what);
  }
  [[nodiscard]] bool has(const std::string& key) const { return value_.contains(key); }
  [[nodiscard]] const json::Value& value() const { return value_; }

  [[nodiscard]] Field at(const std::string& key) const {
    need(value_.is_object(), "must be an object");
    const std::string name = name_.ends_with(": ") ? name_ + key : name_ + "." + key;
    const auto found = value_.find(key);
    if (found == value_.end()) Field(value_, name).refuse("is missing");
    return {*found, name};
  }
  [[nodiscard]] std::string text() const {
    need(value_.is_string(), "must be text");
    return value_.get<std::string>();
  }
  [[nodiscard]] std::size_t count(std::size_t least, std::size_t most) const {
    const std::string form =
        "must be an integer from " + std::to_string(least) + " to " + std::to_string(most);
    need(value_.is_number_unsigned(), form);
    const auto number = value_.get<std::uint64_t>();
    need(number >= least && number <= most, form);
    return number;
  }
  // Nested lists of this shape, row-major.
  template <typename T>
  std::vector<T> all(const std::vector<std::size_t>& shape, T (Field::*of)() const) const {
    std::vector<T> entries;
    collect(shape, 0, of, entries);
    return entries;
  }
  [[nodiscard]] Rational number() const {
    need(value_.is_number(), "must be a number");
    return rounded::from_double(value_.get<double>());
  }
  // One sequence has no standard error.
  [[nodiscard]] std::optional<Rational> number_or_null() const {
    if (value_.is_null()) return std::nullopt;
    return number();
  }
  [[nodiscard]] std::size_t any_count() const { return count(0, kMostCount); }

 private:
  template <typename T>
  void collect(const std::vector<std::size_t>& shape, std::size_t depth, T (Field::*of)() const,
               std::vector<T>& entries) const {
    if (depth == shape.size()) {
      entries.push_back((this->*of)());
      return;
    }
    need(value_.is_array() && value_.size() == shape[depth],
         "must be a list of " + std::to_string(shape[depth]));
    for (std::size_t i = 0; i < shape[depth]; ++i) {
      Field(value_[i], name_ + "[" + std::to_string(i) + "]")
          .collect(shape, depth + 1, of, entries);
    }
  }

  const json::Value& value_;
  std::string name_;
};

EnclosureField points(const Field& field, std::size_t rows, std::size_t columns) {
  EnclosureField all{rows, columns, {}};
  for (const Rational& number : field.all({rows, columns}, &Field::number)) {
    all.cells.push_back({number, number});
  }
  return all;
}

EnclosureField row_of_points(const Field& field, std::size_t columns) {
  EnclosureField all{1, columns, {}};
  for (const Rational& number : field.all({columns}, &Field::number)) {
    all.cells.push_back({number, number});
  }
  return all;
}

language::Config config_of(const Field& file) {
  language::Config config;
  config.architecture = language::find_architecture(file.at("architecture").text());
  file.at("architecture")
      .need(config.architecture != nullptr, "names no architecture that is read");
  const auto* const kind = certificate::find_attention(file.at("attention").text());
  file.at("attention").need(kind != nullptr, "names no kind of attention");
  config.attention = kind->attention;
  config.layers = file.at("layers").count(1, language::kMostLayers);
  config.heads = file.at("heads").count(1, language::kMostHeads);
  config.key_heads = file.at("key_heads").count(1, config.heads);
  config.width = file.at("width").count(1, language::kMostWidth);
  return config;
}

void read_by_head(const Field& summary, const language::Config& config, Estimated& estimated) {
  for (const auto& row : certificate::kLanguageReadouts) {
    if (!row.has_position || row.is_share) continue;
    const Field figure = summary.at(std::string(row.name));
    estimated.heads[row.readout] = points(figure.at("mean"), config.layers, config.heads);
    estimated.errors[row.readout] =
        figure.at("standard_error").all({config.layers, config.heads}, &Field::number_or_null);
  }
  for (const auto readout : {LanguageReadout::kAlpha, LanguageReadout::kValueAlpha}) {
    const Field counts = summary.at("above").at(std::string(certificate::row_of(readout).name));
    estimated.above[readout] = counts.all({config.layers, config.heads}, &Field::any_count);
    for (const std::size_t count : estimated.above[readout]) {
      counts.need(count <= estimated.sequences, "has more sequences than there are");
    }
  }
}

void read_by_position(const Field& summary, const language::Config& config, Estimated& estimated) {
  const std::size_t length = estimated.longest;
  for (const auto& [readout, kept] : kByPosition) {
    const bool hidden = readout == LanguageReadout::kHiddenNorm;
    estimated.positions[{readout, kept}] =
        points(summary.at(std::string(certificate::row_of(readout).name)),
               config.layers + (hidden ? 1 : 0), length);
  }
  estimated.positions[{LanguageReadout::kHiddenNorm, Kept::kLargest}] =
      points(summary.at("largest-hidden-norm"), config.layers + 1, length);
  estimated.cosines = row_of_points(summary.at("mean-cosine").at("mean"), config.layers + 1);
  summary.at("reached").all({length}, &Field::any_count);
  const Field shares = summary.at("shares");
  shares.need(shares.value().is_array() && shares.value().size() <= estimated.shortest,
              "must be a list with at most a count for each position");
  estimated.shares = shares.all({shares.value().size()}, &Field::any_count);
  for (const std::size_t count : estimated.shares) {
    shares.need(count <= estimated.sequences * config.layers * config.heads,
                "has more heads than there are");
  }
}

void read_moved(const Field& summary, const language::Config& config, Estimated& estimated) {
  const Field all = summary.at("moved");
  all.need(all.value().is_object(), "must be an object");
  for (const auto& item : all.value().items()) {
    const std::string& name = item.key();
    const Field one = all.at(name);
    const auto intervention = estimate::intervention_of(name);
    one.need(intervention.has_value(), "names no intervention");
    one.need(has_heads(config, *intervention), "names a head that the model does not have");
    const json::Value& list = one.at("largest").value();
    const bool logits = list.is_array() && list.size() == config.layers + 2;
    Moved moved{*intervention, estimated.sequences, {}, {}};
    moved.rows = row_of_points(one.at("largest"), config.layers + (logits ? 2 : 1)).cells;
    if (logits) {
      moved.logits = moved.rows.back();
      moved.rows.pop_back();
    }
    if (summary.has("loss")) {
      const Field with = summary.at("loss").at("interventions");
      if (with.has(name)) moved.loss_change = with.at(name).at("change").at("mean").number();
    }
    estimated.moved.push_back(std::move(moved));
  }
  if (summary.has("loss")) estimated.loss = summary.at("loss").at("mean").number();
}

void read_texts(const Field& texts, LanguageAudit& audit) {
  texts.need(texts.value().is_array() && texts.value().size() == audit.stated.sequences.size(),
             "must be a list with an entry for each sequence");
  for (std::size_t s = 0; s < audit.stated.sequences.size(); ++s) {
    const Field list(texts.value()[s], "texts[" + std::to_string(s) + "]");
    audit.texts.emplace_back();
    for (const std::string& one : list.all({audit.stated.sequences[s].size()}, &Field::text)) {
      audit.texts.back().push_back(text::one_line(one, kMostText));
    }
  }
}

LanguageAudit audit_of(const Field& file) {
  for (const auto& item : file.value().items()) {
    if (std::find(std::begin(kKeys), std::end(kKeys), item.key()) == std::end(kKeys)) {
      file.at(item.key()).refuse("is unknown");
    }
  }
  file.at("schema").need(file.at("schema").value() == 1, "must be 1");
  file.at("arithmetic")
      .need(file.at("arithmetic").text() == kArithmetic,
            std::string("must be \"") + kArithmetic + "\"");
  LanguageAudit audit{{}, config_of(file), Estimated{}};
  Estimated& estimated = *audit.estimated;
  const Field summary = file.at("summary");
  estimated.sequences = summary.at("sequences").count(1, kMostCount);
  estimated.longest = summary.at("longest").count(1, kMostPositions);
  estimated.shortest = summary.at("shortest").count(1, estimated.longest);
  estimated.position = file.at("position").count(1, estimated.shortest);
  const auto epsilon = exact::parse_rational(file.at("epsilon").text());
  file.at("epsilon").need(epsilon && *epsilon > 0 && *epsilon <= 1,
                          "must be a number p/q above 0, at most 1");
  estimated.epsilon = *epsilon;
  read_by_head(summary, audit.config, estimated);
  read_by_position(summary, audit.config, estimated);
  read_moved(summary, audit.config, estimated);
  audit.stated.architecture = file.at("architecture").text();
  const Field files = file.at("files");
  files.need(files.value().is_object(), "must be an object");
  for (const auto& item : files.value().items()) {
    audit.stated.files[item.key()] = files.at(item.key()).text();
  }
  if (file.has("remarks")) estimated.remarks = file.at("remarks").text();
  if (file.has("sequences")) {
    const Field sequences = file.at("sequences");
    sequences.need(sequences.value().is_array(), "must be a list");
    for (std::size_t s = 0; s < sequences.value().size(); ++s) {
      const Field ids(sequences.value()[s], "sequences[" + std::to_string(s) + "]");
      ids.need(ids.value().is_array(), "must be a list of token ids");
      std::vector<std::size_t> list = ids.all({ids.value().size()}, &Field::any_count);
      audit.stated.sequences.emplace_back(list.begin(), list.end());
    }
  }
  if (file.has("texts")) read_texts(file.at("texts"), audit);
  return audit;
}

Input input_of(const fs::path& path, const json::Value& value) {
  Input input;
  input.path = path;
  input.outcome.file = path.string();
  input.outcome.claim = "language";
  const auto audit = certificate::result_of([&] {
    const Field file(value, path.filename().string() + ": ");
    exact::require(value.is_object() && file.at("digest").text() == estimate_digest(value),
                   path.filename().string(),
                   "has been edited since sinkproof audit printed it: its digest is another one; "
                   "print it again with sinkproof audit --format json",
                   "SP1207");
    return std::make_shared<const LanguageAudit>(audit_of(file));
  });
  if (!audit) {
    input.outcome.verdict = "unknown";
    input.outcome.code = audit.error().code;
    input.outcome.reason = audit.error().where + " " + audit.error().what;
    input.outcome.exit_code = 2;
    return input;
  }
  input.outcome.verdict = "estimate";
  input.outcome.remarks = (*audit)->estimated->remarks;
  input.outcome.exit_code = 0;
  input.estimate = *audit;
  if (value.contains("name") && value["name"].is_string()) {
    input.label = value["name"].get<std::string>();
  }
  return input;
}

}  // namespace

std::string estimate_digest(json::Value printed) {
  printed.erase("digest");
  return certificate::sha256_hex(
      printed.dump(-1, ' ', false, json::Value::error_handler_t::replace));
}

std::optional<std::vector<Input>> read_estimates(const fs::path& path) {
  if (certificate::read_envelope(path)) return std::nullopt;
  const auto bytes = file::read(path, kMostBytes);
  if (!bytes) return std::nullopt;
  const json::Value value = json::Value::parse(*bytes, nullptr, false);
  if (!value.is_object()) return std::nullopt;
  if (value.contains("arithmetic")) return std::vector<Input>{input_of(path, value)};
  if (value.value("kind", json::Value()) != "language-models" || !value.contains("models") ||
      !value["models"].is_array()) {
    return std::nullopt;
  }
  std::vector<Input> all;
  for (const json::Value& one : value["models"]) all.push_back(input_of(path, one));
  return all;
}

}  // namespace sinkproof::report
