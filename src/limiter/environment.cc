#include "environment.h"

#include <cstring>

#include "monitored.h"
#include "os/process.h"
#include "os/self.h"

namespace atmost::limiter {
namespace {

constexpr std::string_view kNames[] = {
    "ATMOST_LOCK",  "ATMOST_LOCKFILE",  "ATMOST_SLOT", "ATMOST_SLOTS", "ATMOST_INDICES",
    "ATMOST_TOKEN", "ATMOST_WAITED_MS", "ATMOST_HELD", "ATMOST_PING",  kMonitorVariable};

}  // namespace

void OwnVariables::begin(std::string_view name) {
  if (count_ > 0) texts_.push('\0');
  starts_[count_++] = texts_.size();
  texts_.append(name).push('=');
}

void OwnVariables::tell(Told what, const Request& request, const HeldLock& lock) {
  const std::uint32_t less = what == Told::indices ? 1 : 0;  // slots count from 1, indices from 0
  switch (what) {
    case Told::lock:
      texts_.append(request.locks[0].name);
      break;
    case Told::slot:
      texts_.append_unsigned(lock.slots[0]);
      break;
    case Told::token:
      texts_.append_unsigned(lock.token);
      break;
    case Told::slots:
    case Told::indices:
      for (std::uint32_t i = 0; i < lock.count; ++i) {
        if (i > 0) texts_.push(',');
        texts_.append_unsigned(lock.slots[i] - less);
      }
  }
}

void OwnVariables::set(const Request& request, const Lease& lease, Duration waited,
                       const char* held_before, const char* working_directory) {
  texts_.clear();
  count_ = 0;
  request_ = &request;
  const HeldLock& first = lease.lock(0);
  begin("ATMOST_LOCK");
  tell(Told::lock, request, first);
  begin("ATMOST_LOCKFILE");
  std::string_view path = request.locks[0].path;
  if (working_directory != nullptr && !path.starts_with('/')) {
    texts_.append(working_directory).push('/');
    while (path.starts_with("./")) path.remove_prefix(2);
  }
  texts_.append(path);
  begin("ATMOST_SLOT");
  tell(Told::slot, request, first);
  begin("ATMOST_SLOTS");
  tell(Told::slots, request, first);
  begin("ATMOST_INDICES");
  tell(Told::indices, request, first);
  begin("ATMOST_TOKEN");
  tell(Told::token, request, first);
  begin("ATMOST_WAITED_MS");
  texts_.append_signed(waited.ns / 1'000'000);
  for (std::uint32_t i = 0; i < request.variable_count; ++i) {
    begin(request.variables[i].name);
    tell(request.variables[i].what, request, first);
  }
  begin("ATMOST_HELD");
  bool any = held_before != nullptr && held_before[0] != '\0';
  if (any) texts_.append(held_before);
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    if (any) texts_.push(':');
    any = true;
    append_listed(texts_, request.locks[i].path, working_directory);
  }
  if (watches_silence(request)) list_watchers(request, working_directory);
}

[[gnu::cold]] void OwnVariables::list_watchers(const Request& request,
                                               const char* working_directory) {
  const char* const beat_before = os::variable(kBeatVariable.data());
  os::ProcessFacts own;
  if (os::process_facts(os::process_id(), own) != 0) return;
  begin(kBeatVariable);
  if (beat_before != nullptr && beat_before[0] != '\0') texts_.append(beat_before).push(':');
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    if (i > 0) texts_.push(':');
    texts_.append_signed(os::process_id()).push(',').append_signed(own.start_boot_ns).push(',');
    append_listed(texts_, request.locks[i].path, working_directory);
  }
}

// Also the monitor's variable and the secret one of --ping, which the command does not get.
bool OwnVariables::replaces(const char* variable) const {
  constexpr std::string_view kCommon = "ATMOST_";
  if (std::strncmp(variable, kCommon.data(), kCommon.size()) == 0) {
    for (const std::string_view name : kNames) {
      if (is_variable(variable, name)) return true;
    }
  }
  if (watches_silence(*request_) && is_variable(variable, kBeatVariable)) return true;
  for (std::uint32_t i = 0; i < request_->variable_count; ++i) {
    if (is_variable(variable, request_->variables[i].name)) return true;
  }
  return false;
}

bool is_variable(const char* variable, std::string_view name) {
  return std::strncmp(variable, name.data(), name.size()) == 0 && variable[name.size()] == '=';
}

std::size_t count_variables(char* const* from) {
  std::size_t count = 0;
  while (from[count] != nullptr) ++count;
  return count;
}

void OwnVariables::merge(char* const* from, char** to) {
  for (; *from != nullptr; ++from) {
    if (!replaces(*from)) *to++ = *from;
  }
  // execve takes pointers to char it never writes through.
  for (std::size_t i = 0; i < count_; ++i) *to++ = const_cast<char*>(texts_.c_str() + starts_[i]);
  *to = nullptr;
}

}  // namespace atmost::limiter
