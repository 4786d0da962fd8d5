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
void Companion::stand_alone() {}
void Companion::settle(const int*, unsigned) {}

Watchman::Watchman(std::int64_t boot_deadline_ns) : deadline_ns_(boot_deadline_ns) {}
Watched Watchman::watch(int) {
  return timed_ || boot_ns() >= deadline_ns_ ? Watched::time_up : Watched::told;
}

bool is_marked(std::int64_t, const char*, std::int64_t) { return false; }
void hide_mark(const char*) {}

}  // namespace atmost::os
