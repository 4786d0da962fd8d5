// The content of the command line, before a lock or store is looked up: one value that every
// subcommand reads.
#ifndef ATMOST_CLI_INVOCATION_H
#define ATMOST_CLI_INVOCATION_H

#include <string_view>

#include "core/limiter.h"
#include "core/schemes.h"
#include "core/store.h"
#include "options/settings.h"

namespace atmost::cli {

// The words of the process, and the subcommand and store that serve them.
struct CommandLine {
  unsigned subcommand = 0;                // one of the bits of settings.h
  const StoreService* service = nullptr;  // of this program; null: none
  Store* locks = nullptr;           // the store that it names, once every option is known to fit
  char** argv = nullptr;            // of this process
  char* const* operands = nullptr;  // what follows the options; ends with a null pointer
  int operand_count = 0;
};

// All views point into argv or the environment.
struct Invocation : CommandLine, Settings {};

}  // namespace atmost::cli

#endif
