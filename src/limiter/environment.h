// The environment of a program that is started: the caller's, with variables of ours; and the paths
// of locks in it.
#ifndef ATMOST_LIMITER_ENVIRONMENT_H
#define ATMOST_LIMITER_ENVIRONMENT_H

#include <cstddef>
#include <span>
#include <string_view>

#include "admission.h"
#include "core/request.h"
#include "core/schemes.h"
#include "core/store.h"
#include "core/text.h"
#include "os/file.h"
#include "os/host.h"

namespace atmost::limiter {

// True if the lock was never used. False for a store without paths, and if it cannot be found out:
// then the store reports why.
inline bool untouched(const StoreTraits& traits, const LockSpec& lock) {
  return traits.has_path && os::is_missing(lock.path.c_str());
}

// True if its path means something else in another directory.
inline bool is_relative(const StoreTraits& traits, const LockSpec& lock) {
  return traits.has_path && lock.path.view().front() != '/';
}

// Puts the working directory in front of a relative path. False, with the path as it was, when the
// directory is not known or the path is too long.
inline bool make_absolute(PathText& path) {
  if (path.empty() || path.view().front() == '/') return !path.truncated();
  PathText absolute;
  if (!absolute_path(path, absolute)) return false;
  path = absolute;
  return true;
}

// The variables that atmost sets for one program, as NAME=VALUE texts. 200 KiB, of which only the
// used part is ever touched: make it static.
class Variables {
 public:
  // The largest number of them.
  static constexpr std::size_t kMost = 12 + kMaxOwnVariables;
  // One after another, each with its NUL. A value is bounded by execve(2) alone, which takes 128
  // KiB of each: --env needs 5 KiB a variable, and a name of 255 bytes, 1,024 slots and a path
  // behind a working directory 25 KiB together.
  using Texts = Text<200'000>;

  void clear() {
    texts_.clear();
    count_ = 0;
  }
  // Begins one; its value is appended to the result. REQUIRES: fewer than kMost were begun.
  Texts& begin(std::string_view name);

  // Fills `to` with the caller's variables, but for those that were begun and those that begin with
  // one of `left_out`, then with ours, and a final null. REQUIRES: room for as many as `from` has,
  // plus kMost + 1.
  void merge(char* const* from, std::span<const std::string_view> left_out, char** to) const;

 private:
  bool replaces(const char* variable) const;

  std::size_t count_ = 0;
  std::size_t starts_[kMost] = {};  // of each variable in texts_
  Texts texts_;
};

// Makes `to` the variables of atmost-run(1), and no others. The working directory is put before
// every relative path of a lock.
void set_variables(const OpenLocks& locks, const Lease& lease, Duration waited, Variables& to);

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

// The number of words before the null.
std::size_t count_words(char* const* words);

}  // namespace atmost::limiter

#endif
