// Lines of JSON in, {"document": text of a tokenizer.json or "file": its path, "texts": [...]}; a line out for
// each: {"refused": why} or {"answers": [{"ids", "with"} or {"error"}, ...]}, by the npm package tokenizers.
const fs = require("fs");
const { Tokenizer } = require("tokenizers");

async function answer(tokenizer, text) {
  try {
    const ids = (await tokenizer.encode(text, null, { addSpecialTokens: false })).getIds();
    const special = (await tokenizer.encode(text, null, { addSpecialTokens: true })).getIds();
    return { ids, with: special };
  } catch (error) {
    return { error: String(error) };
  }
}

async function main() {
  for (const line of fs.readFileSync(0, "utf8").split("\n")) {
    if (!line) continue;
    const request = JSON.parse(line);
    let made = {};
    try {
      const tokenizer = Tokenizer.fromString(request.document ?? fs.readFileSync(request.file, "utf8"));
      made = { answers: [] };
      for (const text of request.texts) made.answers.push(await answer(tokenizer, text));
    } catch (error) {
      made = { refused: String(error) };
    }
    fs.writeSync(1, JSON.stringify(made) + "\n");
  }
}

main();
