#include "library_store.h"

#include <cstdlib>

#include "core/place.h"
#include "library_answer.h"

namespace atmost::limiter {
namespace {

Error usage(std::string_view what) { return error_of(Code::usage, 0, what); }

[[gnu::noinline]] int check(std::string_view text, std::string_view from) {
  const Status checked = check_store(text);
  if (checked.ok()) return ATMOST_ADMITTED;
  Error error = usage(from);
  error.message.append(": ").append(checked.error().message);
  return answer_error(error);
}

}  // namespace

int choose_store(const atmost_options& options, std::string_view& url) {
  const char* const text = options.store != nullptr ? options.store : std::getenv("ATMOST_STORE");
  url = {};
  if (text == nullptr) return ATMOST_ADMITTED;
  if (options.store == nullptr && text[0] == '\0') return ATMOST_ADMITTED;
  url = text;
  return check(text, options.store != nullptr ? "store" : "$ATMOST_STORE");
}

Status fits_links(const atmost_options& options, const Request& request) {
  if (options.on_lost != nullptr && request.max_runtime.is_zero()) {
    return usage(
        "on_lost: a lock that is a symbolic link is not watched: use a lock file, or the store of "
        "a fleet");
  }
  const bool learned = request.if_elapsed_auto || request.expire_auto || request.max_runtime_auto;
  if (learned)
    return usage("auto: a symbolic link remembers no runs to learn from: give durations");
  if (request.rate.count > 0)
    return usage("rate: this store does not record so many admissions: use if_elapsed");
  if (request.queue_max != kAnyQueue)
    return usage("queue_max: this store does not count who waits: leave it out");
  if (request.on_busy == OnBusy::supersede)
    return usage("on_busy: this store's waiters do not replace one another: use ATMOST_FAIL");
  return {};
}

}  // namespace atmost::limiter
