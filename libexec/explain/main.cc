// atmost explain
#include "doctor/options.h"
#include "explanation.h"
#include "reader/output.h"
#include "store/local/nfs_mount.h"

namespace atmost::explain {
namespace {

using history::Failure;

constexpr char kUsage[] =
    "usage: atmost explain [-v] LOCK\n\nwhich processes hold and wait, and what is wrong; with -v "
    "every byte range of the lock file "
    "and every hint";
constexpr char kWhatLockIs[] =
    "\nLOCK: a path (/x, ./x, a/x), operator:operand, or a name in the lock directory.\n";

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

int run_explain(int argc, char** argv) {
  const doctor::Options options = doctor::parse_options(argc, argv, kExplain);
  if (doctor::answer_help(options, kExplain, kUsage)) {
    return options.help ? history::print(kWhatLockIs) : 0;
  }
  if (is_fleet(options.store))
    throw Failure(Code::usage, "--store: explain reads a lock file: use list or doctor URL");
  if (options.operands.empty())
    throw Failure(Code::usage, "no LOCK given: use a name, operator:operand or a path");
  if (options.operands.size() > 1) {
    throw Failure(Code::usage, "\"" + options.operands[1] +
                                   "\" is one argument too many: options come before LOCK");
  }
  ScopedArena texts;
  LockSpec lock;
  bool named = false;
  Status done =
      place_lock(options.operands[0], doctor::naming_context(options), texts, lock, named);
  const std::string path(lock.path.view());
  if (done.ok() && options.store == "symlink:") {
    throw Failure(Code::usage,
                  path + ": a symlink lock has no file to explain: ls -l shows all of it");
  }
  if (done.ok() && local::is_on_good_nfs(parent_of(path)))
    throw Failure(Code::usage, path + ": a lock of several machines: use atmost list, or doctor");
  if (done.ok()) done = explain(path, options.verbose, 1);
  if (!done.ok()) throw Failure(done.error());
  return 0;
}

}  // namespace
}  // namespace atmost::explain

int main(int argc, char** argv) {
  return atmost::history::run_guarded(atmost::explain::run_explain, argc, argv);
}
