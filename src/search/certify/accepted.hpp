// The search together with somebody who checks it: no bound leaves a command that the trusted
// checker has not accepted. This folder must not include the checker, so the caller brings it.
#pragma once

#include <functional>

#include "certify/certify.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"

namespace sinkproof::certify {

// Asked about a certificate; its error's code is SP0999 when the checker itself failed.
using Accept = std::function<exact::Result<void>(const json::Value& certificate)>;

// certify() with three sizes of room for rounding, then without any double in a proof or a count
// (it sets options.effort), until `accept` takes the certificate; it is not asked about one that
// states nothing. The errors of certify(), and those of claim::refusal.
exact::Result<Certification> certify_accepted(const model::AttentionModel& model, Options options,
                                              const Accept& accept);

}  // namespace sinkproof::certify
