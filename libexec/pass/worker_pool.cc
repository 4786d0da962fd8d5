#include "worker_pool.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "say.h"

namespace atmost::pass {
namespace {

constexpr int kEnding[4] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
// A line longer than this is shown in pieces.
constexpr std::size_t kLongestLine = 65536;

volatile sig_atomic_t noted = 0;
volatile sig_atomic_t noted_from_process = 0;

void note(int signal, siginfo_t* info, void*) {
  noted = signal;
  noted_from_process = info->si_code <= 0 ? 1 : 0;
}

}  // namespace

Notes::Notes() {
  sigset_t ending;
  sigemptyset(&ending);
  for (std::size_t i = 0; i < 4; ++i) {
    sigaction(kEnding[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction ours = {};
    ours.sa_sigaction = note;
    ours.sa_flags = SA_SIGINFO;
    sigaction(kEnding[i], &ours, nullptr);
    sigaddset(&ending, kEnding[i]);
  }
  sigprocmask(SIG_BLOCK, &ending, &mask_before_);
}

Notes::~Notes() {
  for (std::size_t i = 0; i < 4; ++i) sigaction(kEnding[i], &before_[i], nullptr);
  sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

WorkerPool::WorkerPool(unsigned jobs, bool quiet, const Variables& secrets, Tell tell)
    : jobs_(jobs), quiet_(quiet), secrets_(secrets), tell_(std::move(tell)) {}

int WorkerPool::make_room() {
  while (members_.size() >= jobs_ && noted == 0) wait();
  return noted;
}

int WorkerPool::finish_all() {
  while (!members_.empty()) wait();
  return noted;
}

void WorkerPool::start(const Job& job) {
  if (!notes_) notes_.emplace();
  Result<Child> child = pass::start(job, secrets_, jobs_ > 1, quiet_, notes_->mask_before());
  if (!child.ok()) {
    if (members_.empty()) notes_.reset();
    tell_(job.atom, failed_result(child.error()));
    return;
  }
  Member& member = members_.emplace_back();
  member.atom = &job.atom;
  member.child = std::move(child.value());
}

// Waits for events, and handles all that came.
void WorkerPool::wait() {
  std::vector<pollfd> polled;
  for (const Member& member : members_) {
    for (const os::Fd* fd : {&member.child.result, &member.child.out, &member.child.err}) {
      polled.push_back({fd->get(), POLLIN, 0});  // those that are closed (-1) are passed over
    }
  }
  if (ppoll(polled.data(), polled.size(), nullptr, &notes_->mask_before()) < 0) {
    if (errno == EINTR && noted != 0) pass_signal_on();
    return;
  }
  std::size_t at = 0;
  for (auto member = members_.begin(); member != members_.end(); at += 3) {
    Child& child = member->child;
    if (polled[at + 1].revents != 0 && !read_some(*member, child.out, member->out))
      child.out.reset();
    if (polled[at + 2].revents != 0 && !read_some(*member, child.err, member->err))
      child.err.reset();
    if (polled[at].revents == 0) {
      ++member;
      continue;
    }
    end(*member);
    member = members_.erase(member);
  }
  if (members_.empty()) notes_.reset();
}

void WorkerPool::pass_signal_on() {
  if (noted_from_process == 0) return;
  noted_from_process = 0;
  // Not waited for yet, so the pids are theirs.
  for (const Member& member : members_) kill(member.child.pid, noted);
}

bool WorkerPool::read_some(const Member& member, const os::Fd& from, Stream& stream) {
  char buffer[16384];
  const ssize_t got = read(from.get(), buffer, sizeof buffer);
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  stream.pending.append(buffer, static_cast<std::size_t>(got));
  write_lines(member, stream, got == 0);
  return got > 0;
}

// Whole lines, each under the atom's name; with `all` also a last line without its newline.
void WorkerPool::write_lines(const Member& member, Stream& stream, bool all) {
  const std::string name = escaped(member.atom->name()) + ": ";
  std::string lines;
  std::size_t start = 0;
  for (;;) {
    std::size_t end = stream.pending.find('\n', start);
    const std::size_t rest = stream.pending.size() - start;
    if (end == std::string::npos && rest > 0 && (all || rest >= kLongestLine))
      end = stream.pending.size();
    if (end == std::string::npos) break;
    lines += name + stream.pending.substr(start, end - start) + "\n";
    start = std::min(end + 1, stream.pending.size());
  }
  stream.pending.erase(0, start);
  put(stream.to, lines);
}

// Its supervisor has ended. The content of the pipes now is the command's output; the later output
// of a daemon that it left behind is dropped.
void WorkerPool::end(Member& member) {
  Child& child = member.child;
  for (const bool out : {true, false}) {
    os::Fd& from = out ? child.out : child.err;
    Stream& stream = out ? member.out : member.err;
    pollfd ready = {from.get(), POLLIN, 0};
    while (from.open() && poll(&ready, 1, 0) > 0 && read_some(member, from, stream)) {
    }
    write_lines(member, stream, true);
    from.reset();
  }
  tell_(*member.atom, finish(child, noted));
}

}  // namespace atmost::pass
