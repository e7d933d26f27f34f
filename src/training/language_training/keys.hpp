// Each setting of a run by its name and a text: what --compare, presets and the tests set.
#pragma once

#include <string>

#include "exact/error.hpp"
#include "language_training/run.hpp"

namespace sinkproof::language_training {

// The keys, with commas.
std::string setting_keys();

// SP2306: no such key, or a value not of its form. Limits are the run's.
exact::Result<void> set(const std::string& key, const std::string& value, Settings& settings);

}  // namespace sinkproof::language_training
