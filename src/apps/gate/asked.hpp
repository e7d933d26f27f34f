// What is asked of an item and of what, field by field: sinkproof.lock records it, and the gate is
// red where it is not what was accepted. The fields are listed in asked.cpp and nowhere else.
#pragma once

#include <string>

#include "exact/error.hpp"
#include "gate/checkpoint_item.hpp"
#include "gate/lock.hpp"
#include "gate/model_item.hpp"
#include "gate/theory_item.hpp"
#include "json/strict.hpp"
#include "language/folder.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::gate {

// Of a theory claim with this certificate, which the checker accepted: on whose word it may rest,
// its verdict and axioms, and the SHA-256 of the files that say what it states: all of its folder
// but Coq's proofs, and the definitions of proofs/theory it uses. The errors of claim_files.
exact::Result<Asked> asked_of(const TheoryItem& item, const json::Value& certificate);

// Of a checkpoint: the model and how it is read, the inputs, the thresholds, and `words_sha256`,
// the hash of the text that says what its properties mean. SP0201, SP0202: claim.toml cannot be
// read.
exact::Result<Asked> asked_of(const CheckpointRequest& request, const model::AttentionModel& model,
                              const std::string& words_sha256);

// Of a language model: its folder and files, how config.json is read, the inputs, answers and
// target, the thresholds, and the hash of the text that says what they mean.
Asked asked_of(const ModelRequest& request, const language::Folder& folder,
               const certificate::Cover& asked);

}  // namespace sinkproof::gate
