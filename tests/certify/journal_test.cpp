// Journals: what is kept is found again, what is damaged is not, and a certification that rests on
// one is that of a run without.
#include "certify/journal.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "certify/accepted.hpp"
#include "certify/certify.hpp"
#include "certify/decided_json.hpp"
#include "certify/stack_bounds.hpp"
#include "file/file.hpp"
#include "random_model.hpp"

namespace sinkproof::certify {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(fs::temp_directory_path() / ("sinkproof-journal-" + name)) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] std::vector<fs::path> results() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(path_)) {
      if (entry.path().extension() == ".json") found.push_back(entry.path());
    }
    return found;
  }

 private:
  fs::path path_;
};

model::AttentionModel small_model(std::size_t heads, std::size_t depth = 1) {
  std::mt19937_64 random(5);
  return test::random_model(random, 5, 5, model::Attention::kSoftmax, heads, depth);
}

std::string text(const exact::Result<Certification>& certification) {
  return certification ? json::canonical(certification->certificate) : certification.error().code;
}

TEST_CASE("a journal holds the first result of a unit, and of no other") {
  const Folder folder("first");
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
  const Folder folder("damaged");
  Journal journal(folder.path(), "program", Journal::Use::kFill);
  const json::Value key = {{"part", "a"}};
  journal.keep(key, {"0.25", 1});
  const fs::path path = folder.results().front();
  const std::string whole = *file::read(path);
  for (const std::string& bytes :
       {std::string(), whole.substr(0, whole.size() - 1), whole + " ", "[" + whole + "]",
        std::string(whole).replace(whole.find("0.25"), 4, "0.35"), std::string("{\"result\":1}")}) {
    REQUIRE(file::replace(path, bytes));
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
    const Folder folder("same" + std::to_string(heads));
    Options options;
    const std::string plain = text(certify(model, options));
    Journal filled(folder.path(), "program", Journal::Use::kFill);
    options.journal = &filled;
    for (const std::size_t share : {0U, 1U, 2U}) {
      options.share = [&](std::size_t unit) { return unit % 3 == share; };
      REQUIRE(certify(model, options));
    }
    options.share = nullptr;
    Journal read(folder.path(), "program", Journal::Use::kRead);
    options.journal = &read;
    REQUIRE(text(certify(model, options)) == plain);
    REQUIRE(read.missing().empty());
    for (const fs::path& path : folder.results()) {
      const std::string bytes = *file::read(path);
      fs::remove(path);
      Journal without(folder.path(), "program", Journal::Use::kRead);
      options.journal = &without;
      REQUIRE(text(certify(model, options)) == "SP1901");
      REQUIRE(without.missing().size() == 1);
      REQUIRE(file::replace(path, bytes));
    }
  }
}

TEST_CASE("what the checker refuses is searched for with more room, and merges, too", "[seconds]") {
  const model::AttentionModel model = small_model(1);
  const Folder folder("refused");
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
  const Folder folder("stack");
  Options options;
  options.stack.seconds = 0;
  options.stack.triggers = TriggerRange{3, 3};
  options.properties = {"sup-loss", "bos-floor.pre", "random.loss"};
  options.samples = 100;
  const std::string plain = text(certify(model, options));
  Journal filled(folder.path(), "program", Journal::Use::kFill);
  options.journal = &filled;
  REQUIRE(text(certify(model, options)) == plain);
  Journal read(folder.path(), "program", Journal::Use::kRead);
  options.journal = &read;
  REQUIRE(text(certify(model, options)) == plain);
}

TEST_CASE("results that somebody made up are no results") {
  Decided decided;
  decided.property.name = "bos-floor.pre";
  decided.property.verdict = "enclosed";
  decided.property.lower = exact::make_rational(1, 3);
  decided.property.upper = exact::make_rational(1, 2);
  decided.entry = {{"proof", {{"rule", "value-range"}}}};
  const json::Value good = to_json({decided});
  REQUIRE(to_json(*decided_from_json(good)) == good);
  for (const char* patch : {R"([{"op":"remove","path":"/0/upper"}])",
                            R"([{"op":"replace","path":"/0/lower","value":"2/4"}])",
                            R"([{"op":"replace","path":"/0/upper","value":null}])",
                            R"([{"op":"replace","path":"/0/name","value":7}])",
                            R"([{"op":"replace","path":"/0/witness","value":{"row":1}}])",
                            R"([{"op":"replace","path":"/0/failure","value":["SP1403"]}])",
                            R"([{"op":"replace","path":"/0/entry","value":{"proof":{"rule":1}}}])",
                            R"([{"op":"replace","path":"/0/samples","value":"1"}])"}) {
    INFO(patch);
    REQUIRE_FALSE(decided_from_json(good.patch(json::Value::parse(patch))));
  }
  const StackShape shape{2, 1, {true, false, false}};
  for (const char* bounds :
       {"[]", "{}", R"({"pre":{"degree":1,"row_degree":1,"loss":"1/2","paid":[]}})",
        R"({"pre":{"degree":1,"row_degree":1,"loss":"1","paid":[[["1","2"],["0","0"]]]}})",
        R"({"failure":["SP1409"]})"}) {
    INFO(bounds);
    REQUIRE_FALSE(bounds_from_json(json::Value::parse(bounds), shape));
  }
}

}  // namespace
}  // namespace sinkproof::certify
