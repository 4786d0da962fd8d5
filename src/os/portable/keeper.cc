#include "../keeper.h"

#include <cerrno>

#include "../clock.h"

namespace atmost::os {

// POSIX tells nobody but its parent that a process has ended.
int Companion::start() { return ENOSYS; }
bool Companion::tell(const void*, std::size_t) const { return false; }
bool Companion::hear(void*, std::size_t) const { return false; }
Companion::First Companion::which_first(int) const { return First::process_ended; }
void Companion::kill_and_wait() { pid_ = 0; }
void Companion::die_with_starter() {}
void Companion::stand_alone() {}
void Companion::settle(const int*, unsigned) {}

int append_to(const char*, const void*, std::size_t) { return ENOSYS; }

int Bell::hang() { return ENOSYS; }
Text<63> Bell::address(std::int64_t) const { return Text<63>(name_); }
char Bell::asked() const { return 0; }
void Bell::accept() { answered_ = true; }
bool Bell::decline() { return false; }
bool Bell::unread() const { return answered_; }

Watchman::Watchman() = default;
void Watchman::set_deadline(std::int64_t boot_ns) { deadline_ns_ = boot_ns; }
Watched Watchman::watch(int, Bell*) {
  const bool over = timer_ != nullptr || has_timer_ || timed_ || boot_ns() >= deadline_ns_;
  return over ? Watched::time_up : Watched::told;
}

bool is_marked(std::int64_t, const char*, std::int64_t) { return false; }
bool started_with(std::int64_t, const char*, PathText&) { return false; }
void hide_mark(const char*) {}

}  // namespace atmost::os
