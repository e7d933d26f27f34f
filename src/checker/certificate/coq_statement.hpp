// What a Coq statement file says of itself, as far as its lines go (FORMAT.md, 3.6): which
// sentences a claim consists of, and on which definition files of the shared theory they rest.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sinkproof::certificate {

// What ends the name of a theorem that shows a sentence's hypotheses to hold together somewhere.
inline constexpr std::string_view kInstance = "_instance";

// "statement.v" and "NAME_statement.v".
bool is_statement_file(std::string_view path);

bool is_coq_identifier(std::string_view text);

// The names of the lines `Definition NAME : Prop :=`, in the order of the file.
std::vector<std::string> coq_sentences(std::string_view text);

// The definition files a text rests on, with the SHA-256 of each, sorted: `theory` holds the shared
// theory's files by path (claim_files). Throws Rejected, SP0810: a line names the theory and is no
// import of that form, or a file it asks for does not exist.
std::map<std::string, std::string> coq_definitions(std::string_view text,
                                                   const std::map<std::string, std::string>& theory,
                                                   const std::string& where);

}  // namespace sinkproof::certificate
