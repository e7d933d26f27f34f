#include "claim/said.hpp"

#include <set>

namespace sinkproof::claim {

Said said_in(const json::Value& certificate) {
  Said said;
  try {
    for (const json::Value& step : certificate.at("steps")) {
      if (step.at("rule") != "coq-statement") continue;
      said[step.at("file")] = step.at("sha256");
      for (const json::Value& definition : step.at("definitions")) {
        said["theory/" + definition.at("file").get<std::string>()] = definition.at("sha256");
      }
    }
  } catch (const json::Value::exception&) {
    return {};
  }
  return said;
}

std::string what_changed(const Said& before, const Said& after) {
  std::set<std::string> paths;
  for (const Said* said : {&before, &after}) {
    for (const auto& [path, hash] : *said) paths.insert(path);
  }
  std::string changed;
  for (const std::string& path : paths) {
    const auto one = before.find(path);
    const auto other = after.find(path);
    if (one != before.end() && other != after.end() && one->second == other->second) continue;
    changed += (changed.empty() ? "" : ", ") + path;
  }
  return changed;
}

}  // namespace sinkproof::claim
