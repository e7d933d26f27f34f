// What a path holds, for the error of a command that reads another kind of file.
#pragma once

#include <filesystem>
#include <string>

namespace sinkproof::model {

// Sentences that name what is at `path` and, where some command takes it, the line to run, such as
// "It is the folder of a claim. To read the claim run `sinkproof explain tc-1 --proofs proofs`.".
// "" where its kind is not known, and for a certificate where one is `expected`. Reads the
// beginning of a file, or a JSON file of up to 16 MiB. One line of printable text.
enum class Expected { kAny, kCertificate };
std::string what_is_at(const std::filesystem::path& path, Expected expected = Expected::kAny);

}  // namespace sinkproof::model
