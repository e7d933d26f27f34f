// The trusted checker's word on certificates that are not files yet, in the form prove/ and
// certify/ ask for it; neither may include check/.
#pragma once

#include <filesystem>
#include <string>

#include "certify/accepted.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"

namespace sinkproof::gate {

// prove::ProveOptions::accept: the error of a certificate the checker rejects.
exact::Result<void> ask_checker(const json::Value& certificate,
                                const std::filesystem::path& claim_folder);

// For certify_accepted; `model_bytes` lives as long as it is asked.
certify::Accept checkpoint_checker(const std::string& model_bytes);

}  // namespace sinkproof::gate
