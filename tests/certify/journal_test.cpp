// Journals: what is kept is found again, what is damaged is not, and a certification that rests on
// one is that of a run without.
#include "certify/journal.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "certify/accepted.hpp"
#include "certify/certify.hpp"
#include "certify/decided_json.hpp"
#include "certify/stack_bounds_once.hpp"
#include "file/file.hpp"
#include "output/replace.hpp"
#include "output/temporary_folder.hpp"
#include "random_model.hpp"

namespace sinkproof::certify {
namespace {

namespace fs = std::filesystem;

class Folder : public output::TemporaryFolder {
 public:
  [[nodiscard]] std::vector<fs::path> results() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(path())) {
      if (entry.path().extension() == ".json") found.push_back(entry.path());
    }
    return found;
  }
};

model::AttentionModel small_model(std::size_t heads, std::size_t depth = 1) {
  std::mt19937_64 random(5);
  return test::random_model(random, 5, 5, model::Attention::kSoftmax, heads, depth);
}

std::string text(const exact::Result<Certification>& certification) {
  return certification ? json::canonical(certification->certificate()) : certification.error().code;
}

// The unit of a journal's file.
std::string part_of(const std::string& bytes) {
  return json::Value::parse(bytes)["unit"]["key"]["part"].get<std::string>();
}

// Which files a certificate cannot be made without: all but those that only a search rests on.
void require_named_when_missing(const Folder& folder, const model::AttentionModel& model,
                                Options options, const std::string& plain) {
  const bool uses_ranges = !json::Value::parse(plain)["ranges"].is_null();
  const bool of_layer = !needs_stack(model, options);
  for (const fs::path& path : folder.results()) {
    const std::string bytes = *file::read(path);
    const std::string part = part_of(bytes);
    INFO(part);
    fs::remove(path);
    Journal without(folder.path(), "program", Journal::Use::kRead);
    options.journal = &without;
    const bool spare = of_layer && (part.starts_with("bounds") || part.starts_with("piece") ||
                                    (part == "ranges" && !uses_ranges));
    REQUIRE(text(certify(model, options)) == (spare ? plain : "SP1901"));
    REQUIRE(without.missing() ==
            (spare ? std::vector<std::string>{} : std::vector<std::string>{part}));
    REQUIRE(output::replace(path, bytes));
  }
}

TEST_CASE("a journal holds the first result of a unit, and of no other") {
  const Folder folder;
  Journal journal(folder.path(), "program", Journal::Use::kFill);
  const json::Value key = {{"part", "a"}};
  REQUIRE_FALSE(journal.find(key));
  REQUIRE(journal.keep(key, {1, 0.5}).result == 1);
  REQUIRE(journal.keep(key, {2, 7}).result == 1);
  REQUIRE(journal.find(key)->result == 1);
  REQUIRE(journal.find({{"part", "b"}}) == std::nullopt);
  REQUIRE_FALSE(Journal(folder.path(), "another", Journal::Use::kRead).find(key));
  REQUIRE(folder.results().size() == 1);
  REQUIRE_FALSE(journal.failure());
}

TEST_CASE("a result that is damaged makes way for one that is not") {
  const Folder folder;
  Journal journal(folder.path(), "program", Journal::Use::kFill);
  const json::Value key = {{"part", "a"}};
  journal.keep(key, {"0.25", 1});
  const fs::path path = folder.results().front();
  const std::string whole = *file::read(path);
  for (const std::string& bytes :
       {std::string(), whole.substr(0, whole.size() - 1), whole + " ", "[" + whole + "]",
        std::string(whole).replace(whole.find("0.25"), 4, "0.35"), std::string("{\"result\":1}")}) {
    REQUIRE(output::replace(path, bytes));
    REQUIRE_FALSE(journal.find(key));
    REQUIRE(journal.keep(key, {"0.25", 1}).result == "0.25");
    REQUIRE(*file::read(path) == whole);
  }
}

TEST_CASE("a journal that cannot be written says so and gives the result") {
  Journal journal("/proc/no-such-folder", "program", Journal::Use::kFill);
  REQUIRE(journal.keep({{"part", "a"}}, {3, 0}).result == 3);
  REQUIRE(journal.failure());
  REQUIRE(journal.failure()->code == "SP0203");
}

