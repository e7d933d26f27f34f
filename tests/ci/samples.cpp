// Writes every format of every sample result into the folder named: files_test.py reads them.
#include <fstream>
#include <iostream>
#include <string>

#include "ci/annotations.hpp"
#include "ci/gate_json.hpp"
#include "ci/junit.hpp"
#include "ci/sarif.hpp"
#include "ci/step_summary.hpp"
#include "summaries.hpp"

namespace {

using namespace sinkproof::ci;

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  return file.flush().good();
}

bool write_all(const std::string& stem, const Summary& summary) {
  return write(stem + ".xml", junit_xml(summary)) && write(stem + ".sarif", sarif(summary)) &&
         write(stem + ".all.sarif", sarif(summary, SarifResults::kAll)) &&
         write(stem + ".md", step_summary(summary)) && write(stem + ".txt", annotations(summary)) &&
         write(stem + ".json", gate_json(summary));
}

// More than a step summary takes.
Summary huge() {
  Summary summary = test::many(600, 100);
  for (Finding& finding : summary.findings) finding.message += std::string(1900, 'x');
  return summary;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = std::string(argv[1]) + "/";
  const bool written =
      write_all(folder + "green", test::green()) && write_all(folder + "mixed", test::mixed()) &&
      write_all(folder + "hostile", test::hostile()) &&
      write_all(folder + "many", test::many(25, 12)) &&
      write_all(folder + "full", test::many(10, 10)) && write_all(folder + "huge", huge());
  if (!written) std::cerr << "cannot write to " << folder << "\n";
  return written ? 0 : 1;
}
