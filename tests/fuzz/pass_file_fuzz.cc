// Any pass file: every atom in order, or faults with their places.
#include <set>
#include <string>
#include <string_view>

#include "pass/pass_file.h"
#include "require.h"

namespace {

using namespace atmost::pass;

void check(const std::vector<Remark>& remarks) {
  for (const Remark& each : remarks)
    require(!each.words.empty() && (each.at.line > 0 || each.at.column == 0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  PassFile file;
  std::vector<Remark> faults, remarks;
  read_pass_file(text, file, faults, remarks);
  check(faults);
  check(remarks);
  if (!faults.empty()) return 0;
  require(!file.atoms.empty());
  std::set<std::string> names;
  for (const Atom& atom : file.atoms) {
    require(!atom.command.empty() && !atom.command[0].empty() && atom.max >= 1);
    require(names.insert(atom.name()).second);
    require(atom.directory.empty() || atom.directory[0] == '/');
  }
  return 0;
}