TEST_CASE("certificates from a journal are those of a run without, and what is missing is named",
          "[seconds]") {
  for (const std::size_t heads : {1U, 2U}) {
    const model::AttentionModel model = small_model(heads);
    const Folder folder;
    Options options;
    const std::string plain = text(certify(model, options));
    Journal filled(folder.path(), "program", Journal::Use::kFill);
    options.journal = &filled;
    for (const double begin : {2.0 / 3, 1.0 / 3}) {
      options.begin = begin;
      REQUIRE(text(certify(model, options)) == plain);
    }
    Journal read(folder.path(), "program", Journal::Use::kRead);
    options.journal = &read;
    REQUIRE(text(certify(model, options)) == plain);
    REQUIRE(read.missing().empty());
    require_named_when_missing(folder, model, options, plain);
  }
}

TEST_CASE("one layer's passes by rule stack are made once", "[seconds]") {
  const model::AttentionModel model = small_model(2);
  const Folder folder;
  Options options;
  Journal filled(folder.path(), "program", Journal::Use::kFill);
  options.journal = &filled;
  const std::string plain = text(certify(model, options));
  const auto is_of_passes = [](const fs::path& path) {
    return part_of(*file::read(path)).starts_with("bounds");
  };
  const auto paths = folder.results();
  REQUIRE(std::count_if(paths.begin(), paths.end(), is_of_passes) == 1);
  const fs::path passes = *std::find_if(paths.begin(), paths.end(), is_of_passes);
  for (const fs::path& path : paths) {
    if (path != passes) fs::remove(path);
  }
  // What the file says counts: of a pass that shows less, there is a larger bound.
  const json::Value whole = json::Value::parse(*file::read(passes));
  json::Value weak = whole["result"];
  for (json::Value& pass : weak["passes"]) {
    for (const char* rows : {"pre", "trigger", "post"}) {
      if (pass.contains(rows)) pass[rows]["loss"] = "9" + std::string(30, '0');
    }
  }
  fs::remove(passes);
  filled.keep(whole["unit"]["key"], {weak, 1});
  const auto other = certify(model, options);
  REQUIRE(other);
  REQUIRE(text(other) != plain);
}

TEST_CASE("a box's results are not another's") {
  model::AttentionModel model = small_model(1, 2);
  const Folder folder;
  Options options;
  options.stack.seconds = 600;  // they end earlier, of themselves
  options.stack.triggers = TriggerRange{3, 3};
  options.properties = {"sup-loss.pre"};
  Journal filled(folder.path(), "program", Journal::Use::kFill);
  options.journal = &filled;
  const std::string whole = text(certify(model, options));
  const std::size_t count = folder.results().size();
  model.box = {{{exact::make_rational(-1, 2), exact::make_rational(1, 4)}}};
  const std::string within = text(certify(model, options));
  REQUIRE(folder.results().size() == 2 * count);
  options.journal = nullptr;
  REQUIRE(text(certify(model, options)) == within);
  REQUIRE(within != whole);
}

TEST_CASE("what the checker refuses is searched for with more room, and merges, too", "[seconds]") {
  const model::AttentionModel model = small_model(1);
  const Folder folder;
  const auto refusing_once = [] {
    return [asked = 0](const json::Value& /*certificate*/) mutable -> exact::Result<void> {
      if (asked++ > 0) return {};
      return exact::fail("SP0903", "certificate", "refused for the test");
    };
  };
  Options options;
  const std::string plain = text(certify_accepted(model, options, refusing_once()));
  REQUIRE(plain != text(certify(model, options)));
  Journal filled(folder.path(), "program", Journal::Use::kFill);
  options.journal = &filled;
  REQUIRE(text(certify_accepted(model, options, refusing_once())) == plain);
  Journal read(folder.path(), "program", Journal::Use::kRead);
  options.journal = &read;
  REQUIRE(text(certify_accepted(model, options, refusing_once())) == plain);
}

