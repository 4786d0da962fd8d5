// The options of atmost top.
#ifndef ATMOST_LIBEXEC_TOP_OPTIONS_H
#define ATMOST_LIBEXEC_TOP_OPTIONS_H

#include <string>
#include <vector>

namespace atmost::top {

struct Options {
  bool help = false;
  bool version = false;
  std::vector<std::string> where;  // --store, --dir, --host with their values, for atmost
  std::vector<std::string> locks;  // empty: all of the directory
};

// Throws Failure (usage).
Options parse_options(int argc, char** argv);

std::string help_text();

}  // namespace atmost::top

#endif
