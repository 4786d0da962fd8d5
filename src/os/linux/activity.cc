#include "../activity.h"

#include <time.h>

#include <cerrno>

#include "../calls.h"
#include "../process.h"
#include "../self.h"
#include "core/parse.h"
#include "proc_files.h"

namespace atmost::os {
namespace {

// The sum of the counters of processes whose numbers share a row. Rows, not processes, are compared
// with the look before, so that a tree of any size fits.
struct Row {
  std::uint64_t who = 0;  // a sum over its processes: another one means that they are others
  std::int64_t cpu_ns = 0;
  IoCounters io;
};
// In front of the boot clock's seconds, as the name of a supervisor.
constexpr std::string_view kAnnounced = "eta:";

constexpr std::int64_t kRows = 256;
constexpr std::int64_t kKnown = 2048;

struct Memory {
  Row rows[2][kRows];
  int newer = 0;  // which of the two is the last look's
  // Processes that a look has found outside, by their number; those that this look found inside.
  std::int32_t outside[kKnown] = {};
  std::int32_t inside[kKnown] = {};
};
constinit Memory memory;

// clock_getcpuclockid(3): the processor time of a whole process, to the nanosecond.
constexpr clockid_t cpu_clock_of(std::int64_t pid) {
  constexpr unsigned kScheduled = 2;
  return static_cast<clockid_t>(~static_cast<unsigned>(pid) << 3 | kScheduled);
}

bool read_cpu(clockid_t clock, std::int64_t& to) {
  struct timespec at;
  if (calls.clock_gettime(clock, &at) != 0) return false;
  to = static_cast<std::int64_t>(at.tv_sec) * 1'000'000'000 + at.tv_nsec;
  return true;
}

// `gone`: it has ended. The counters of a zombie count, if they can be read.
enum class Readable : std::uint8_t { yes, no, gone };

Readable read_io(std::int64_t pid, IoCounters& to) {
  char room[512];  // seven lines of at most 45 bytes
  std::string_view text;
  const int error = read_proc(proc_path(pid, "/io").c_str(), room, sizeof room, text);
  if (error == 0 && parse_process_io(text, to)) return Readable::yes;
  ProcessFacts facts;
  const int unseen = process_facts(pid, facts);
  return unseen == ESRCH || (unseen == 0 && facts.ended()) ? Readable::gone : Readable::no;
}

void knows(std::int32_t* set, std::int64_t pid) {
  set[pid % kKnown] = static_cast<std::int32_t>(pid);
}
bool is_in(const std::int32_t* set, std::int64_t pid) { return set[pid % kKnown] == pid; }

class Look {
 public:
  Look(const WatchedTree& tree, bool thorough)
      : tree_(tree), thorough_(thorough), self_(process_id()) {
    ProcessFacts facts;
    if (process_facts(tree.root, facts) == 0) started_ns_ = facts.start_boot_ns;
  }

  // All processes; false where they cannot be seen.
  bool run() {
    Numbers pids;
    if (!own_numbers() || pids.open("/proc") != 0) return false;
    ProcessFacts first;
    hides_ = process_facts(1, first) == EACCES;
    if (hides_) see_hidden_children(tree_.root);
    bool any = false;
    for (std::int64_t pid; pids.next(pid);) {
      any = true;
      if (pid <= 1 || pid == self_ || is_in(memory.outside, pid)) continue;
      ProcessFacts facts;
      const int error = process_facts(pid, facts);
      if (error != 0 && error != ESRCH && !(hides_ && error == EACCES)) seen.unclear = true;
      if (error != 0) continue;
      if (!belongs(pid, facts)) {
        knows(memory.outside, pid);
        continue;
      }
      knows(memory.inside, pid);
      if (hides_ && pid != tree_.root) see_hidden_children(pid);
      if (pid != tree_.root || tree_.with_root) count(pid, facts);
    }
    return any;
  }

  Activity seen;

