#include "process.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "calls.h"
#include "clock.h"
#include "locks.h"

namespace atmost::os {
namespace {

// USER_HZ: the tick of every figure in /proc, whatever the kernel's own (asm-generic/param.h;
// sysconf asks for it).
std::int64_t tick_ns() {
  const long ticks = sysconf(_SC_CLK_TCK);
  return 1'000'000'000 / (ticks > 0 ? ticks : 100);
}

// Words and numbers of a line, from left to right.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::string_view word() {
    skip_blanks();
    std::size_t size = 0;
    while (size < text_.size() && !blank(text_[size])) ++size;
    const std::string_view found(text_.data(), size);
    text_.remove_prefix(size);
    return found;
  }
  bool number(std::int64_t& to) {
    skip_blanks();
    const bool negative = take('-');
    std::int64_t value = 0;
    std::size_t digits = 0;
    for (; !text_.empty() && text_[0] >= '0' && text_[0] <= '9'; ++digits, text_.remove_prefix(1)) {
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text_[0] - '0', &value)) {
        return false;
      }
    }
    to = negative ? -value : value;
    return digits > 0;
  }
  bool take(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool at_end() const { return text_.empty(); }

 private:
  static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
  void skip_blanks() {
    while (!text_.empty() && blank(text_[0])) text_.remove_prefix(1);
  }

  std::string_view text_;
};

bool is_id(std::int64_t number) { return number >= 0 && number <= UINT32_MAX; }

}  // namespace

bool parse_process_stat(std::string_view text, ProcessFacts& to) {
  // Behind the name's closing parenthesis there is none: only a letter and numbers.
  const std::size_t close = text.rfind(')');
  const std::size_t open = text.find('(');
  if (close >= text.size() || open > close) return false;
  to.name.assign({text.data() + open + 1, close - open - 1});
  text.remove_prefix(close + 1);
  Scanner scanner(text);
  const std::string_view state = scanner.word();
  if (state.size() != 1) return false;
  to.state = state[0];
  if (!scanner.number(to.parent) || !scanner.number(to.group) || !scanner.number(to.session))
    return false;
  // proc(5): behind the session, field 6, the children's times are fields 16 and 17, the number of
  // threads is field 20 and the start field 22.
  std::int64_t reaped[2] = {};
  for (int field = 7; field < 20; ++field) {
    const bool time = field == 16 || field == 17;
    if (time ? !scanner.number(reaped[field - 16]) : scanner.word().empty()) return false;
  }
  if (!scanner.number(to.threads) || scanner.word().empty()) return false;
  std::int64_t ticks = 0;
  if (!scanner.number(ticks) || ticks < 0) return false;
  std::int64_t reaped_ticks = 0;
  return !__builtin_add_overflow(reaped[0], reaped[1], &reaped_ticks) &&
         !__builtin_mul_overflow(reaped_ticks, tick_ns(), &to.reaped_cpu_ns) &&
         !__builtin_mul_overflow(ticks, tick_ns(), &to.start_boot_ns);
}

bool parse_process_ids(std::string_view text, Credentials& to) {
  bool user = false;
  bool group = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    Scanner line({text.data(), end < text.size() ? end : text.size()});
    const std::string_view key = line.word();
    std::int64_t real = 0;
    std::int64_t effective = 0;
    std::int64_t saved = 0;
    const bool wanted = key == "Uid:" || key == "Gid:";
    if (wanted && line.number(real) && line.number(effective) && line.number(saved) &&
        is_id(real) && is_id(effective) && is_id(saved)) {
      (key == "Uid:" ? user : group) = true;
      (key == "Uid:" ? to.user : to.group) = static_cast<std::uint32_t>(effective);
      if (key == "Uid:") {
        to.real_user = static_cast<std::uint32_t>(real);
        to.saved_user = static_cast<std::uint32_t>(saved);
      }
    }
    text.remove_prefix(end < text.size() ? end + 1 : text.size());
  }
  return user && group;
}

namespace {

// MAJOR:MINOR:INODE, the first two hexadecimal.
bool parse_file(std::string_view file, LockLine& to) {
  const std::size_t first = file.find(':');
  const std::size_t second = file.rfind(':');
  if (first >= second || second >= file.size()) return false;
  unsigned numbers[2];
  const std::string_view parts[] = {{file.data(), first},
                                    {file.data() + first + 1, second - first - 1}};
  for (int i = 0; i < 2; ++i) {
    if (parts[i].empty() || parts[i].size() > 8) return false;
    numbers[i] = 0;
    for (const char c : parts[i]) {
      const std::size_t digit = std::string_view("0123456789abcdef").find(c);
      if (digit > 15) return false;
      numbers[i] = numbers[i] << 4 | static_cast<unsigned>(digit);
    }
  }
  to.device_major = numbers[0];
  to.device_minor = numbers[1];
  file.remove_prefix(second + 1);
  Scanner inode(file);
  std::int64_t number = 0;
  if (!inode.number(number) || !inode.at_end()) return false;
  to.inode = static_cast<std::uint64_t>(number);
  return true;
}

// The text after the lock's ordinal.
bool parse_lock(Scanner scanner, std::string_view& kind, LockLine& to) {
  kind = scanner.word();
  if (scanner.word() != "ADVISORY") return false;
  const std::string_view access = scanner.word();
  to.write = access == "WRITE";
  if (!to.write && access != "READ") return false;
  if (!scanner.number(to.pid) || !parse_file(scanner.word(), to) || !scanner.number(to.start))
    return false;
  to.end = INT64_MAX;
  Scanner rest = scanner;
  if (rest.word() == "EOF") return true;
  return scanner.number(to.end) && to.start <= to.end;
}

}  // namespace

