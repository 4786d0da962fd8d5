// The command line of `atmost pass`.
#ifndef ATMOST_LIBEXEC_PASS_OPTIONS_H
#define ATMOST_LIBEXEC_PASS_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>

namespace atmost::pass {

struct Options {
  std::string file;
  bool clock_per_atom = false;         // --clock=atom
  std::optional<std::int64_t> now_ns;  // --now
  std::optional<std::uint32_t> max_passes;
  std::uint32_t jobs = 1;
  bool dry_run = false;
  bool classes = false;
  bool quiet = false;
  bool verbose = false;
  bool json = false;
  bool trust_fs = false;
  bool help = false;
  bool version = false;
  std::string dir;
  std::string host;
  std::string store;
};

// False, with a sentence in `wrong`, if the options make no sense.
bool read_options(int argc, char** argv, Options& to, std::string& wrong);

std::string help();

}  // namespace atmost::pass

#endif
