#include "vector_certificates.hpp"

#include <catch2/catch.hpp>

#include "certificate/claim_hash.hpp"
#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "output/safetensors.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::report::test {
namespace {

std::string written(const std::filesystem::path& path, const safetensors::Contents& contents) {
  REQUIRE(output::write(path, contents).has_value());
  return certificate::sha256_hex(file::read(path).value());
}

}  // namespace

std::string write_tokens(const std::filesystem::path& path,
                         const std::vector<std::vector<float>>& rows, const std::string& instance) {
  std::vector<float> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  safetensors::Contents contents;
  if (!instance.empty()) contents.metadata["instance"] = instance;
  contents.tensors["tokens"] = output::float32_tensor({rows.size(), rows[0].size()}, values);
  return written(path, contents);
}

std::string write_value_head(const std::filesystem::path& path, const Weights& value,
                             const Weights& output, std::size_t width) {
  safetensors::Contents contents;
  contents.tensors["W_V.weight"] = output::float32_tensor({width, width}, value);
  contents.tensors["W_O.weight"] = output::float32_tensor({width, width}, output);
  return written(path, contents);
}

json::Value vector_certificate(const std::string& sha256, const json::Value& properties,
                               const json::Value& head) {
  return {{"format", 1},
          {"kind", "vectors"},
          {"claim", "vectors"},
          {"claim_sha256", certificate::claim_hash(source("proofs/vectors")).value()},
          {"input", {{"sha256", sha256}, {"tensor", "tokens"}, {"head", head}}},
          {"properties", properties}};
}

Input accepted(const std::filesystem::path& path, const json::Value& certificate,
               const std::filesystem::path& file) {
  return {path, certificate, outcome_of("proved", "exact", "", 0), file};
}

std::vector<std::vector<float>> orthonormal_tokens() {
  return {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
}

json::Value orthonormal_properties() {
  return json::Value::parse(R"([
    {"statement": {"property": "cost", "lower": "3", "upper": "3", "pattern":
       {"kind": "sink-A", "bos": 0, "groups": [[1, 2, 3]], "copies": [], "margin": "1"}},
     "evidence": {"query": {"denominator": "2", "rows": [["0","1","1","1"], ["0","1","1","1"]]},
       "key": {"denominator": "4", "rows": [["3","-1","-1","-1"], ["3","-1","-1","-1"]]},
       "multipliers": [[1,0,1,"1"],[1,0,2,"1"],[1,0,3,"1"],[2,0,1,"1"],[2,0,2,"1"],[2,0,3,"1"],
                       [3,0,1,"1"],[3,0,2,"1"],[3,0,3,"1"]],
       "norm": "6"}},
    {"statement": {"property": "representable", "lower": "4/9", "upper": "4/9", "pattern":
       {"kind": "sink-A", "bos": 0, "groups": [[1, 2, 3]], "copies": [], "margin": "1"}},
     "evidence": {"matrix": {"denominator": "4", "rows": [["0","0","0","0"],
         ["3","-1","-1","-1"],["3","-1","-1","-1"],["3","-1","-1","-1"]]},
       "multipliers": [[1,0,1,"1"],[1,0,2,"1"],[1,0,3,"1"],[2,0,1,"1"],[2,0,2,"1"],[2,0,3,"1"],
                       [3,0,1,"1"],[3,0,2,"1"],[3,0,3,"1"]]}},
    {"statement": {"property": "hull-distance", "vectors": [1, 2, 3], "lower": "1/3",
       "upper": "1/3"},
     "evidence": {"weights": [[1,"7"],[2,"7"],[3,"7"]],
       "direction": [[1,"2"],[2,"2"],[3,"2"]]}},
    {"statement": {"property": "infeasible", "pattern": {"kind": "margins", "margin": "1",
       "constraints": [[1,0,2,"1"],[1,2,0,"3"]]}},
     "evidence": {"multipliers": [[1,0,2,"5"],[1,2,0,"5"]]}}
  ])");
}

std::vector<std::vector<float>> instance_tokens(std::size_t rank) {
  constexpr std::size_t kWidth = 16;
  std::vector<std::vector<float>> rows(11, std::vector<float>(kWidth, 0));
  for (std::size_t k = 0; k < 3; ++k) rows[k][k] = 4;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::size_t group = i / 4;
    std::vector<float>& token = rows[3 + i];
    token[3 + group] = 3.25F;
    // Group 0 has noise along e_5 and e_6, group 1 along the last two of the directions there are.
    const std::size_t first = group == 0 ? 5 : 3 + rank;
    token[first + (i / 2) % 2] = i % 2 == 0 ? 2.0F : -2.0F;
  }
  return rows;
}

json::Value instance_pattern(const std::string& kind, const std::string& margin) {
  return {{"kind", kind},
          {"bos", 0},
          {"groups", json::Value::parse("[[3,4,5,6],[7,8,9,10]]")},
          {"copies", json::Value::parse("[1,2]")},
          {"margin", margin}};
}

json::Value cost_property(const json::Value& pattern, const exact::Enclosure& cost) {
  return {{"statement",
           {{"property", "cost"},
            {"pattern", pattern},
            {"lower", exact::to_string(cost.lower)},
            {"upper", exact::to_string(cost.upper)}}},
          {"evidence",
           {{"query", {{"denominator", "1"}, {"rows", {{"1"}}}}},
            {"key", {{"denominator", "1"}, {"rows", {{"1"}}}}},
            {"multipliers", json::Value::array()},
            {"norm", "0"}}}};
}

}  // namespace sinkproof::report::test
