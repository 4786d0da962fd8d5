#include "reader/sources.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/place.h"
#include "history/log.h"
#include "os/host.h"
#include "reader/failure.h"
#include "store/local/nfs_mount.h"

namespace atmost::history {
namespace {

namespace fs = std::filesystem;

// A path as it may stand in the log: as it was written, made absolute, and with its links resolved.
std::vector<std::string> spellings(const std::string& path) {
  std::error_code error;
  std::vector<std::string> all;
  const fs::path absolute = fs::absolute(path, error);
  if (error) return {path};
  all.push_back(absolute.lexically_normal());
  const fs::path resolved = fs::weakly_canonical(absolute, error);
  if (!error && resolved != absolute) all.push_back(resolved);
  return all;
}

// The store of a directory that machines share names the log so, too.
std::vector<std::string> lock_spellings(const std::string& path) {
  std::vector<std::string> all = spellings(path);
  for (std::size_t i = all.size(); i-- > 0;) all.push_back("shared:" + all[i]);
  return all;
}

// In a directory that machines share, each machine has a log of its own elsewhere.
void leave_shared(std::string_view& directory) {
  if (!directory.empty() && local::is_on_good_nfs(directory)) directory = {};
}

std::string beside(const std::string& lock) {
  return lock.substr(0, lock.rfind('/') + 1) + std::string(kDefaultName);
}

// Returns an empty path if there is no place for a log.
std::string own_log_of(const NamingContext& around) {
  const Result<PathParts> log = own_log(around);
  PathText path;
  if (log.ok()) log.value().join(path);
  return std::string(path.view());
}

// Returns absolute paths, each once.
void make_unique(std::vector<std::string>& logs) {
  for (std::string& log : logs) log = spellings(log).front();
  std::sort(logs.begin(), logs.end());
  logs.erase(std::unique(logs.begin(), logs.end()), logs.end());
}

}  // namespace

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : std::string_view{};
}

Sources find_sources(const Selection& selection) {
  const Text<255> machine = os::host_name();
  NamingContext around;
  around.option_dir = selection.dir;
  around.atmost_dir = variable("ATMOST_DIR");
  around.state_home = variable("XDG_STATE_HOME");
  around.home = variable("HOME");
  around.host = selection.host.empty() ? machine.view() : selection.host;
  around.root = os::user_id() == 0;

  NamingContext logs_around = around;
  leave_shared(logs_around.option_dir);
  leave_shared(logs_around.atmost_dir);
  const bool shared =
      logs_around.option_dir != around.option_dir || logs_around.atmost_dir != around.atmost_dir;
  const std::string own = own_log_of(logs_around);
  std::error_code ignored;
  Sources to;
  std::vector<std::string> older;  // that an earlier version wrote beside locks
  for (const std::string& lock : selection.locks) {
    ScopedArena texts;
    LockSpec spec;
    bool named = false;
    if (const Status placed = place_lock(lock, around, texts, spec, named); !placed.ok())
      throw Failure(placed.error());
    const std::string path(spec.path.view());
    to.locks.push_back({named ? lock : std::string(), lock_spellings(path), lock,
                        fs::exists(path, ignored), false});
    if (!selection.logs.empty()) continue;
    if ((named && !shared) || own.empty()) {
      to.logs.push_back(beside(path));
    } else {
      to.logs.push_back(own);
      // Runs of a lock of this machine are logged there nevertheless.
      const std::string local = shared ? own_log_of(around) : std::string();
      if (!local.empty()) older.push_back(local);
      older.push_back(beside(path));
    }
  }
  to.logs.insert(to.logs.end(), selection.logs.begin(), selection.logs.end());
  if (to.logs.empty()) {
    PathText directory;
    if (const Status found = lock_directory(logs_around, directory); !found.ok())
      throw Failure(found.error());
    to.directory = directory.view();
    to.logs.push_back(to.directory + "/" + std::string(kDefaultName));
  }
  to.host = around.host;
  make_unique(to.logs);
  make_unique(older);
  older.erase(std::remove_if(older.begin(), older.end(),
                             [&](const std::string& log) {
                               return !fs::exists(log, ignored) ||
                                      std::find(to.logs.begin(), to.logs.end(), log) !=
                                          to.logs.end();
                             }),
              older.end());
  to.logs.insert(to.logs.begin(), older.begin(), older.end());
  return to;
}

}  // namespace atmost::history
