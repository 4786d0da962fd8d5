#include "program.h"

#include <cstdlib>
#include <utility>

#include "core/limiter.h"
#include "core/monitor.h"
#include "core/parse.h"
#include "options/combine.h"
#include "options/table.h"
#include "options/words.h"
#include "os/file.h"
#include "os/host.h"
#include "os/self.h"
#include "output.h"
#include "place.h"
#include "subcommands.h"

namespace atmost::cli {
namespace {

constinit Invocation invocation;

int usage(const Error& error) {
  complain(error);
  return static_cast<int>(error.code);
}

Status take_environment_store(const char* url) {
  const Status checked = check_store(url);
  if (checked.ok()) {
    invocation.store = url;
    return {};
  }
  Error error = error_of(Code::usage, 0, "$ATMOST_STORE: ");
  error.message.append(checked.error().message);
  return error;
}

bool claim_status_fd(int& code) {
  const Status claimed = claim_descriptor(invocation.status_fd);
  if (claimed.ok()) return true;
  Error error = error_of(Code::usage, claimed.error().sys, "--status-fd: descriptor ");
  error.message.append_signed(invocation.status_fd).append(" is ").append(claimed.error().message);
  code = usage(error);
  return false;
}

// lock_unlock gives this option first: its caller typed wait=, and not --wait.
int usage_of_lock_unlock(const Error& error) {
  constexpr std::string_view kExpiry = "--expire-after: ";
  std::string_view words = error.message;
  Error renamed = error_of(error.code, error.sys, "lock_unlock: ");
  if (words.find(kExpiry) == 0) {
    renamed.message.append("expire: ");
    words.remove_prefix(kExpiry.size());
  } else if (words.find("--") == 0) {
    words.remove_prefix(2);
  }
  renamed.message.append(words);
  return usage(renamed);
}

// Reads and checks the command line. If it returns false the program ends with `code`.
bool read_command_line(const Subcommand& subcommand, int argc, char** argv, int& code) {
  invocation.processors = os::processors;
  Status read = read_command_words(argc - 1, argv + 1, invocation);
  const bool helps = invocation.help || invocation.help_all;
  if (read.ok() && (helps || invocation.version)) {
    code = helps ? show_help(subcommand, invocation.help_all) : show_version();
    return false;
  }
  const char* const url = std::getenv("ATMOST_STORE");
  if (read.ok() && invocation.store.empty() && url != nullptr && url[0] != '\0')
    read = take_environment_store(url);
  if (read.ok()) read = check_operands(invocation);
  if (read.ok()) read = combine(invocation, scheme_of(invocation), invocation.subcommand);
  if (!read.ok())
    code = invocation.keeper_to.empty() ? usage(read.error()) : usage_of_lock_unlock(read.error());
  return read.ok();
}

// The same for the store that the options name.
bool open_the_store(const StoreService* service, StoreRoom& room, int& code) {
  Result<Store*> store = open_store(invocation.store, room, service);
  if (!store.ok()) {
    code = usage(store.error());
    return false;
  }
  invocation.locks = store.value();
  return invocation.status_fd < 0 || claim_status_fd(code);
}

// Obeys --die-with in each of its processes. If it returns false the program ends with `code`.
bool obey_die_with(char** argv, int& code) {
  const Role role = own_role();
  if (role == Role::supervisor) return true;
  if (role == Role::monitor && is_fleet(invocation.store)) return true;
  code = usage(role == Role::front
                   ? run_with_caller(argv, invocation.die_with, [] { hide_ping(invocation); })
                   : monitor_itself(argv, invocation));
  return false;
}

// The subcommand of that name, or of a name that other programs use for it; else null.
const Subcommand* subcommand_of(std::string_view name) {
  const bool is_list = name == "ls" || name == "ps" || name == "status";
  for (const Subcommand& subcommand : subcommands) {
    if (subcommand.name == (is_list ? "list" : name)) return &subcommand;
  }
  return nullptr;
}

int run_with_store(const Subcommand& subcommand, char** argv) {
  int code = 0;
  const bool run_here = subcommand.bit == kRun && invocation.service == nullptr;
  if (run_here && invocation.die_with.given()) {
    if (!obey_die_with(argv, code)) return code;
  } else if (run_here && !invocation.request.exec) {
    reexec_in_child(argv);
  }
  const std::string_view url = invocation.store;
  if (invocation.service == nullptr && is_fleet(url))
    return become_fleet(scheme_of(url)->program, argv, invocation);
  StoreRoom room;
  if (!open_the_store(invocation.service, room, code)) return code;
  return subcommand.run(invocation);
}

// Without an option that names a store, the directory of the lock decides.
[[gnu::noinline]] int ask_place(const Subcommand& subcommand, char** argv) {
  const PathText url = find_shared_place(invocation);
  if (url.empty() && given(invocation, "ttl") && invocation.store.empty())
    return usage(without_lease());
  if (url.empty()) return run_with_store(subcommand, argv);
  return with_shared_store(invocation, url, [](char** words, Invocation&) {
    return run_with_store(*subcommand_of(words[1]), words);
  });
}

// argv[1] is the subcommand's name.
int run_subcommand(const Subcommand& subcommand, int argc, char** argv,
                   const StoreService* service) {
  invocation.service = service;
  invocation.subcommand = subcommand.bit;
  invocation.argv = argv;
  int code = 0;
  if (!read_command_line(subcommand, argc, argv, code)) return code;
  if (subcommand.bit == kBeat) return subcommand.run(invocation);  // needs no store
  if (service == nullptr && asks_place_first(invocation)) return ask_place(subcommand, argv);
  return run_with_store(subcommand, argv);
}

// A hidden option by which a monitor ends the lease of its killed supervisor: --end-lease URL
// LEASE.
int end_lease_by_words(int argc, char** argv, const StoreService& service) {
  if (argc != 4) return static_cast<int>(Code::usage);
  const Status ended = service.end_lease(argv[2], argv[3]);
  if (ended.ok()) return 0;
  Error error = error_of(ended.error().code, ended.error().sys, ended.error().message);
  error.message.append("; the lock is free when its lease ends by itself");
  return usage(error);
}

// atmost help [COMMAND]
int help(char** argv) {
  if (argv[2] == nullptr || std::string_view(argv[2]) == "help") return show_help(false);
  if (std::string_view(argv[2]) == "--all") return show_help(true);
  if (const Subcommand* subcommand = subcommand_of(argv[2])) return show_help(*subcommand, false);
  char option[] = "--help";
  char* external[] = {argv[0], argv[2], option, nullptr};
  return run_external(argv[2], external);
}

}  // namespace

int run_program(int argc, char** argv, const StoreService* service) {
  if (service != nullptr) {
    os::keep_standard_streams();
    attach_to_monitor();
  }
  if (os::has_raised_rights()) {
    return usage(error_of(Code::not_permitted, 0,
                          "refuses to run set-user-id or set-group-id: its arguments and "
                          "environment are the caller's"));
  }
  if (argc < 2)
    return usage(error_of(Code::usage, 0, "no command given: atmost --help lists them"));
  const std::string_view name = argv[1];
  if (service != nullptr && name == kEndLease) return end_lease_by_words(argc, argv, *service);
  if (const Subcommand* subcommand = subcommand_of(name))
    return run_subcommand(*subcommand, argc, argv, service);
  if (name == "-h" || name == "--help" || name == "help") return help(argv);
  if (name == "--help-all") return show_help(true);
  if (name == "-V" || name == "--version" || name == "version") return show_version();
  return run_external(name, argv);
}

}  // namespace atmost::cli
