// atmost: which subcommand, which options, and off it goes.
#include "atmost/host.h"
#include "combine.h"
#include "options.h"
#include "output.h"
#include "subcommands.h"
#include "values.h"

#include <cstdlib>

namespace atmost::cli {
namespace {

constinit Invocation invocation;

int usage(const Error& error) {
  complain(error);
  return static_cast<int>(error.code);
}

Status take_environment_store(Invocation& it) {
  const char* url = std::getenv("ATMOST_STORE");
  if (!it.store.empty() || url == nullptr || url[0] == '\0') return {};
  const Status checked = check_store(url);
  if (checked.ok()) {
    it.store = url;
    return {};
  }
  Error error = error_of(Code::usage, 0, "$ATMOST_STORE: ");
  error.message.append(checked.error().message);
  return error;
}

Status claim_status_fd(const Invocation& it) {
  if (it.status_fd < 0) return {};
  const Status claimed = claim_descriptor(it.status_fd);
  if (claimed.ok()) return {};
  Error error = error_of(Code::usage, claimed.error().sys, "--status-fd: descriptor ");
  error.message.append_signed(it.status_fd).append(" is ").append(claimed.error().message);
  return error;
}

// argv[0] is the subcommand's name.
int run_subcommand(const Subcommand& subcommand, int argc, char** argv) {
  invocation.subcommand = subcommand.bit;
  if (const Status read = read_options(argc, argv, invocation); !read.ok()) return usage(read.error());
  if (invocation.help) return show_help(subcommand);
  if (invocation.version) return show_version();
  if (const Status combined = combine(invocation); !combined.ok()) return usage(combined.error());
  if (const Status store = take_environment_store(invocation); !store.ok()) return usage(store.error());
  if (const Status claimed = claim_status_fd(invocation); !claimed.ok()) return usage(claimed.error());
  return subcommand.run(invocation);
}

int run(int argc, char** argv) {
  if (has_raised_rights()) {
    complain("refuses to run set-user-id or set-group-id: its arguments and environment are the caller's");
    return static_cast<int>(Code::not_permitted);
  }
  if (argc < 2) return usage(error_of(Code::usage, 0, "no command given: atmost --help lists them"));
  const std::string_view name = argv[1];
  for (const Subcommand& subcommand : subcommands()) {
    if (subcommand.name == name) return run_subcommand(subcommand, argc - 1, argv + 1);
  }
  if (name == "-h" || name == "--help") return show_help();
  if (name == "-V" || name == "--version") return show_version();
  return run_external(name, argv);
}

}  // namespace
}  // namespace atmost::cli

int main(int argc, char** argv) { return atmost::cli::run(argc, argv); }