 private:
  bool belongs(std::int64_t pid, ProcessFacts facts) const {
    for (;;) {
      if (pid == tree_.root || facts.parent == tree_.root) return true;
      if (facts.parent <= 1 || facts.start_boot_ns < started_ns_) return false;
      if (is_in(memory.inside, facts.parent)) return true;
      if (is_in(memory.outside, facts.parent)) return false;
      pid = facts.parent;
      // Its parent ended meanwhile: it has another one now. Rather too many than too few.
      if (process_facts(pid, facts) != 0) return true;
    }
  }

  // The bytes of a waiter or supervisor of ours below do not count: it reads lock files and /proc
  // all the time.
  void count(std::int64_t pid, const ProcessFacts& facts) {
    ++seen.processes;
    see_state(facts);
    if (thorough_ && facts.threads > 1) see_threads(pid);
    if (thorough_) see_rings(pid);
    IoCounters io;
    std::int64_t cpu_ns = 0;
    const Readable readable = runs_atmost(pid, facts) ? Readable::yes : read_io(pid, io);
    if (readable != Readable::yes || !read_cpu(cpu_clock_of(pid), cpu_ns)) {
      if (readable == Readable::no) seen.unclear = true;
      return;
    }
    Row& row = memory.rows[memory.newer][pid % kRows];
    row.who += (static_cast<std::uint64_t>(pid) ^ static_cast<std::uint64_t>(facts.start_boot_ns)) *
               0x9E37'79B9'7F4A'7C15;
    row.cpu_ns += cpu_ns + facts.reaped_cpu_ns;
    row.io.read_bytes += io.read_bytes;
    row.io.written_bytes += io.written_bytes;
    row.io.reads += io.reads;
    row.io.writes += io.writes;
    row.io.storage_bytes += io.storage_bytes;
  }

  void see_state(const ProcessFacts& facts) {
    if (facts.state == 'D') seen.unclear = true;
    if (facts.state == 'R') seen.runnable = true;
  }

  // A child that /proc hides (another user's, under the mount option hidepid) may be at work.
  void see_hidden_children(std::int64_t pid) {
    Numbers threads;
    const Text<63> path = proc_path(pid, "/task");
    if (threads.open(path.c_str()) != 0) seen.unclear = true;
    for (std::int64_t thread; !seen.unclear && threads.next(thread);) {
      char room[4096];
      std::string_view left;
      Text<63> file = path;
      file.push('/').append_signed(thread).append("/children");
      seen.unclear =
          read_proc(file.c_str(), room, sizeof room, left) != 0 || left.size() == sizeof room;
      while (!seen.unclear && !left.empty()) {
        const std::size_t blank = left.find(' ');
        const std::size_t size = blank < left.size() ? blank : left.size();
        ProcessFacts child;
        const Result<std::uint64_t> number = parse_count({left.data(), size}, 1, INT32_MAX);
        left.remove_prefix(size < left.size() ? size + 1 : size);
        seen.unclear = !number.ok() ||
                       process_facts(static_cast<std::int64_t>(number.value()), child) == EACCES;
      }
    }
  }

  void see_threads(std::int64_t pid) {
    Numbers threads;
    const Text<63> path = proc_path(pid, "/task");
    if (threads.open(path.c_str()) != 0) return;
    for (std::int64_t thread; threads.next(thread);) {
      char room[2048];
      std::string_view text;
      ProcessFacts facts;
      Text<63> file = path;
      file.push('/').append_signed(thread).append("/stat");
      if (read_proc(file.c_str(), room, sizeof room, text) == 0 && parse_process_stat(text, facts))
        see_state(facts);
    }
  }

  void see_rings(std::int64_t pid) {
    Numbers descriptors;
    const Text<63> path = proc_path(pid, "/fd");
    if (descriptors.open(path.c_str()) != 0) return;
    for (std::int64_t fd; !seen.uncounted && descriptors.next(fd);) {
      constexpr std::string_view kRing = "anon_inode:[io_uring]";
      char name[kRing.size() + 1];
      Text<63> file = path;
      file.push('/').append_signed(fd);
      const ssize_t size = calls.readlink(file.c_str(), name, sizeof name);
      seen.uncounted = size > 0 && std::string_view(name, static_cast<std::size_t>(size)) == kRing;
    }
  }

