#include <cerrno>

#include "../clock.h"
#include "../helper_process.h"
#include "../process.h"
#include "../request_pipe.h"

namespace atmost::os {

// In POSIX only the parent of a process learns that it has ended.
int HelperProcess::start() { return ENOSYS; }
bool HelperProcess::send(const void*, std::size_t) const { return false; }
bool HelperProcess::receive(void*, std::size_t) const { return false; }
HelperProcess::First HelperProcess::which_first(int) const { return First::process_ended; }
void HelperProcess::kill_and_wait() { pid_ = 0; }
void HelperProcess::die_with_starter() {}
void HelperProcess::stand_alone() {}
void HelperProcess::settle(const int*, unsigned) {}

int append_to(const char*, const void*, std::size_t) { return ENOSYS; }

int RequestPipe::hang() { return ENOSYS; }
Text<63> RequestPipe::address(std::int64_t) const { return Text<63>(name_); }
char RequestPipe::asked() const { return 0; }
void RequestPipe::accept() { answered_ = true; }
bool RequestPipe::decline() { return false; }
bool RequestPipe::unread() const { return answered_; }

EventWait::EventWait() = default;
void EventWait::set_deadline(std::int64_t boot_ns) { deadline_ns_ = boot_ns; }
Watched EventWait::watch(int, RequestPipe*) {
  const bool over = timer_ != nullptr || has_timer_ || timed_ || boot_ns() >= deadline_ns_;
  return over ? Watched::time_up : Watched::signalled;
}

std::int64_t EventWait::signal_value() const { return 0; }

bool is_marked(std::int64_t, const char*, std::int64_t) { return false; }
bool has_open(std::int64_t, std::int64_t) { return false; }
bool started_with(std::int64_t, const char*, PathText&) { return false; }
void hide_mark(const char*) {}

}  // namespace atmost::os
