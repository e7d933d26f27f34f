// Messages about files that are not checkpoints as sinkproof reads them: what was found, what is
// expected and the line that converts. These messages have lines of their own to paste, so
// they show text of the file as json::visible has it (Error::has_lines).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"
#include "model/attention_model.hpp"
#include "model/convert.hpp"
#include "model/layer_names.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::model {

// safetensors::parse; SP1110 where the bytes begin as those of another format (torch.save, NumPy,
// pickle, GGUF, HDF5, a Git LFS pointer), with the lines that make a safetensors file of it.
exact::Result<safetensors::Contents> read_contents(std::string_view bytes,
                                                   const std::string& where);

// What such bytes are, such as "a torch.save file"; "" for any others.
std::string_view foreign_format(std::string_view bytes);

// Those lines for a torch.save file; the first file of a folder that is named like one.
std::string torch_save_words(const std::filesystem::path& file);
std::optional<std::filesystem::path> torch_file_in(const std::filesystem::path& folder);

// SP1111 for a file without a tensor of a checkpoint's names, nothing for any other.
std::optional<exact::Error> foreign_names(const safetensors::Contents& contents,
                                          const Overrides& says, const std::string& where);

// SP1112: why `convert` can make no model of what was found; nothing where it can.
std::optional<exact::Error> why_no_model(const safetensors::Contents& contents,
                                         const ModelNames& names, const std::string& where);

// What to run after an error of this code (SP1104, SP1112, SP1113) of a conversion or of reading
// the file as it is: sentences that end in lines to paste, each of which was tried. "" for none.
// `chosen` has the contents after the map and prefix of the conversion.
std::string suggestion(const std::string& code, const safetensors::Contents& contents,
                       const safetensors::Contents& chosen, const Conversion& conversion,
                       const std::string& where);

// A word of a shell, quoted where it must be.
std::string shell_word(const std::string& word);
// The line that audits a language model's folder; "" is the present one.
std::string audit_line(const std::filesystem::path& folder);

// "W_Q.weight, W_K.weight and 12 more", of at most 80 bytes each.
std::string listed(const std::vector<std::string>& names);
// "W_Q.weight [16, 16], W_K.weight [16, 16] and 12 more"
std::string names_in(const safetensors::Contents& contents);
// "[16, 16]"
std::string shape_text(const std::vector<std::uint64_t>& shape);

}  // namespace sinkproof::model
