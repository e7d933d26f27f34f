// tokenizer.json, and what an accepted one makes of texts.
#include "scratch.hpp"
#include "target.hpp"
#include "tokenizer/tokenizer.hpp"

using namespace sinkproof;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Scratch scratch;
  scratch.write("tokenizer.json", fuzz::text_of(data, size));
  const auto read = tokenizer::Tokenizer::read(scratch.path());
  if (!read) {
    fuzz::require_complete(read.error());
    return 0;
  }
  for (const char* text : {"", "the cat sat, 12 345!\n\n  It's \u00e9\u0301\u4e2d\U0001F600 <s>x",
                           "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b"}) {
    for (const auto bos : {tokenizer::Bos::kWith, tokenizer::Bos::kWithout}) {
      const auto ids = read->encode(text, bos);
      if (!ids) {
        fuzz::require_complete(ids.error());
        continue;
      }
      for (const tokenizer::Id id : *ids) {
        const auto shown = read->text_of(id);
        fuzz::require(shown.has_value() || shown.error().code != "SP2211",
                      "every id that a text has is a token");
      }
    }
  }
  return 0;
}
