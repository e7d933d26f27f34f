#include "cli/language_measurement.hpp"

#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "certificate/sha256.hpp"
#include "cli/language_certificate.hpp"
#include "cli/sink_share.hpp"
#include "cli/text_tokens.hpp"
#include "estimate/saved_rows.hpp"
#include "estimate/tokens.hpp"
#include "language/folder.hpp"
#include "npy/npy.hpp"
#include "output/replace.hpp"
#include "output/safetensors.hpp"

namespace sinkproof::cli {
namespace {

using estimate::Array;
using exact::fail;
using exact::Result;

constexpr const char* kGenerator = "philox4x32-10, uniform ids";
constexpr std::size_t kDefaultLength = 64;

// "4,60,renumbered" at its commas.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') parts.emplace_back();
    if (c != ',') parts.back() += c;
  }
  return parts;
}

std::optional<std::size_t> number_of(const std::string& text) {
  constexpr std::size_t kMost = 1U << 20U;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > kMost) return {};
  return number;
}

Result<std::vector<estimate::Intervention>> interventions_of(const AuditArguments& arguments) {
  std::vector<estimate::Intervention> all;
  for (const std::string& text : arguments.evict) {
    const auto parts = parts_of(text);
    const auto kept = number_of(parts.front());
    const auto window = parts.size() > 1 ? number_of(parts[1]) : std::nullopt;
    const bool renumbered = parts.size() == 3 && parts[2] == "renumbered";
    if (!kept || !window || *window == 0 || (parts.size() > 2 && !renumbered)) {
      return fail("SP1509", "--evict " + text.substr(0, 40),
                  "must be S,W or S,W,renumbered, where S is the number of first tokens to keep "
                  "and W >= 1 is the window, such as --evict 4,28");
    }
    all.push_back({"evict " + text, {.eviction = {{*kept, *window, renumbered}}, .ablated = {}}});
  }
  for (const std::string& text : arguments.ablate) {
    const auto parts = parts_of(text);
    const auto layer = number_of(parts.front());
    const auto head = parts.size() == 2 ? number_of(parts[1]) : std::nullopt;
    if (!layer || !head) {
      return fail("SP1509", "--ablate " + text.substr(0, 40),
                  "must be LAYER,HEAD, both counted from 0, such as --ablate 5,1");
    }
    all.push_back({"ablate " + text, {.eviction = {}, .ablated = {{*layer, *head}}}});
  }
  return all;
}

Result<TextTokens> tokens_of(const AuditArguments& arguments, const language::Model& model) {
  if (!arguments.text.empty()) {
    const bool with = arguments.bos == "with";
    return text_tokens(arguments.folder, arguments.text,
                       with ? tokenizer::Bos::kWith : tokenizer::Bos::kWithout, arguments.length);
  }
  const std::size_t length = arguments.length == 0 ? kDefaultLength : arguments.length;
  auto sequences =
      arguments.tokens.empty()
          ? estimate::draw_tokens(arguments.random, length, arguments.seed, model.vocabulary())
          : estimate::read_tokens(arguments.tokens);
  if (!sequences) return tl::unexpected(sequences.error());
  return TextTokens{*std::move(sequences), {}};
}

Result<json::Value> origin_of(const AuditArguments& arguments) {
  if (!arguments.text.empty()) {
    const auto hash = certificate::sha256_hex_of_file(arguments.text);
    if (!hash) return tl::unexpected(hash.error());
    return json::Value{{"text_sha256", *hash}, {"bos", arguments.bos}};
  }
  if (arguments.tokens.empty()) {
    return json::Value{
        {"random", arguments.random}, {"seed", arguments.seed}, {"generator", kGenerator}};
  }
  const auto hash = certificate::sha256_hex_of_file(arguments.tokens);
  if (!hash) return tl::unexpected(hash.error());
  return json::Value{{"sha256", *hash}};
}

// Without the axis of sequences where there is one.
Result<void> save(const std::string& path, const Array& array) {
  if (path.empty()) return {};
  std::span<const std::size_t> shape = array.shape;
  if (shape.front() == 1) shape = shape.subspan(1);
  static_assert(std::endian::native == std::endian::little);
  std::string bytes = npy::float64_header(shape);
  const std::size_t start = bytes.size();
  bytes.resize(start + array.values.size() * sizeof(double));
  std::memcpy(bytes.data() + start, array.values.data(), bytes.size() - start);
  return output::replace(path, bytes);
}

