// The command's environment: the caller's, with the ATMOST_ variables of atmost(1) added.
#ifndef ATMOST_LIMITER_ENVIRONMENT_H
#define ATMOST_LIMITER_ENVIRONMENT_H

#include <cstddef>
#include <string_view>

#include "core/request.h"
#include "core/store.h"
#include "core/text.h"

namespace atmost::limiter {

// The variables that atmost sets, as NAME=VALUE texts. 125 KiB, of which only the used part is
// ever touched: make it static.
class OwnVariables {
 public:
  static constexpr std::size_t kCount = 8;

  // `held_before`: the caller's ATMOST_HELD, or null. `working_directory` is put before every
  // relative path; null: paths stay as they are.
  void set(const Request& request, const Lease& lease, Duration waited, const char* held_before,
           const char* working_directory);

  // Fills `to` with the caller's variables, except those that have one of our names, then ours, and
  // a final null. REQUIRES: room for as many as `from` has, plus kCount + 1.
  void merge(char* const* from, char** to);

 private:
  void begin(std::size_t variable);

  std::size_t starts_[kCount] = {};  // of each variable in texts_
  // One after another, each with its NUL. Only the last, ATMOST_HELD, has no bound of its own: a
  // name of 255 bytes, 1,024 slots and a path behind a working directory need 25 KiB together, and
  // execve(2) takes 128 KiB of each.
  Text<125'000> texts_;
};

std::size_t count_variables(char* const* from);
// Whether `variable`, NAME=VALUE, is the one of that name.
bool is_variable(const char* variable, std::string_view name);

}  // namespace atmost::limiter

#endif
