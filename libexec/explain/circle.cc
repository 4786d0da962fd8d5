// Finds holders of a lock that may wait for one another: each hold of the lock has, below it, a
// process that waits for a lock of which the same is true. Shown as possible: such a waiter may be
// in the background, and its holder may go on.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <system_error>

#include "explanation.h"
#include "os/file.h"
#include "os/locks.h"
#include "os/process.h"

namespace atmost::explain {
namespace {

struct File {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  auto operator<=>(const File&) const = default;
};

// A lock for writing, through a descriptor of a process.
struct Held {
  std::string descriptor;  // /proc/PID/fd/N
  os::LockLine line;
};

struct Process {
  std::int64_t parent = 0;
  std::int64_t start_boot_ns = 0;
  std::vector<Held> locks;
};

class Gatherer final : public os::ProcessVisitor {
 public:
  bool process(std::int64_t pid, const os::ProcessFacts& facts) override {
    Process& to = all[pid];
    to.parent = facts.parent;
    to.start_boot_ns = facts.start_boot_ns;
    const std::string folder = "/proc/" + std::to_string(pid);
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(folder + "/fdinfo", unreadable)) {
      std::ifstream info(entry.path());
      for (std::string line; std::getline(info, line);) {
        os::LockLine lock;
        if (os::parse_lock_line(line, lock) && (is_ticket(lock) || has_slots(lock)))
          to.locks.push_back({folder + "/fd/" + entry.path().filename().string(), lock});
      }
    }
    return true;
  }

  std::map<std::int64_t, Process> all;
};

class Circle {
 public:
  Circle(const std::map<std::int64_t, Process>& processes) : processes_(processes) {}

  // True if every hold of the file may wait for itself. Assumed of the files that led here.
  bool holds(const File& file) {
    if (!assumed_.insert(file).second) return true;
    const std::size_t before = words.size();
    const std::map<std::uint32_t, std::set<std::int64_t>> slots = holders_of(file);
    bool all = !slots.empty();
    for (auto slot = slots.begin(); all && slot != slots.end(); ++slot)
      all = waits(file, slot->first, slot->second);
    if (all) return true;
    assumed_.erase(file);
    words.resize(before);
    return false;
  }

  std::vector<std::string> words;

 private:
  bool leads_to(const Held& lock, const File& file) const {
    File there;
    return lock.line.inode == file.inode && file_of(lock, there) && there == file;
  }

  static bool file_of(const Held& lock, File& to) {
    struct stat status;
    if (os::path_status(lock.descriptor.c_str(), status, true) != 0) return false;
    to = {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
    return true;
  }

  // By slot: the processes that have its lock, and the one that a keeper has it for.
  std::map<std::uint32_t, std::set<std::int64_t>> holders_of(const File& file) const {
    std::map<std::uint32_t, std::set<std::int64_t>> slots;
    for (const auto& [pid, process] : processes_) {
      for (const Held& lock : process.locks) {
        if (!has_slots(lock.line) || !leads_to(lock, file)) continue;
        os::Fd fd;
        const bool readable = os::open_to_read(lock.descriptor.c_str(), fd) == 0;
        for (std::int64_t byte = lock.line.start; byte <= lock.line.end; ++byte) {
          slots[slot_of(byte)].insert(pid);
          Record record;
          if (readable && read_record(fd.get(), slot_of(byte), record) && is_kept(pid, record))
            slots[slot_of(byte)].insert(static_cast<std::int64_t>(record.kept_for));
        }
      }
    }
    return slots;
  }

  bool is_kept(std::int64_t keeper, const Record& record) const {
    const auto kept = processes_.find(static_cast<std::int64_t>(record.kept_for));
    return record.pid == keeper && kept != processes_.end() &&
           kept->second.start_boot_ns == record.kept_for_start_ns;
  }

  bool is_below(std::int64_t pid, const std::set<std::int64_t>& roots) const {
    for (auto at = processes_.find(pid); at != processes_.end();
         at = processes_.find(at->second.parent)) {
      if (roots.contains(at->first)) return true;
    }
    return false;
  }

  bool waits(const File& file, std::uint32_t slot, const std::set<std::int64_t>& holders) {
    for (const auto& [pid, process] : processes_) {
      for (const Held& lock : process.locks) {
        File wanted;
        if (!is_ticket(lock.line) || !is_below(pid, holders) || !file_of(lock, wanted)) continue;
        if (!holds(wanted)) continue;
        add(file, slot, *holders.begin(), pid, lock);
        return true;
      }
    }
    return false;
  }

  void add(const File& file, std::uint32_t slot, std::int64_t holder, std::int64_t waiter,
           const Held& ticket) {
    std::error_code unknown;
    std::string held = "this lock";
    for (const Held& lock : processes_.at(holder).locks) {
      if (leads_to(lock, file))
        held = std::filesystem::read_symlink(lock.descriptor, unknown).string();
    }
    words.push_back("slot " + std::to_string(slot) + " of " + held + " is held by process " +
                    std::to_string(holder) + ", below which process " + std::to_string(waiter) +
                    " waits for " +
                    std::filesystem::read_symlink(ticket.descriptor, unknown).string());
  }

  const std::map<std::int64_t, Process>& processes_;
  std::set<File> assumed_;
};

}  // namespace

bool explain_circle(const Explanation& about, Report& out) {
  Gatherer gatherer;
  if (os::each_process(gatherer) != 0) return false;
  Circle circle(gatherer.all);
  if (!circle.holds({about.identity.device, about.identity.inode})) return false;
  out.text("\npossible circle: each of these may wait for another one of them for ever\n");
  for (const std::string& words : circle.words) out.text("  ").shown(words).line();
  return true;
}

}  // namespace atmost::explain
