// atmost pass: runs every atom of a file that is due here and now.
#include "program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "core/outcome.h"
#include "core/parse.h"
#include "core/schemes.h"
#include "core/store.h"
#include "job.h"
#include "limiter/admission.h"
#include "monitored.h"
#include "options.h"
#include "os/file.h"
#include "os/host.h"
#include "pass.h"
#include "policy/decide.h"
#include "reader/sources.h"

namespace atmost::pass {
namespace {

// Kept for as long as this process lives.
ScopedArena texts;
Request request;  // its texts are of that
Owned<Session> session;
Lease lease;

}  // namespace

// Takes one of `most` places of the lock pass:FILE (FILE is the path of realpath(3)), until this
// process and all atoms that it started in separate processes have ended. The outcome is `ran` if
// there was one.
Outcome take_place(Store& files, const std::string& file, std::uint32_t most,
                   const NamingContext& around, bool trust_fs) {
  Outcome outcome;
  char* real = realpath(file.c_str(), nullptr);
  const std::string name = "pass:" + (real != nullptr ? std::string(real) : file);
  free(real);
  if (const Status placed = place_lock(name, around, texts, request.locks[0], request.make_parents);
      !placed.ok()) {
    outcome.error = placed.error();
    return outcome;
  }
  request.locks[0].max = most;
  request.locks[0].max_given = true;
  request.trust_fs = trust_fs;
  request.command = Text<63>(std::string_view("atmost pass"));
  // A pass is never taken over; and the occupancy words that a supervisor registers belong to its
  // atoms.
  request.kind = HolderKind::library;
  Result<Owned<Session>> opened = files.open(request);
  if (!opened.ok()) {
    outcome.error = opened.error();
    return outcome;
  }
  session = std::move(opened.value());
  return limiter::admit({request, files.traits(), *session}, policy::decide, nullptr, lease);
}

namespace {

// Pipes and lock files must not land where a command will look for its standard streams.
void open_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
  }
}

int refuse(Code code, std::string_view words) {
  complain(words);
  return static_cast<int>(code);
}

// The directory of the locks as an absolute path: atoms may run elsewhere.
Status make_absolute(std::string& dir) {
  if (dir.empty() || dir[0] == '/') return {};
  char here[4096];
  if (getcwd(here, sizeof here) == nullptr) {
    return error_of(Code::usage, errno,
                    "--dir is relative, and the working directory is not known");
  }
  dir = std::string(here) + "/" + dir;
  return {};
}

NamingContext naming_context(const Options& options, const Host& host) {
  NamingContext around;
  around.option_dir = options.dir;
  around.atmost_dir = history::variable("ATMOST_DIR");
  around.state_home = history::variable("XDG_STATE_HOME");
  around.home = history::variable("HOME");
  around.host = host.name;
  around.root = os::user_id() == 0;
  return around;
}

// Reads the file into `to`. Returns the exit code, 0 if all is right.
int read(const std::string& path, bool quiet, PassFile& to) {
  std::string why_not;
  bool not_ours = false;
  const std::optional<std::string> text = load_file(path, why_not, not_ours);
  if (!text) {
    complain(path + ": " + why_not);
    return static_cast<int>(not_ours ? Code::not_permitted : Code::pass_file);
  }
  std::vector<Remark> faults;
  std::vector<Remark> remarks;
  read_pass_file(*text, to, faults, remarks);
  for (const Remark& fault : faults) complain_at(path, fault);
  if (!faults.empty()) return static_cast<int>(Code::pass_file);
  for (const Remark& remark : remarks) {
    if (!quiet) complain_at(path, {remark.at, "warning: " + remark.words});
  }
  return 0;
}

// --store, else $ATMOST_STORE.
Status choose_store(Options& options) {
  const bool said = !options.store.empty();
  if (!said) options.store = history::variable("ATMOST_STORE");
  if (options.store.empty()) return {};
  Error error = error_of(Code::usage, 0, said ? "--store: " : "$ATMOST_STORE: ");
  if (const Status checked = check_store(options.store); !checked.ok()) {
    error.message.append(checked.error().message);
    return error;
  }
  if (options.store != "symlink:") return {};
  error.message.append("a pass keeps its locks in files, or in a store that many machines share");
  return error;
}

