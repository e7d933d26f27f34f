#include "cli/language_measurement.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "cli/language_certificate.hpp"
#include "cli/sink_share.hpp"
#include "cli/token_source.hpp"
#include "estimate/interventions.hpp"
#include "estimate/saved_rows.hpp"
#include "language/folder.hpp"
#include "model/saved_folder.hpp"
#include "npy/npy.hpp"
#include "output/replace.hpp"
#include "output/safetensors.hpp"
#include "report/estimate_reading.hpp"
#include "text/words.hpp"

namespace sinkproof::cli {
namespace {

using estimate::Array;
using exact::fail;
using exact::Result;

// LANGUAGE_RULES.md, 5.1: of a certificate.
constexpr std::size_t kMostEnclosed = 4096;

Result<std::vector<estimate::Intervention>> interventions_of(const AuditArguments& arguments) {
  std::vector<estimate::Intervention> all;
  for (const std::string& text : arguments.evict) {
    const auto taken = estimate::eviction_of(text);
    if (!taken) {
      return fail("SP1509", "--evict " + text.substr(0, 40),
                  "must be S,W or S,W,renumbered, where S is the number of first tokens to keep "
                  "and W >= 1 is the window, such as --evict 4,28");
    }
    all.push_back({"evict " + text, *taken});
  }
  for (const std::string& text : arguments.ablate) {
    const auto taken = estimate::ablation_of(text);
    if (!taken) {
      return fail("SP1509", "--ablate " + text.substr(0, 40),
                  "must be LAYER,HEAD, both counted from 0, such as --ablate 5,1, or several "
                  "heads at once, each named once, such as --ablate 3,0+3,5");
    }
    all.push_back({"ablate " + text, *taken});
  }
  return all;
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
                       const estimate::Estimates& estimates) {
  const std::string& path = arguments.save_inputs;
  if (path.empty()) return {};
  if (estimates.summary.extent.sequences != 1) {
    return fail("SP1508", "--save-inputs",
                "saves the rows of one sequence only; use --random 1, or a file with one sequence");
  }
  auto rows = estimate::saved_rows(model, estimates.first, arguments.common.threads());
  if (!rows) return tl::unexpected(rows.error());
  return output::write(path, *rows);
}

Result<estimate::Request> request_of(const AuditArguments& arguments, const language::Model& model,
                                     const TokenSource& tokens) {
  estimate::Request request;
  auto interventions = interventions_of(arguments);
  if (!interventions) return tl::unexpected(interventions.error());
  const auto epsilon = sink_threshold(arguments.epsilon);
  if (!epsilon) return tl::unexpected(epsilon.error());
  request.epsilon = *epsilon;
  request.interventions = *std::move(interventions);
  request.sequences = tokens.open;
  request.position = arguments.position;
  request.loss = model.head && (arguments.loss || !request.interventions.empty());
  request.keep = arguments.encloses() || (arguments.common.json() && !arguments.summary);
  request.keep_attention = !arguments.save_attention.empty();
  request.keep_logits = !arguments.save_logits.empty();
  request.threads = arguments.common.threads();
  for (const auto& [option, asked] :
       {std::pair("--save-logits", request.keep_logits), std::pair("--loss", arguments.loss)}) {
    if (!asked || model.head) continue;
    return fail("SP1508", option,
                "needs logits, but this model is an encoder, which has none; leave it out");
  }
  return request;
}

// Said before any pass: enclosures take much longer than estimates, and have limits of their own.
Result<void> check_enclosed(const AuditArguments& arguments, const language::Model& model,
                            const estimate::Request& request, const std::string& where) {
  if (!arguments.encloses()) return {};
  const auto extent = estimate::extent_of(model, request.sequences, where);
  if (!extent) return tl::unexpected(extent.error());
  if (extent->sequences <= kMostEnclosed && extent->longest <= kMostEnclosed) return {};
  return fail("SP1508", "--rigorous",
              fmt::format("encloses the figures of at most {0} sequences of {0} tokens each, but "
                          "{1} has {2} of up to {3}; give fewer with --rigorous and -o, or leave "
                          "both out for estimates",
                          kMostEnclosed, where, extent->sequences, extent->longest));
}

std::string place_of(const AuditArguments& arguments) {
  for (const std::string& source : {arguments.text, arguments.tokens}) {
    if (!source.empty()) return source;
  }
  return arguments.folder;
}

Result<estimate::Estimates> estimates_of(const AuditArguments& arguments,
                                         const language::Model& model,
                                         const estimate::Request& asked) {
  ProgressLine line(arguments.common.quiet);
  estimate::Request request = asked;
  request.progress = [&](double share) { line.show_steady("forward pass", share); };
  return estimate::estimate(model, request, place_of(arguments));
}

Result<std::vector<std::vector<std::string>>> texts_of(const TokenSource& tokens,
                                                       const estimate::Estimates& estimates) {
  std::vector<std::vector<std::string>> texts;
  if (!tokens.text_of) return texts;
  const std::vector<estimate::Tokens> first = {estimates.first};
  for (const estimate::Tokens& ids : estimates.sequences.empty() ? first : estimates.sequences) {
    texts.emplace_back();
    for (const std::size_t id : ids) {
      auto text = tokens.text_of(id);
      if (!text && !tokens.origin.contains("text_sha256")) return decltype(texts){};
      if (!text) return tl::unexpected(text.error());
      texts.back().push_back(*std::move(text));
    }
  }
  return texts;
}

// The model's own remarks, and that sequences are longer than it is made for.
std::string remarks_of(const AuditArguments& arguments, const language::Model& model,
                       const estimate::Extent& extent) {
  std::string remarks = model.remarks();
  const auto positions = model::positions_of(arguments.folder);
  if (!positions || extent.longest <= *positions) return remarks;
  return remarks + (remarks.empty() ? "" : "; ") +
         fmt::format(
             "sequences of {}, but config.json's max_position_embeddings is "
             "{}: the model may not be trained for that",
             text::counted(extent.longest, "token"), *positions);
}

std::string folder_name(const std::string& folder) {
  return std::filesystem::absolute(std::filesystem::path(folder) / "").parent_path().filename();
}

Result<void> save_arrays(const AuditArguments& arguments, const estimate::Estimates& estimates) {
  if (auto saved = save(arguments.save_attention, estimates.attention); !saved) return saved;
  return save(arguments.save_logits, estimates.logits);
}

Result<void> save_tables(const AuditArguments& arguments, const LanguageMeasurement& measurement) {
  if (!arguments.csv.empty()) {
    auto written = output::replace(arguments.csv, language_csv(measurement));
    if (!written) return written;
  }
  if (!arguments.csv_interventions.empty()) {
    auto written = output::replace(arguments.csv_interventions, interventions_csv(measurement));
    if (!written) return written;
  }
  if (arguments.npz.empty()) return {};
  return output::replace(arguments.npz, language_npz(measurement));
}

}  // namespace

Result<LanguageAudit> audit_language(const AuditArguments& arguments) {
  auto folder = language::open_folder(
      arguments.folder, {arguments.assume_neutral.begin(), arguments.assume_neutral.end()});
  if (!folder) return tl::unexpected(folder.error());
  const language::Model& model = (*folder)->model();
  const auto tokens = token_source(arguments, model);
  if (!tokens) return tl::unexpected(tokens.error());
  auto request = request_of(arguments, model, *tokens);
  if (!request) return tl::unexpected(request.error());
  auto fits = check_enclosed(arguments, model, *request, place_of(arguments));
  if (!fits) return tl::unexpected(fits.error());
  auto estimates = estimates_of(arguments, model, *request);
  if (!estimates) return tl::unexpected(estimates.error());
  if (auto saved = save_arrays(arguments, *estimates); !saved) {
    return tl::unexpected(saved.error());
  }
  if (auto saved = save_rows(arguments, model, *estimates); !saved) {
    return tl::unexpected(saved.error());
  }
  std::optional<certificate::Language> enclosed;
  if (arguments.encloses()) {
    auto found = certify_language(arguments, **folder, *request, estimates->sequences);
    if (!found) return tl::unexpected(found.error());
    enclosed = *std::move(found);
  }
  auto texts = texts_of(*tokens, *estimates);
  if (!texts) return tl::unexpected(texts.error());
  std::string remarks = remarks_of(arguments, model, estimates->summary.extent);
  LanguageMeasurement measurement{folder_name(arguments.folder),
                                  model,
                                  (*folder)->files(),
                                  tokens->origin,
                                  *std::move(request),
                                  *std::move(estimates),
                                  *std::move(texts),
                                  std::move(remarks)};
  if (auto saved = save_tables(arguments, measurement); !saved) {
    return tl::unexpected(saved.error());
  }
  return LanguageAudit{*std::move(folder), std::move(measurement), std::move(enclosed)};
}

json::Value audit_json(const LanguageAudit& audit) {
  json::Value value = language_json(audit.measurement);
  if (audit.enclosed) value["enclosures"] = enclosures_json(*audit.enclosed);
  value["digest"] = report::estimate_digest(value);
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
