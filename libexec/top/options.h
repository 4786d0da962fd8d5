// The options of atmost top.
#ifndef ATMOST_LIBEXEC_TOP_OPTIONS_H
#define ATMOST_LIBEXEC_TOP_OPTIONS_H

#include <string>
#include <vector>

namespace atmost::top {

struct Options {
  std::vector<std::string> where;  // --store, --dir, --host with their values, for atmost
  std::vector<std::string> locks;  // empty: all of the directory
};

// False: --help or --version was given, and is answered. Throws Failure (usage).
bool read_arguments(int argc, char** argv, Options& to);

}  // namespace atmost::top

#endif