Result<void> save_rows(const AuditArguments& arguments, const language::Model& model,
                       const estimate::Request& request) {
  const std::string& path = arguments.save_inputs;
  if (path.empty()) return {};
  if (request.sequences.size() != 1) {
    return fail("SP1508", "--save-inputs",
                "saves the rows of one sequence only; use --random 1, or a file with one sequence");
  }
  auto rows = estimate::saved_rows(model, request.sequences.front(), arguments.common.threads());
  if (!rows) return tl::unexpected(rows.error());
  return output::write(path, *rows);
}

Result<estimate::Request> request_of(const AuditArguments& arguments, const language::Model& model,
                                     std::vector<estimate::Tokens> sequences) {
  estimate::Request request;
  auto interventions = interventions_of(arguments);
  if (!interventions) return tl::unexpected(interventions.error());
  request.interventions = *std::move(interventions);
  request.sequences = std::move(sequences);
  request.position = arguments.position;
  request.keep_attention = !arguments.save_attention.empty();
  request.keep_logits = !arguments.save_logits.empty();
  request.threads = arguments.common.threads();
  if (request.keep_logits && !model.head) {
    return fail("SP1508", "--save-logits",
                "this model has no logits, because it is an encoder or its files hold no output "
                "head; leave --save-logits out");
  }
  return request;
}

Result<estimate::Estimates> estimates_of(const AuditArguments& arguments,
                                         const language::Model& model,
                                         const estimate::Request& asked) {
  ProgressLine line(arguments.common.quiet);
  estimate::Request request = asked;
  request.progress = [&](double share) { line.show_steady("forward pass", share); };
  for (const std::string& source : {arguments.text, arguments.tokens}) {
    if (!source.empty()) return estimate::estimate(model, request, source);
  }
  return estimate::estimate(model, request, arguments.folder);
}

}  // namespace

Result<LanguageAudit> audit_language(const AuditArguments& arguments) {
  const auto epsilon = sink_threshold(arguments.epsilon);
  if (!epsilon) return tl::unexpected(epsilon.error());
  auto folder = language::open_folder(
      arguments.folder, {arguments.assume_neutral.begin(), arguments.assume_neutral.end()});
  if (!folder) return tl::unexpected(folder.error());
  const language::Model& model = (*folder)->model();
  auto tokens = tokens_of(arguments, model);
  if (!tokens) return tl::unexpected(tokens.error());
  auto request = request_of(arguments, model, std::move(tokens->sequences));
  if (!request) return tl::unexpected(request.error());
  auto origin = origin_of(arguments);
  if (!origin) return tl::unexpected(origin.error());
  auto estimates = estimates_of(arguments, model, *request);
  if (!estimates) return tl::unexpected(estimates.error());
  for (const auto& [path, array] : {std::pair(arguments.save_attention, &estimates->attention),
                                    std::pair(arguments.save_logits, &estimates->logits)}) {
    if (auto saved = save(path, *array); !saved) return tl::unexpected(saved.error());
  }
  if (auto saved = save_rows(arguments, model, *request); !saved) {
    return tl::unexpected(saved.error());
  }
  std::optional<certificate::Language> enclosed;
  if (arguments.encloses()) {
    auto found = certify_language(arguments, **folder, *request, *epsilon);
    if (!found) return tl::unexpected(found.error());
    enclosed = *std::move(found);
  }
  LanguageMeasurement measurement{
      model,    (*folder)->files(),    *std::move(origin),      *std::move(request),
      *epsilon, *std::move(estimates), std::move(tokens->texts)};
  return LanguageAudit{*std::move(folder), std::move(measurement), std::move(enclosed)};
}

json::Value audit_json(const LanguageAudit& audit) {
  json::Value value = language_json(audit.measurement);
  if (audit.enclosed) value["enclosures"] = enclosures_json(*audit.enclosed);
  return value;
}

void print_audit(const LanguageAudit& audit) {
  print_language(audit.measurement);
  if (audit.enclosed) print_enclosures(*audit.enclosed);
}

Result<int> measure_language(const AuditArguments& arguments) {
  const auto audit = audit_language(arguments);
  if (!audit) return tl::unexpected(audit.error());
  if (arguments.common.json()) {
    say_json(audit_json(*audit));
  } else if (!arguments.common.quiet) {
    print_audit(*audit);
  }
  return kOk;
}

}  // namespace sinkproof::cli