bool parse_lock_line(std::string_view line, LockLine& to) {
  Scanner scanner(line);
  if (scanner.word() != "lock:") return false;
  scanner.word();  // its ordinal
  std::string_view kind;
  if (!parse_lock(scanner, kind, to)) return false;
  to.description = kind == "OFDLCK";
  return to.description || kind == "POSIX";
}

bool parse_flock_line(std::string_view line, LockLine& to) {
  Scanner scanner(line);
  if (scanner.word() == "lock:") scanner.word();
  std::string_view kind;
  to.description = true;
  return parse_lock(scanner, kind, to) && kind == "FLOCK";
}

std::int64_t branch_below(std::int64_t pid, std::int64_t ancestor) {
  ProcessFacts facts;
  if (process_facts(pid, facts) != 0) return 0;
  while (facts.parent != ancestor) {
    ProcessFacts parent;
    ProcessFacts again;
    if (facts.parent <= 1 || process_facts(facts.parent, parent) != 0) return 0;
    // Had the parent ended before it was read, this process would have another one now.
    if (process_facts(pid, again) != 0) return 0;
    if (again.parent == facts.parent) {
      pid = facts.parent;
      facts = parent;
    } else {
      facts = again;
    }
  }
  return pid;
}

Outsiders::Outsiders(std::int64_t ancestor) : ancestor_(ancestor) {
  ProcessFacts facts;
  if (process_facts(ancestor, facts) == 0) started_ns_ = facts.start_boot_ns;
}

bool Outsiders::have(std::int64_t pid, ProcessFacts facts) {
  const std::int64_t first = pid;
  for (;;) {
    if (facts.parent == ancestor_) return false;
    // No descendant is older.
    if (facts.start_boot_ns < started_ns_ || facts.parent <= 1) break;
    if (known_[facts.parent % kRemembered] == facts.parent) break;
    pid = facts.parent;
    if (process_facts(pid, facts) != 0) return false;
  }
  remember(pid);
  remember(first);
  return true;
}

Ancestors::Ancestors() {
  ProcessFacts facts;
  for (std::int64_t pid = calls.getpid(); process_facts(pid, facts) == 0 && facts.parent > 0;
       pid = facts.parent) {
    whole_ = count_ < kMost;
    if (!whole_) return;
    pids_[count_++] = facts.parent;
  }
}

bool Ancestors::have(std::int64_t pid) const {
  for (int i = 0; i < count_; ++i) {
    if (pids_[i] == pid) return true;
  }
  return !whole_ && is_ancestor(pid);
}

bool is_ancestor(std::int64_t pid) { return branch_below(calls.getpid(), pid) != 0; }

bool process_exists(std::int64_t pid) {
  return calls.kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH;
}

std::int64_t process_group(std::int64_t pid) {
  const pid_t group = calls.getpgid(static_cast<pid_t>(pid));
  return group < 0 ? 0 : group;
}

int ProcessHandle::open(std::int64_t pid) {
  fd_ = Fd(calls.pidfd_open(static_cast<pid_t>(pid), 0));
  return fd_.open() ? 0 : errno;
}

int ProcessHandle::send(int signal) const {
  return calls.pidfd_send_signal(fd_.get(), signal, 0) == 0 ? 0 : errno;
}

int ProcessHandle::send_value(int signal, std::int64_t value) const {
  return calls.pidfd_queue_signal(fd_.get(), signal, value) == 0 ? 0 : errno;
}

int ProcessHandle::send_number(int signal, int number) const {
  union sigval value = {};
  value.sival_int = number;
  return send_value(signal,
                    static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(value.sival_ptr)));
}

bool ProcessHandle::alive() const {
  struct pollfd ended = {fd_.get(), POLLIN, 0};
  return calls.poll(&ended, 1, 0) == 0;
}

bool ProcessHandle::ends_within(std::int64_t span_ns) const {
  const std::int64_t deadline_ns = boot_ns() + span_ns;
  for (;;) {
    const std::int64_t left_ns = deadline_ns - boot_ns();
    struct pollfd ended = {fd_.get(), POLLIN, 0};
    const int count =
        calls.poll(&ended, 1, left_ns > 0 ? static_cast<int>(left_ns / 1'000'000 + 1) : 0);
    if (count > 0) return true;
    if (left_ns <= 0 || (count < 0 && errno != EINTR)) return false;
  }
}

}  // namespace atmost::os
