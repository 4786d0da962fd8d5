#include "reader/sources.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unordered_map>

#include "core/parse.h"
#include "history/log.h"
#include "os/host.h"
#include "os/self.h"
#include "reader/output.h"
#include "reader/tail.h"
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

namespace {

bool stands_for(std::string_view raw, const std::string& text) {
  return raw.find('\\') == std::string_view::npos ? raw == text : text_of(raw) == text;
}

bool is_about(const WantedLock& lock, const Record& record) {
  if (!lock.name.empty() && stands_for(record.text("lock"), lock.name)) return true;
  for (const std::string& path : lock.paths) {
    if (stands_for(record.text("path"), path)) return true;
  }
  // "/a/./b" and the like, from callers that wrote it so.
  if (record.text("path").find("/.") == std::string_view::npos &&
      record.text("path").find("//") == std::string_view::npos)
    return false;
  const std::string plain = std::filesystem::path(text_of(record.text("path"))).lexically_normal();
  return std::find(lock.paths.begin(), lock.paths.end(), plain) != lock.paths.end();
}

std::string near_name(const WantedLock& lock) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(lock.paths[0]).parent_path(), error)) {
    const std::string file = entry.path().filename();
    if (!file.ends_with(".lock")) continue;
    const std::string name(readable_name(file, os::host_name()).view());
    if (is_misspelling(lock.name, name)) return name;
  }
  return {};
}

}  // namespace

bool is_wanted(const std::vector<WantedLock>& locks, const Record& record) {
  if (locks.empty()) return true;
  for (const WantedLock& lock : locks) {
    if (!is_about(lock, record)) continue;
    lock.seen = true;
    return true;
  }
  return false;
}

void warn_of_unknown(const std::vector<WantedLock>& locks) {
  for (const WantedLock& lock : locks) {
    if (lock.used || lock.seen) continue;
    std::string words = lock.asked + ": nobody has used this lock yet";
    const std::string meant = lock.name.empty() ? std::string() : near_name(lock);
    if (!meant.empty()) words += "; did you mean " + meant + "?";
    complain(words);
  }
}

void complain_of_missing(const std::string& log) {
  const std::filesystem::path folder = std::filesystem::path(log).parent_path();
  std::error_code ignored;
  const bool there = folder.empty() || std::filesystem::exists(folder, ignored) || ignored;
  complain("no history yet: " + log +
           (there ? "" : "; there is no such directory: --dir or --log names another one"));
}

namespace {

// 1970 to 2200: beyond that, sums of moments and spans would no longer fit. Such times come from a
// broken line or clock.
constexpr std::int64_t kLatest = 7'258'118'400'000'000'000;

// A directory may have been copied or moved with its log, whose lines name the old one: a named
// lock that has a file in the log's directory is the lock there.
class NamesHere {
 public:
  explicit NamesHere(const std::string& log) : here_(log.substr(0, log.rfind('/') + 1)) {}

  // The path stays valid as long as this.
  void place(Record& record) {
    const std::string_view path = record.text("path");
    if (!path.starts_with('/') || path.substr(0, path.rfind('/') + 1) == here_) return;
    auto known = moved_.find(path);
    if (known == moved_.end())
      known = moved_.emplace(path, new_path(record.text("lock"), path)).first;
    if (!known->second.empty()) record.set(kPath, std::string_view(known->second));
  }

 private:
  static constexpr std::size_t kPath = ReadText("path").index;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  // Empty: the lock stays where it is.
  std::string new_path(std::string_view lock, std::string_view path) const {
    const Result<LockForm> form = classify_lock(text_of(lock));
    if (!form.ok() || form.value() == LockForm::path) return {};
    std::string to = here_ + std::string(path.substr(path.rfind('/') + 1));
    std::error_code ignored;
    return to.find_first_of("\\\"") == std::string::npos && std::filesystem::exists(to, ignored)
               ? to
               : std::string();
  }

  std::string here_;
  std::unordered_map<std::string, std::string, Hash, std::equal_to<>> moved_;
};

}  // namespace

ReadThrough read_whole(const Selection& selection, const std::function<void(const Record&)>& take) {
  ReadThrough result;
  result.sources = find_sources(selection);
  const Sources& sources = result.sources;
  NamesHere* names = nullptr;
  const LineSink sink = [&](std::string_view line) {
    if (line.empty()) return;  // two writers may have ended the same torn line
    Record record;
    const Reading reading = read_line(line, record);
    if (reading != Reading::whole) ++result.skipped;
    if (reading == Reading::foreign) return;
    if (record.ns("at") < selection.since_ns || record.ns("at") >= selection.until_ns) return;
    if (!is_wanted(sources.locks, record)) return;
    if (record.ns("at") < 0 || record.ns("at") > kLatest || !is_safe(record.line)) {
      ++result.skipped;
      return;
    }
    ++result.lines;
    if (names != nullptr) names->place(record);
    take(record);
  };
  for (const std::string& log : sources.logs) {
    NamesHere here(log);
    // A log that was asked for by its name may be another machine's.
    names = selection.logs.empty() ? &here : nullptr;
    Tail tail(log, selection.since_ns);
    tail.advance(sink);
    tail.finish(sink);
    if (!tail.found() && !selection.quiet) complain_of_missing(log);
  }
  if (!selection.quiet) warn_of_unknown(sources.locks);
  if (result.skipped > 0 && !selection.quiet) complain(skipped_words(result.skipped));
  return result;
}

std::string skipped_words(std::size_t lines) {
  return std::to_string(lines) + (lines == 1 ? " line was" : " lines were") +
         " skipped: torn, or not written by atmost";
}

}  // namespace atmost::history
