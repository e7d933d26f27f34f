// The committed certificate of something the gate was asked about, before anybody checks it: there,
// stale, or not a certificate at all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "certificate/envelope.hpp"
#include "exact/error.hpp"

namespace sinkproof::gate {

struct Evidence {
  enum class State {
    kReadable,  // in form; whether it holds is for the checker to say
    kMissing,   // no such file
    kStale,     // made for other bytes than the ones at hand, or in a format before the checker's
    kBroken,    // no certificate
  };
  State state = State::kMissing;
  std::string reason;  // of kMissing and kStale, a clause: "there is no certificate yet"
  exact::Error error;  // of kBroken
  std::string bytes;
  std::string sha256;  // of the bytes; "" when missing
  std::optional<certificate::Envelope>
      envelope;  // of kReadable, and of kStale unless the format is
};

// Reads the file and looks at its form and its format's number. What its hashes say is for the
// caller to compare.
Evidence read_evidence(const std::filesystem::path& path);

// The same evidence, found to be made for something else.
Evidence stale(Evidence evidence, std::string reason);

}  // namespace sinkproof::gate
