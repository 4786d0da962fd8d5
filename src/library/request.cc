#include "request.h"

#include <cstdlib>
#include <new>

#include "answer.h"
#include "atmost/atmost.h"
#include "core/parse.h"
#include "options/combine.h"
#include "options/table.h"
#include "os/self.h"

namespace atmost::limiter {
namespace {

bool killing_agreed = false;

Error usage(std::string_view option, std::string_view what) {
  Error error = error_of(Code::usage, 0, option);
  error.message.append(": ").append(what);
  return error;
}

}  // namespace

void LibraryRequest::begin(std::uint64_t nth, std::string_view lock, const char* operand) {
  number = nth;
  is_atom = operand != nullptr;
  complete_ = interruptible = false;
  wrong_ = {};
  wait_mask = nullptr;
  on_lost = nullptr;
  new (&settings) Settings;
  settings.processors = os::processors;
  settings.request.kind = HolderKind::library;
  words.clear();
  words.add(lock);
  if (is_atom) words.add(operand);
  if (!words.complete()) wrong_ = usage("lock", "longer than can be kept");
}

// The first thing that is wrong is kept.
int LibraryRequest::keep(const Status& status) {
  if (status.ok()) return ATMOST_ADMITTED;
  if (wrong_.ok()) wrong_ = status;
  return answer_error(status.error());
}

// An option without a value is a word only while it is set.
int LibraryRequest::set(std::string_view option, std::string_view value) {
  if (complete_) return answer_error(usage(option, "the request has been used: make a new one"));
  const Option* const row = find_option(option, kLibrary);
  if (row == nullptr) return keep(set_option(settings, option, value, kLibrary));
  const bool is_switch = row->value.empty();
  if (is_switch) {
    words.drop(row->name, first_option());
    if (value != "false") words.add_switch(row->name);
  } else {
    if (row->name != "also") words.drop(row->name, first_option());
    words.add(row->name, value);
  }
  if (!words.complete()) return keep(usage(option, "the options are longer than can be kept"));
  if (is_switch) return keep(set_option(settings, *row, value, kLibrary));
  std::string_view kept = words.at(words.count() - 1);
  kept.remove_prefix(kept.size() - value.size());
  const int answer = keep(set_option(settings, *row, kept, kLibrary));
  if (answer != ATMOST_ADMITTED || row->name != "max" || settings.request.locks[0].max > 0)
    return answer;
  return keep(usage(option, "0 admits nobody: use 1 or more"));
}

int LibraryRequest::set_seconds(std::string_view option, double seconds) {
  constexpr double kForever = 9.2e9;  // more than 292 years
  if (!(seconds >= 0)) return keep(usage(option, "seconds are 0 or more"));
  if (seconds >= kForever) return set(option, "inf");
  const auto ns = static_cast<std::int64_t>(seconds * 1e9);
  constexpr std::int64_t kSecond = 1'000'000'000;
  Text<32> text;
  text.append_signed(ns / kSecond);
  std::int64_t rest = ns % kSecond;
  if (rest > 0) text.push('.');
  for (std::int64_t weight = kSecond / 10; rest > 0; weight /= 10) {
    text.push(static_cast<char>('0' + rest / weight));
    rest %= weight;
  }
  return set(option, text);
}

int LibraryRequest::set_number(std::string_view option, std::int64_t value) {
  if (value < 0) return keep(usage(option, "a number is 0 or more"));
  Text<32> text;
  const Option* const row = find_option(option, kLibrary);
  if (row != nullptr && row->value.empty()) return set(option, value != 0 ? "true" : "false");
  if (row == nullptr || row->value != "OCTAL") return set(option, text.append_signed(value));
  for (int shift = 9; shift >= 0; shift -= 3)
    text.push(static_cast<char>('0' + (value >> shift & 7)));
  return set(option, value > 0777 ? std::string_view("more than 777") : text.view());
}

int LibraryRequest::set_on_lost(OnLostFunction called, void* with) {
  if (complete_ && on_lost == nullptr)
    return answer_error(usage("on_lost", "the request has been used: make a new one"));
  on_lost = called;
  context = with;
  return ATMOST_ADMITTED;
}

int LibraryRequest::set_interruptible(const void* mask) {
  if (complete_)
    return answer_error(usage("interruptible", "the request has been used: make a new one"));
  interruptible = true;
  wait_mask = mask;
  return ATMOST_ADMITTED;
}

Status LibraryRequest::judge() {
  if (!wrong_.ok()) return wrong_;
  const char* const store = std::getenv("ATMOST_STORE");
  if (!given(settings, "store") && store != nullptr && store[0] != '\0') {
    if (const Status known = check_store(store); !known.ok())
      return usage("$ATMOST_STORE", known.error().message);
    (void)set("store", store);
    if (!wrong_.ok()) return wrong_;
  }
  if (Status fits = combine(settings, scheme(), kLibrary); !fits.ok()) return fits;
  Request& request = settings.request;
  const bool limited = request.max_runtime_auto ||
                       (!request.max_runtime.is_zero() && !request.max_runtime.is_forever());
  if (limited && on_lost == nullptr) return usage("max_runtime", "needs on_lost");
  const StoreTraits& traits = scheme().traits;
  if (on_lost != nullptr && !limited && traits.has_path && !traits.inheritable) {
    return usage("on_lost",
                 "a lock that is a symbolic link is not watched: use a lock file, or the store of "
                 "a fleet");
  }
  if (traits.leased && given(settings, "may-be-killed") && request.eviction == Eviction::kill)
    return usage("may_be_killed", "a lock of a fleet's store is lost: use on_lost");
  request.no_learn = request.no_learn || !wants_stats(request);
  return {};
}

int LibraryRequest::complete() {
  if (!__atomic_load_n(&complete_, __ATOMIC_ACQUIRE)) {
    const os::Locked locked(forks_);
    if (!complete_) wrong_ = judge();
    __atomic_store_n(&complete_, true, __ATOMIC_RELEASE);
  }
  return wrong_.ok() ? int{ATMOST_ADMITTED} : answer_error(wrong_.error());
}

int LibraryRequest::waits() const {
  const Request& request = settings.request;
  if (!request.wait.is_zero()) return 2;
  const bool stops = !request.expire_after.is_forever() || request.expire_auto ||
                     request.on_busy == OnBusy::replace;
  return stops ? 1 : 0;
}

Eviction LibraryRequest::eviction() const {
  if (given(settings, "may-be-killed")) return settings.request.eviction;
  if (on_lost != nullptr) return Eviction::revoke;
  return __atomic_load_n(&killing_agreed, __ATOMIC_RELAXED) ? Eviction::kill : Eviction::none;
}

bool agree_to_be_killed(bool agreed) {
  return __atomic_exchange_n(&killing_agreed, agreed, __ATOMIC_RELAXED);
}

}  // namespace atmost::limiter
