// The command's environment: the caller's, with the ATMOST_ variables of atmost-run(1) added.
#ifndef ATMOST_LIMITER_ENVIRONMENT_H
#define ATMOST_LIMITER_ENVIRONMENT_H

#include <cstddef>
#include <string_view>

#include "core/request.h"
#include "core/store.h"
#include "core/text.h"

namespace atmost::limiter {

// The variables that atmost sets, as NAME=VALUE texts. 170 KiB, of which only the used part is
// ever touched: make it static.
class OwnVariables {
 public:
  // The largest number of them.
  static constexpr std::size_t kCount = 9 + kMaxOwnVariables;

  // `request` has to last until merge(). `held_before`: the caller's ATMOST_HELD, or null.
  // `working_directory` is put before every relative path; null: paths stay as they are.
  void set(const Request& request, const Lease& lease, Duration waited, const char* held_before,
           const char* working_directory);

  // Fills `to` with the caller's variables, except those that have one of the names that were set,
  // then those that were set, and a final null. REQUIRES: room for as many as `from` has, plus
  // kCount + 1.
  void merge(char* const* from, char** to);

 private:
  void begin(std::string_view name);
  void tell(Told what, const Request& request, const HeldLock& lock);
  void list_watchers(const Request& request, const char* working_directory);
  bool replaces(const char* variable) const;

  std::size_t count_ = 0;
  std::size_t starts_[kCount] = {};   // of each variable in texts_
  const Request* request_ = nullptr;  // whose variables were set
  // One after another, each with its NUL. Only the last, ATMOST_HELD (and ATMOST_BEAT behind it, if
  // it is set), has no bound of its own: a name of 255 bytes, 1,024 slots and a path behind a
  // working directory need 25 KiB together, --env 5 KiB a variable, and execve(2) takes 128 KiB of
  // each.
  Text<170'000> texts_;
};

// The entries of ATMOST_BEAT, separated by colons: PID,START,PATH for each lock of each supervisor
// above that watches for silence; START as in ProcessFacts, PATH as in ATMOST_HELD.
inline constexpr std::string_view kBeatVariable = "ATMOST_BEAT";

// Appends a lock's path as ATMOST_HELD lists it: behind the working directory if it is relative and
// that is not null, its colons and percent signs as %3A and %25.
template <std::size_t N>
void append_listed(Text<N>& to, std::string_view path, const char* working_directory) {
  const auto escape = [&to](std::string_view text) {
    for (const char c : text) {
      if (c == ':') {
        to.append("%3A");
      } else if (c == '%') {
        to.append("%25");
      } else {
        to.push(c);
      }
    }
  };
  if (working_directory != nullptr && !path.starts_with('/')) {
    escape(working_directory);
    to.push('/');
    while (path.starts_with("./")) path.remove_prefix(2);
  }
  escape(path);
}

std::size_t count_variables(char* const* from);
// True if `variable`, NAME=VALUE, is the one of that name.
bool is_variable(const char* variable, std::string_view name);

}  // namespace atmost::limiter

#endif