// The program with the store of that URL is in the directory of this one.
int become_fleet_pass(std::string_view url, int argc, char** argv) {
  std::string path(program_directory().view());
  path.append("/atmost-").append(scheme_of(url)->program);
  std::string pass = kPass;
  std::vector<char*> words = {path.data(), pass.data()};
  words.insert(words.end(), argv + 1, argv + argc + 1);
  const Error error = become_program(words.data());
  return refuse(Code::unavailable, path + ", which serves that store, cannot be run: " +
                                       std::string(error.message.view()));
}

// If no store was named and machines share the lock directory, its store is used. With --trust-fs
// the locks are the files there.
void choose_shared_store(Options& options, const Host& host) {
  if (!options.store.empty() || options.trust_fs) return;
  PathText directory, url;
  if (lock_directory(naming_context(options, host), directory).ok() &&
      find_shared_store(directory, url))
    options.store = url.view();
}

int run_pass(Options& options, int argc, char** argv, const StoreService* service) {
  if (const Status chosen = choose_store(options); !chosen.ok())
    return refuse(Code::usage, chosen.error().message.view());
  const Host host = this_host(options.host);
  choose_shared_store(options, host);
  Variables secrets;
  StoreRoom room, file_room;
  Result<Store*> shared = static_cast<Store*>(nullptr);
  if (is_fleet(options.store)) {
    if (service == nullptr) return become_fleet_pass(options.store, argc, argv);
    secrets = secrets_of(options.store);
    shared = open_store(options.store, room, service);
    if (!shared.ok()) return refuse(shared.error().code, shared.error().message.view());
  }
  Result<Store*> files = open_store("file:", file_room);
  if (!files.ok()) return refuse(files.error().code, files.error().message.view());
  if (const Status absolute = make_absolute(options.dir); !absolute.ok()) {
    return refuse(Code::usage, absolute.error().message.view());
  }
  PassFile file;
  if (!options.file.empty()) {
    if (const int code = read(options.file, options.quiet, file); code != 0) return code;
  }
  NamingContext around = naming_context(options, host);
  if (!options.trust_fs)
    around = without_shared(around, options.store);  // scope = "host" is of this machine
  const Stores stores = {*files.value(), shared.value()};
  Pass pass(options, file, host, around, stores, std::move(secrets));
  if (options.classes) return pass.show_classes();
  if (options.dry_run) return pass.dry_run();
  if (options.max_passes) {
    const Outcome place =
        take_place(stores.files, options.file, *options.max_passes, around, options.trust_fs);
    if (place.kind == Outcome::Kind::failed)
      return refuse(place.error.code, place.error.message.view());
    if (place.kind == Outcome::Kind::refused) {
      if (!options.quiet)
        complain(options.file + ": " + std::to_string(*options.max_passes) + " passes run already");
      return static_cast<int>(Code::busy);
    }
  }
  return pass.run();
}

int begin(int argc, char** argv, const StoreService* service) {
  open_standard_streams();
  // If the parent ignores SIGCHLD, we could not wait for children.
  signal(SIGCHLD, SIG_DFL);
  if (argc > 1 && strcmp(argv[1], kBecome) == 0) return become_user(argv + 2);
  if (argc > 1 && strcmp(argv[1], kMonitored) == 0 && service != nullptr)
    return be_monitored(argv + 2, *service);
  if (argc > 1 && strcmp(argv[1], kEndLease) == 0 && service != nullptr)
    return end_monitored_lease(argv + 2, *service);
  if (os::has_raised_rights())
    return refuse(Code::not_permitted,
                  "refused: it must not run set-user-id or with raised rights");
  Options options;
  std::string wrong;
  if (!read_options(argc, argv, options, wrong)) return refuse(Code::usage, wrong);
  if (options.help || options.version) {
    put(1, options.help ? help() : "atmost pass " ATMOST_VERSION "\n");
    return 0;
  }
  return run_pass(options, argc, argv, service);
}

}  // namespace

int run_program(int argc, char** argv, const StoreService* service) {
  if (service != nullptr) os::keep_standard_streams();
  return begin(argc, argv, service);
}

}  // namespace atmost::pass