  const WatchedTree& tree_;
  const bool thorough_;
  const std::int64_t self_;
  std::int64_t started_ns_ = 0;
  bool hides_ = false;  // /proc hides processes from this user
};

// Adds what a row has counted since the look before; all of it, if its processes are others.
void add_row(const Row& before, const Row& now, Activity& to) {
  static constexpr Row kNobody;
  const Row& since = now.who == before.who ? before : kNobody;
  to.cpu_ns += now.cpu_ns - since.cpu_ns;
  IoCounters io = now.io;
  io.read_bytes -= since.io.read_bytes;
  io.written_bytes -= since.io.written_bytes;
  io.reads -= since.io.reads;
  io.writes -= since.io.writes;
  io.storage_bytes -= since.io.storage_bytes;
  if (!is_quiet(io)) to.moved = true;
}

}  // namespace

int counts_activity() {
  char room[512];
  std::string_view text;
  IoCounters io;
  if (!own_numbers() || read_proc("/proc/self/io", room, sizeof room, text) != 0) return ENOSYS;
  return parse_process_io(text, io) ? 0 : ENOSYS;
}

Activity look_at(const WatchedTree& tree, bool from_now, bool thorough) {
  if (from_now || thorough) {
    for (std::int32_t& pid : memory.outside) pid = 0;
  }
  for (std::int32_t& pid : memory.inside) pid = 0;
  memory.newer = 1 - memory.newer;
  for (Row& row : memory.rows[memory.newer]) row = {};
  Look look(tree, thorough);
  if (!look.run()) look.seen.unclear = true;
  if (from_now) {
    look.seen.moved = true;
    return look.seen;
  }
  for (std::int64_t i = 0; i < kRows; ++i)
    add_row(memory.rows[1 - memory.newer][i], memory.rows[memory.newer][i], look.seen);
  return look.seen;
}

void announce_silence(std::int64_t until_boot_ns) {
  static Text<15> name_before;
  if (until_boot_ns == 0) {
    if (!name_before.empty()) calls.rename_self(name_before.c_str());
    return;
  }
  char before[16] = {};
  if (name_before.empty()) {
    calls.own_name(before);
    name_before = Text<15>(before);
  }
  Text<15> name(kAnnounced);
  name.append_signed(until_boot_ns / 1'000'000'000 + 1);
  if (!name.truncated()) calls.rename_self(name.c_str());
}

std::int64_t announced_silence(std::int64_t pid) {
  char room[32];
  std::string_view name;
  if (read_proc(proc_path(pid, "/comm").c_str(), room, sizeof room, name) != 0) return 0;
  if (!name.starts_with(kAnnounced)) return 0;
  name.remove_prefix(kAnnounced.size());
  if (name.ends_with('\n')) name.remove_suffix(1);
  const Result<std::uint64_t> until_s = parse_count(name, 0, INT32_MAX);
  return until_s.ok() ? static_cast<std::int64_t>(until_s.value()) * 1'000'000'000 : 0;
}

bool runs_atmost(std::int64_t pid, const ProcessFacts& facts) {
  const std::string_view name = facts.name;
  if (!name.starts_with("atmost") && !name.starts_with(kAnnounced)) return false;
  char room[4096];
  const ssize_t size = calls.readlink(proc_path(pid, "/exe").c_str(), room, sizeof room);
  if (size <= 0) return false;
  std::string_view program(room, static_cast<std::size_t>(size));
  program.remove_prefix(program.rfind('/') + 1);
  return program == "atmost" || program == "atmost-fleet" || program == "atmost-fleet-postgres";
}

std::int64_t own_cpu_ns() {
  std::int64_t cpu_ns = 0;
  return read_cpu(CLOCK_PROCESS_CPUTIME_ID, cpu_ns) ? cpu_ns : 0;
}

bool cpu_of(std::int64_t pid, std::int64_t& to_ns) { return read_cpu(cpu_clock_of(pid), to_ns); }

}  // namespace atmost::os
