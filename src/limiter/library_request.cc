#include "library_request.h"

#include <cstdlib>
#include <new>

#include "atmost/atmost.h"
#include "core/place.h"
#include "library_answer.h"
#include "options/combine.h"
#include "options/table.h"

namespace atmost::limiter {
namespace {

bool killing_agreed = false;

Error usage(std::string_view option, std::string_view what) {
  Error error = error_of(Code::usage, 0, option);
  error.message.append(": ").append(what);
  return error;
}

}  // namespace

void LibraryRequest::begin(std::uint64_t number, std::string_view lock, const char* operand) {
  number_ = number;
  is_atom_ = operand != nullptr;
  complete_ = interruptible_ = false;
  wrong_ = {};
  wait_mask_ = nullptr;
  on_lost_ = nullptr;
  new (&settings_) Settings;
  settings_.request.kind = HolderKind::library;
  words_.clear();
  words_.add(lock);
  if (is_atom_) words_.add(operand);
  if (!words_.complete()) wrong_ = usage("lock", "longer than can be kept");
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
  if (row == nullptr) return keep(set_option(settings_, option, value, kLibrary));
  const bool is_switch = row->value.empty();
  if (is_switch) {
    words_.drop(row->name, first_option());
    if (value != "false") words_.add_switch(row->name);
  } else {
    if (row->name != "also") words_.drop(row->name, first_option());
    words_.add(row->name, value);
  }
  if (!words_.complete()) return keep(usage(option, "the options are longer than can be kept"));
  if (is_switch) return keep(set_option(settings_, *row, value, kLibrary));
  std::string_view kept = words_.at(words_.count() - 1);
  kept.remove_prefix(kept.size() - value.size());
  const int answer = keep(set_option(settings_, *row, kept, kLibrary));
  if (answer != ATMOST_ADMITTED || row->name != "max" || settings_.request.locks[0].max > 0)
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

int LibraryRequest::set_number(std::string_view option, std::int64_t number) {
  if (number < 0) return keep(usage(option, "a number is 0 or more"));
  Text<32> text;
  const Option* const row = find_option(option, kLibrary);
  if (row != nullptr && row->value.empty()) return set(option, number != 0 ? "true" : "false");
  if (row == nullptr || row->value != "OCTAL") return set(option, text.append_signed(number));
  for (int shift = 9; shift >= 0; shift -= 3)
    text.push(static_cast<char>('0' + (number >> shift & 7)));
  return set(option, number > 0777 ? std::string_view("more than 777") : text.view());
}

int LibraryRequest::set_on_lost(OnLostFunction called, void* context) {
  if (complete_ && on_lost_ == nullptr)
    return answer_error(usage("on_lost", "the request has been used: make a new one"));
  on_lost_ = called;
  context_ = context;
  return ATMOST_ADMITTED;
}

int LibraryRequest::set_interruptible(const void* wait_mask) {
  if (complete_)
    return answer_error(usage("interruptible", "the request has been used: make a new one"));
  interruptible_ = true;
  wait_mask_ = wait_mask;
  return ATMOST_ADMITTED;
}

Status LibraryRequest::choose_store() {
  if (given(settings_, "store")) return {};
  const char* const text = std::getenv("ATMOST_STORE");
  if (text == nullptr || text[0] == '\0') return {};
  if (const Status known = check_store(text); !known.ok())
    return usage("$ATMOST_STORE", known.error().message);
  (void)set("store", text);
  return wrong_;
}

Status LibraryRequest::judge() {
  if (!wrong_.ok()) return wrong_;
  if (const Status chosen = choose_store(); !chosen.ok()) return chosen;
  if (Status fits = combine(settings_, scheme(), kLibrary); !fits.ok()) return fits;
  Request& request = settings_.request;
  const bool limited = request.max_runtime_auto ||
                       (!request.max_runtime.is_zero() && !request.max_runtime.is_forever());
  if (limited && on_lost_ == nullptr) return usage("max_runtime", "needs on_lost");
  const StoreTraits& traits = scheme().traits;
  if (on_lost_ != nullptr && !limited && traits.has_path && !traits.inheritable) {
    return usage("on_lost",
                 "a lock that is a symbolic link is not watched: use a lock file, or the store of "
                 "a fleet");
  }
  if (traits.leased && given(settings_, "may-be-killed") && request.eviction == Eviction::kill)
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
  const Request& request = settings_.request;
  if (!request.wait.is_zero()) return 2;
  const bool stops = !request.expire_after.is_forever() || request.expire_auto ||
                     request.on_busy == OnBusy::replace;
  return stops ? 1 : 0;
}

Eviction LibraryRequest::eviction() const {
  if (given(settings_, "may-be-killed")) return settings_.request.eviction;
  if (on_lost_ != nullptr) return Eviction::revoke;
  return __atomic_load_n(&killing_agreed, __ATOMIC_RELAXED) ? Eviction::kill : Eviction::none;
}

bool agree_to_be_killed(bool agreed) {
  return __atomic_exchange_n(&killing_agreed, agreed, __ATOMIC_RELAXED);
}

}  // namespace atmost::limiter
