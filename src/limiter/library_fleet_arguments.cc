// From the options of the C library to those of `atmost run`.
#include "core/parse.h"
#include "core/place.h"
#include "core/schemes.h"
#include "library_answer.h"
#include "library_fleet.h"

namespace atmost::limiter {
namespace {

Text<32> duration_text(Duration span) {
  Text<32> text;
  if (span.is_forever()) return text.append("inf");
  constexpr std::int64_t kSecond = 1'000'000'000;
  text.append_signed(span.ns / kSecond);
  std::int64_t rest = span.ns % kSecond;
  if (rest > 0) text.push('.');
  for (std::int64_t weight = kSecond / 10; rest > 0; weight /= 10) {
    text.push(static_cast<char>('0' + rest / weight));
    rest %= weight;
  }
  return text;
}

Text<32> number_text(std::uint64_t number) { return Text<32>().append_unsigned(number); }

void add_limit(std::string_view option, Duration limit, bool learned, RunArguments& to) {
  to.add(option, learned ? std::string_view("auto") : duration_text(limit).view());
}

void add_amounts(const atmost_options& options, const Request& request, RunArguments& to) {
  const bool shared = options.sharing == ATMOST_SHARED;
  if (shared) to.add("--shared");
  if (options.sharing == ATMOST_EXCLUSIVE) {
    to.add("--exclusive");
  } else if (!shared || options.max != 1) {
    to.add("max", number_text(options.max));
  }
  if (options.take != 1) to.add("take", number_text(options.take));
  to.add("wait", duration_text(request.wait));
  if (options.on_busy == ATMOST_REPLACE) to.add("on-busy", "replace");
  if (options.on_busy == ATMOST_JOIN) to.add("on-busy", "join");
  if (options.on_busy == ATMOST_SUPERSEDE) to.add("on-busy", "supersede");
  if (options.rate != nullptr) to.add("rate", options.rate);
  if (request.queue_max != kAnyQueue) to.add("queue-max", number_text(request.queue_max));
}

void add_times(const atmost_options& options, const Request& request, RunArguments& to) {
  if (request.if_elapsed_auto || !request.if_elapsed.is_zero())
    add_limit("if-elapsed", request.if_elapsed, request.if_elapsed_auto, to);
  if (options.elapsed_from == ATMOST_FROM_FINISH) to.add("elapsed-from", "finish");
  if (options.elapsed_from == ATMOST_FROM_SUCCESS) to.add("elapsed-from", "success");
  if (options.wait_too_soon != 0) to.add("on-too-soon", "wait");
  if (request.expire_auto || !request.expire_after.is_forever())
    add_limit("expire-after", request.expire_after, request.expire_auto, to);
  if (request.max_runtime_auto || !request.max_runtime.is_zero())
    add_limit("max-runtime", request.max_runtime, request.max_runtime_auto, to);
  to.add("kill-grace", duration_text(request.kill_grace));
  if (request.now_given) to.add("now", duration_text({request.now_real_ns}));
  if (options.no_learn != 0) to.add("--no-learn");
}

void add_places(const atmost_options& options, const Scheme& scheme, RunArguments& to) {
  if (options.directory != nullptr) to.add("dir", options.directory);
  if (options.trust_fs != 0) to.add("--trust-fs");
  if (options.log != nullptr) to.add("log", options.log);
  if (options.no_history != 0) to.add("--no-history");
  if (scheme.directory) {
    Text<32> mode;
    for (unsigned shift = 9; shift <= 9; shift -= 3)
      mode.push(static_cast<char>('0' + (options.mode >> shift & 7)));
    to.add("mode", mode);
  }
  for (const char* const* each = options.also; each != nullptr && *each != nullptr; ++each)
    to.add("also", *each);
}

// Names the locks, for messages.
void add_names(const atmost_options& options, Request& to) {
  for (const char* const* each = options.also;
       each != nullptr && *each != nullptr && to.lock_count < kMaxLocks; ++each)
    to.locks[to.lock_count++].name.assign(*each);
}

}  // namespace

int fill_arguments(const atmost_options& options, const FleetCall& call, Request& request,
                   RunArguments& to) {
  const Scheme& scheme = *scheme_of(call.store);
  if (options.may_be_killed > 0)
    return answer_misuse("may_be_killed: a lock of a fleet's store is lost: use on_lost");
  // A path is the lock of a file where the store is a directory: `atmost run` knows which.
  if (scheme.directory) {
    request.locks[0].name.assign(call.lock);
  } else if (const Status placed =
                 place_fleet_lock(call.lock, call.store, "fleet", request.locks[0]);
             !placed.ok()) {
    return answer_error(placed.error());
  }
  add_names(options, request);
  to.clear();
  to.add("store", call.store);
  add_amounts(options, request, to);
  add_times(options, request, to);
  add_places(options, scheme, to);
  if (call.host != nullptr) to.add("host", call.host);
  const std::string_view id = request.id.empty() ? call.program : request.id.view();
  if (!id.empty()) to.add("id", id);
  to.add("--");
  to.add(call.lock);
  if (!to.complete()) return answer_misuse("the options are longer than can be handed on");
  return ATMOST_ADMITTED;
}

}  // namespace atmost::limiter
