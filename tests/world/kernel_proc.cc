// proc(5): texts that are made from the kernel's state when they are opened.
#include <charconv>

#include "world/tables.h"

namespace world {
namespace {

constexpr std::int64_t kTickNs = 10'000'000;
constexpr pid_t kInit = 1;

// The number in front of `path`, which is shortened to what follows; 0: there is none.
pid_t leading_number(std::string_view& path) {
  pid_t number = 0;
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), number);
  if (error != std::errc()) return 0;
  path.remove_prefix(static_cast<std::size_t>(end - path.data()));
  return number;
}

std::string stat_of(pid_t pid, pid_t parent, char state, std::int64_t started_ns) {
  const std::string number = std::to_string(pid);
  std::string text =
      number + " (atmost) " + state + ' ' + std::to_string(parent) + ' ' + number + ' ' + number;
  constexpr int kFieldsToThreads = 13;  // fields 7 to 19
  for (int i = 0; i < kFieldsToThreads; ++i) text += " 0";
  return text + " 1 0 " + std::to_string(started_ns / kTickNs) + " 0 0\n";
}

char state_of(const Process& process) {
  if (process.state == Process::State::zombie) return 'Z';
  if (process.stopped) return 'T';
  return process.state == Process::State::asleep ? 'S' : 'R';
}

// The locks of one descriptor; those of its description are shown by each process that has it.
std::string fdinfo_of(const Process& process, int number) {
  const Description& of = kernel->description(number);
  std::string text = "pos:\t" + std::to_string(of.offset) + "\nflags:\t0" + "\nmnt_id:\t1\nino:\t" +
                     std::to_string(of.inode) + '\n';
  if (of.inode == 0) return text;
  int count = 0;
  const auto add = [&](const char* kind, const ByteLock& lock) {
    text += "lock:\t" + std::to_string(++count) + ": " + kind + "  ADVISORY  " +
            (lock.write ? "WRITE " : "READ ") +
            std::to_string(lock.owner.description ? -1 : lock.owner.id) +
            " 00:4d:" + std::to_string(of.inode) + ' ' + std::to_string(lock.first) + ' ' +
            (lock.last == kLastByte ? "EOF" : std::to_string(lock.last)) + '\n';
  };
  const Inode& file = kernel->inode(of.inode);
  for (const ByteLock& lock : file.locks.all()) {
    if (lock.owner.description && lock.owner.id == number) add("OFDLCK", lock);
    if (!lock.owner.description && lock.owner.id == process.pid) add("POSIX", lock);
  }
  for (const ByteLock& lock : file.flocks.all()) {
    if (lock.owner.id == number) add("FLOCK", lock);
  }
  return text;
}

// A path below a process's folder; `rest` begins with '/'.
struct ProcPath {
  pid_t pid = 0;
  const Process* process = nullptr;  // null: there is none of this number
  std::string_view rest;
};

std::optional<ProcPath> parse(const Process& reader, std::string_view path) {
  constexpr std::string_view kProc = "/proc/";
  if (!path.starts_with(kProc)) return std::nullopt;
  path.remove_prefix(kProc.size());
  ProcPath result;
  if (path.starts_with("self/")) {
    path.remove_prefix(4);
    result.pid = reader.pid;
  } else {
    result.pid = leading_number(path);
  }
  result.process = kernel->find_process(result.pid);
  result.rest = path;
  return result;
}

// The descriptor that `rest` names behind `folder`; null: none.
const Descriptor* descriptor_at(const ProcPath& path, std::string_view folder) {
  std::string_view rest = path.rest;
  if (path.process == nullptr || !rest.starts_with(folder)) return nullptr;
  rest.remove_prefix(folder.size());
  const auto found = path.process->descriptors.find(leading_number(rest));
  return found == path.process->descriptors.end() ? nullptr : &found->second;
}

std::string stat_text(const ProcPath& path) {
  if (path.process == nullptr) return stat_of(kInit, 0, 'S', 0);
  const Process& process = *path.process;
  const pid_t parent = process.parent == nullptr ? kInit : process.parent->pid;
  return stat_of(path.pid, parent, state_of(process), process.began_ns);
}

}  // namespace

ProcFile proc_file(const Process& reader, std::string_view whole) {
  ProcFile result;
  const auto path = parse(reader, whole);
  if (!path) return result;
  result.below_proc = true;
  if (whole == "/proc/sys/kernel/random/boot_id") {
    result.text = "01234567-89ab-cdef-0123-456789abcdef\n";
  } else if (path->rest == "/stat") {
    if (path->process != nullptr || path->pid == kInit) result.text = stat_text(*path);
  } else if (path->rest == "/fdinfo" || path->rest == "/fd") {
    if (path->process == nullptr) return result;
    result.names.emplace();
    for (const auto& [fd, descriptor] : path->process->descriptors)
      result.names->push_back(std::to_string(fd));
  } else if (path->rest == "/task") {
    if (path->process != nullptr) result.names = {{std::to_string(path->pid)}};
  } else if (path->rest.starts_with("/fdinfo/")) {
    const Descriptor* const found = descriptor_at(*path, "/fdinfo/");
    if (found != nullptr) result.text = fdinfo_of(*path->process, found->description);
  } else {
    kernel->fail("the world has no file " + std::string(whole));
  }
  return result;
}

int proc_inode(const Process& reader, std::string_view whole) {
  const auto path = parse(reader, whole);
  if (!path) return 0;
  const Descriptor* const found = descriptor_at(*path, "/fd/");
  return found == nullptr ? 0 : kernel->description(found->description).inode;
}

std::string proc_link(const Process& reader, std::string_view path) {
  if (path == "/proc/self") return std::to_string(reader.pid);
  if (path == "/proc/self/ns/time") return "time:[4026531834]";  // PROC_TIME_INIT_INO
  return {};
}

}  // namespace world
