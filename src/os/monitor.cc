#include "monitor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "calls.h"
#include "file.h"
#include "platform.h"
#include "self.h"
#include "terminal.h"

namespace atmost::os {
namespace {

constexpr std::int64_t kInit = 1;
constexpr std::int64_t kTickNs = 10'000'000;  // of proc(5)'s start times: USER_HZ is 100

int open_parent(ProcessHandle& to) {
  const std::int64_t parent = parent_id();
  if (parent <= kInit) return ESRCH;
  if (const int error = to.open(parent)) return error;
  ProcessFacts above;
  if (process_facts(parent, above) == 0) {
    const std::int64_t own = calls.getsid(0);
    if (above.session != own && own != process_id()) return ESRCH;
  }
  // If it has ended meanwhile, we have another parent.
  return parent_id() == parent && to.alive() ? 0 : ESRCH;
}

}  // namespace

int open_caller(const Caller& caller, ProcessHandle& to) {
  if (caller.which == Caller::Which::parent) return open_parent(to);
  if (const int error = to.open(caller.pid)) {
    // Some kernels answer so for a thread, too, which has no /proc/PID/task of its own.
    return error == ENOENT ? EINVAL : error;
  }
  if (!to.alive()) return ESRCH;
  if (caller.start_ticks == 0) return 0;
  ProcessFacts facts;
  const int error = process_facts(caller.pid, facts);
  if (error != 0) return error;
  if (facts.start_boot_ns != caller.start_ticks * kTickNs) return ESRCH;
  return to.alive() ? 0 : ESRCH;
}

bool accept_handle(int descriptor) {
  // Signal 0 only asks. ESRCH: the process has ended and was reaped.
  if (calls.pidfd_send_signal(descriptor, 0, 0) != 0 && errno != ESRCH && errno != EPERM)
    return false;
  return calls.control(descriptor, F_SETFD, FD_CLOEXEC) == 0;
}

bool accept_pipe(int descriptor) {
  struct stat facts;
  if (calls.fstat(descriptor, &facts) != 0 || !S_ISFIFO(facts.st_mode)) return false;
  return calls.control(descriptor, F_SETFD, FD_CLOEXEC) == 0;
}

void send_end(int pipe, SentEnd end) { (void)write_stream(pipe, &end, sizeof end); }

bool read_end(int pipe, SentEnd& to) {
  ssize_t got;
  do {
    got = calls.read(pipe, &to, sizeof to);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof to);
}

void leave_session() { calls.setsid(); }

void silence_streams() {
  const Fd nothing(calls.openat(AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC, 0));
  if (!nothing.open()) return;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    calls.dup2(nothing.get(), stream);
}

namespace {

bool is_pipe(int fd) {
  struct stat facts;
  return calls.fstat(fd, &facts) == 0 && S_ISFIFO(facts.st_mode);
}

constexpr char kEnd = '\n';
constexpr std::size_t kLongest = 96;  // of one message

Word word_of(char letter) {
  if (letter == static_cast<char>(Word::running)) return Word::running;
  return letter == static_cast<char>(Word::ended) ? Word::ended : Word::none;
}

bool never_waits(int fd) { return calls.control(fd, F_SETFL, O_NONBLOCK) == 0; }

bool keep(int fd) { return calls.control(fd, F_SETFD, FD_CLOEXEC) == 0; }

}  // namespace

int MonitorLine::open() {
  Fd reader, writer, life, life_over;
  if (const int error = open_pipe(reader, writer)) return error;
  if (const int error = open_pipe(life_over, life)) return error;
  if (!never_waits(reader.get()) || !never_waits(writer.get())) return errno;
  reader_ = reader.release();
  writer_ = writer.release();
  life_ = life.release();
  life_over_ = life_over.release();
  return 0;
}

void MonitorLine::started() {
  calls.close(life_);
  // Where the kernel cannot do that, a stopped monitor sees the end of the monitored process only
  // after it is continued.
  (void)calls.continue_at_hangup(life_over_);
}

bool MonitorLine::accept(int reader, int writer, int life) {
  if (reader == writer || reader == life || writer == life) return false;
  if (!is_pipe(reader) || !is_pipe(writer) || !is_pipe(life)) return false;
  reader_ = reader;
  writer_ = writer;
  life_ = life;
  return keep(reader) && keep(writer) && keep(life);
}

// The monitored process has both ends of this pipe, and so sees no hangup; the end of its monitor
// ends it (Program::signal_at_our_death).
void MonitorLine::wait_for_monitor() const {
  char word;
  struct pollfd said = {reader_, POLLIN, 0};
  while (calls.poll(&said, 1, -1) < 0 && errno == EINTR) {
  }
  (void)calls.read(reader_, &word, 1);
}

void MonitorLine::let_begin() const { (void)calls.write(writer_, &kEnd, 1); }

void MonitorLine::say(Word word) {
  report_.word = word;
  send();
}

void MonitorLine::say_lease(std::string_view lease) {
  if (report_.lease.view() == lease) return;
  report_.lease.assign(lease);
  send();
}

// Writes the whole message in one piece before the earlier one is removed: whenever this process is
// killed, a complete message is in the pipe.
void MonitorLine::send() {
  Text<kLongest> line;
  line.push(static_cast<char>(report_.word)).append(report_.lease).push(kEnd);
  ssize_t done;
  do {
    done = calls.write(writer_, line.view().data(), line.size());
  } while (done < 0 && errno == EINTR);
  if (done != static_cast<ssize_t>(line.size())) return;
  char taken[kLongest];
  while (in_pipe_ > 0) {
    done = calls.read(reader_, taken, in_pipe_ < kLongest ? in_pipe_ : kLongest);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) break;
    in_pipe_ -= static_cast<std::size_t>(done);
  }
  in_pipe_ += line.size();
}

MonitorReport MonitorLine::last_report() const {
  MonitorReport report;
  char lines[4 * kLongest];
  ssize_t got;
  do {
    got = calls.read(reader_, lines, sizeof lines);
  } while (got < 0 && errno == EINTR);
  std::string_view rest(lines, got > 0 ? static_cast<std::size_t>(got) : 0);
  for (std::size_t end; (end = rest.find(kEnd)) != rest.npos; rest.remove_prefix(end + 1)) {
    if (end == 0) continue;
    report.word = word_of(rest[0]);
    report.lease.assign({rest.data() + 1, end - 1});
  }
  return report;
}

}  // namespace atmost::os
