// Units of work: the parts of a certification that are searched for apart from each other, by
// threads (Options::jobs), by processes on several machines and by runs one after the other
// (Options::journal).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "certify/certify.hpp"
#include "certify/entries.hpp"
#include "certify/pieces.hpp"
#include "json/strict.hpp"

namespace sinkproof::certify {

// `part` of what is asked: "sup-loss.pre". From the journal, or made and kept there. Of a journal
// that is only read, what is missing fails with SP1901, as a bound that states nothing.
Decided decided_once(const model::AttentionModel& model, const Options& options,
                     const std::string& part, const std::function<Decided()>& make);
// The same of parts that are decided together.
std::vector<Decided> all_decided_once(const model::AttentionModel& model, const Options& options,
                                      const std::string& part,
                                      const std::function<std::vector<Decided>()>& make);

// And of what is not a property; null where it is missing. What is found has to be `usable`.
json::Value found_once(const model::AttentionModel& model, const Options& options,
                       const std::string& part,
                       const std::function<bool(const json::Value&)>& usable,
                       const std::function<json::Value()>& make);

// The pieces of searches (pieces.hpp) of one certification: done by the workers, kept in the
// journal if there is one. Refers to all three.
PieceSharing piece_sharing(const model::AttentionModel& model, const Options& options,
                           Workers& workers);

// SP1901.
exact::Error part_missing(const std::string& part);

// The first reason why one of them could not be decided. SP1901: it is missing.
std::optional<exact::Error> first_failure(const std::vector<Decided>& decided);

}  // namespace sinkproof::certify
