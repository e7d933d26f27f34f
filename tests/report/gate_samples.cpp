// Writes every format of every sample result into the folder named: gate_files_test.py reads them.
#include <fstream>
#include <iostream>
#include <string>

#include "gate_summaries.hpp"
#include "report/annotations.hpp"
#include "report/gate_json.hpp"
#include "report/junit.hpp"
#include "report/sarif.hpp"
#include "report/step_summary.hpp"

namespace {

using namespace sinkproof::report;

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  return file.flush().good();
}

bool write_all(const std::string& stem, const GateSummary& summary) {
  return write(stem + ".xml", junit_xml(summary)) && write(stem + ".sarif", sarif(summary)) &&
         write(stem + ".all.sarif", sarif(summary, SarifResults::kAll)) &&
         write(stem + ".md", step_summary(summary)) && write(stem + ".txt", annotations(summary)) &&
         write(stem + ".json", gate_json(summary));
}

// More than a step summary takes.
GateSummary huge() {
  GateSummary summary = test::many(600, 100);
  for (GateFinding& finding : summary.findings) finding.message += std::string(1900, 'x');
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