TEST_CASE("a stack's bounds are found once") {
  const model::AttentionModel model = small_model(1, 2);
  const Folder folder;
  Options options;
  options.stack.seconds = 600;  // they end earlier, of themselves
  options.properties = {"theorem.tc-4", "bos-floor.pre", "random.loss"};
  options.samples = 100;
  const std::string plain = text(certify(model, options));
  Journal filled(folder.path(), "program", Journal::Use::kFill);
  options.journal = &filled;
  options.begin = 0.5;
  REQUIRE(text(certify(model, options)) == plain);
  Journal read(folder.path(), "program", Journal::Use::kRead);
  options.journal = &read;
  REQUIRE(text(certify(model, options)) == plain);
  require_named_when_missing(folder, model, options, plain);
  // Without samples the same results serve.
  const std::size_t count = folder.results().size();
  options.journal = &filled;
  options.properties = {"sup-loss", "bos-floor.pre"};
  REQUIRE(certify(model, options));
  REQUIRE(folder.results().size() == count);
}

TEST_CASE("results that somebody made up are not results") {
  const model::AttentionModel model = small_model(1);
  const certificate::Checkpoint whole = certificate_of(model, {});
  Decided decided;
  decided.property.name = "bos-floor.pre";
  decided.property.verdict = "enclosed";
  decided.property.lower = exact::make_rational(1, 3);
  decided.property.upper = exact::make_rational(1, 2);
  decided.property.witness = witness_at(5, model.box, 5, 3, 2, std::vector<double>{0.5, 1});
  decided.stated = stated_bound(decided.property, certificate::ByLayerAttention());
  const json::Value good = to_json({decided}, whole);
  REQUIRE(to_json(*decided_from_json(good, whole), whole) == good);
  for (const char* patch : {R"([{"op":"remove","path":"/0/upper"}])",
                            R"([{"op":"replace","path":"/0/lower","value":"2/4"}])",
                            R"([{"op":"replace","path":"/0/upper","value":null}])",
                            R"([{"op":"replace","path":"/0/name","value":7}])",
                            R"([{"op":"replace","path":"/0/witness","value":{"row":1}}])",
                            R"([{"op":"replace","path":"/0/failure","value":["SP1403"]}])",
                            R"([{"op":"replace","path":"/0/stated","value":null}])",
                            R"([{"op":"replace","path":"/0/stated/proof/rule","value":"row"}])",
                            R"([{"op":"replace","path":"/0/stated/witness/row","value":3}])",
                            R"([{"op":"remove","path":"/0/stated/lower"}])",
                            R"([{"op":"replace","path":"/0/samples","value":"1"}])"}) {
    INFO(patch);
    REQUIRE_FALSE(decided_from_json(good.patch(json::Value::parse(patch)), whole));
  }
  const StackShape shape{2, 1, true, {true, false, false}};
  const json::Value passes = json::Value::parse(
      R"({"passes":[{"moments":false,"degree":1,"row_degree":1,"pre":{"loss":"1","rollout":["0","1"],
          "paid":[[["1","2"],["0","0"]],[["1","2"],["0","0"]]]}},{"moments":true,"degree":2,
          "row_degree":1}]})");
  REQUIRE(to_json(stack_bounds_from_json(passes, shape).value(), shape) == passes);
  for (const char* patch : {R"([{"op":"remove","path":"/passes"}])",
                            R"([{"op":"replace","path":"/passes","value":[]}])",
                            R"([{"op":"remove","path":"/passes/0"}])",
                            R"([{"op":"remove","path":"/passes/0/row_degree"}])",
                            R"([{"op":"replace","path":"/passes/0/degree","value":"1"}])",
                            R"([{"op":"replace","path":"/passes/0/pre/loss","value":"1/2"}])",
                            R"([{"op":"replace","path":"/passes/0/pre/rollout","value":null}])",
                            R"([{"op":"remove","path":"/passes/0/pre/paid/1"}])",
                            R"([{"op":"add","path":"/passes/1/pre","value":{"loss":"1"}}])",
                            R"([{"op":"add","path":"/failure","value":["SP1413"]}])"}) {
    INFO(patch);
    REQUIRE_FALSE(stack_bounds_from_json(passes.patch(json::Value::parse(patch)), shape));
  }
}

}  // namespace
}  // namespace sinkproof::certify
