// The command line of `atmost doctor` and of `atmost explain`: both take the same options.
#ifndef ATMOST_LIBEXEC_DOCTOR_OPTIONS_H
#define ATMOST_LIBEXEC_DOCTOR_OPTIONS_H

#include <string>
#include <vector>

#include "core/parse.h"
#include "options/settings.h"

namespace atmost::doctor {

struct Options {
  bool help = false;
  bool version = false;
  bool json = false;
  bool verbose = false;  // explain: in detail
  std::string store;     // --store, else $ATMOST_STORE; may hold a password
  std::string dir;
  std::string setup_group;  // doctor: the group that DIR is set up for
  std::string host;         // --host, else the machine's name
  std::vector<std::string> operands;
};

// `program`: kDoctor or kExplain. Nothing is read behind --help or --version. Throws Failure
// (usage, reader/output.h).
Options parse_options(int argc, char** argv, unsigned program);

// The directory or store to be examined: its operand, else the store; empty for the lock directory.
// Throws Failure (usage).
std::string doctor_target(const Options& options);

// The directory or store in which names are looked up. Borrows from `options` and the environment.
NamingContext naming_context(const Options& options);

inline constexpr char kDoctorUsage[] =
    "usage: atmost doctor [[--setup-group GROUP] DIR]\n\n"
    "can locks be trusted there? tries it, says yes or no and why";

// Answers --help of the program (`about`: its usage and its purpose) and --version on standard
// output. Returns false if neither was given. Throws Failure (io).
bool answer_help(const Options& options, unsigned program, const std::string& about);

}  // namespace atmost::doctor

#endif
