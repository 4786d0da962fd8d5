#include "environment.h"

#include <cstring>

#include "os/process.h"
#include "os/self.h"

namespace atmost::limiter {
namespace {

constexpr OwnVariable kSlots[] = {
    {"ATMOST_SLOT", Told::slot},
    {"ATMOST_SLOTS", Told::slots},
    {"ATMOST_INDICES", Told::indices},
    {"ATMOST_TOKEN", Told::token},
};

std::string_view name_of_slot(std::string_view names, std::uint32_t slot) {
  for (; slot > 1; --slot) {
    const std::size_t comma = names.find(',');
    if (comma == std::string_view::npos) return {};
    names.remove_prefix(comma + 1);
  }
  const std::size_t end = names.find(',');
  return {names.data(), end == std::string_view::npos ? names.size() : end};
}

void set_variable(const OwnVariable& variable, std::string_view name, const HeldLock& lock,
                  Variables& variables) {
  Variables::Texts& to = variables.begin(variable.name);
  const std::uint32_t less = variable.what == Told::indices ? 1 : 0;  // those count from 0
  switch (variable.what) {
    case Told::lock:
      to.append(name);
      break;
    case Told::name:
      if (lock.limit != nullptr) to.append(name_of_slot(lock.limit->names, lock.slots[0]));
      break;
    case Told::names:
      for (std::uint32_t i = 0; lock.limit != nullptr && i < lock.count; ++i)
        to.append(i > 0 ? "," : "").append(name_of_slot(lock.limit->names, lock.slots[i]));
      break;
    case Told::slot:
      to.append_unsigned(std::uint64_t{variable.base} + lock.slots[0]);
      break;
    case Told::token:
      to.append_unsigned(lock.token);
      break;
    case Told::slots:
    case Told::indices:
      for (std::uint32_t i = 0; i < lock.count; ++i) {
        if (i > 0) to.push(',');
        to.append_unsigned(lock.slots[i] - less);
      }
  }
}

// Begins a list separated by colons with the caller's entries.
Variables::Texts& begin_list(std::string_view name, Variables& variables) {
  const char* const before = os::variable(name.data());
  Variables::Texts& to = variables.begin(name);
  if (before != nullptr && before[0] != '\0') to.append(before).push(':');
  return to;
}

[[gnu::cold]] void list_watchers(const Request& request, const char* working_directory,
                                 Variables& variables) {
  os::ProcessFacts own;
  if (os::process_facts(os::process_id(), own) != 0) {
    variables.begin(kBeatVariable);  // nobody can be told
    return;
  }
  Variables::Texts& to = begin_list(kBeatVariable, variables);
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    if (i > 0) to.push(':');
    to.append_signed(os::process_id()).push(',').append_signed(own.start_boot_ns).push(',');
    append_listed(to, request.locks[i].path, working_directory);
  }
}

}  // namespace

Variables::Texts& Variables::begin(std::string_view name) {
  if (count_ > 0) texts_.push('\0');
  starts_[count_++] = texts_.size();
  return texts_.append(name).push('=');
}

bool Variables::replaces(const char* variable) const {
  const char* const end = std::strchr(variable, '=');
  if (end == nullptr) return false;
  const auto size = static_cast<std::size_t>(end - variable) + 1;
  for (std::size_t i = 0; i < count_; ++i) {
    if (std::strncmp(texts_.c_str() + starts_[i], variable, size) == 0) return true;
  }
  return false;
}

void Variables::merge(char* const* from, std::span<const std::string_view> left_out,
                      char** to) const {
  for (; *from != nullptr; ++from) {
    bool out = replaces(*from);
    for (const std::string_view name : left_out)
      out = out || std::string_view(*from).starts_with(name);
    if (!out) *to++ = *from;
  }
  // execve takes pointers to char it never writes through.
  for (std::size_t i = 0; i < count_; ++i) *to++ = const_cast<char*>(texts_.c_str() + starts_[i]);
  *to = nullptr;
}

void set_variables(const OpenLocks& locks, const Lease& lease, Duration waited, Variables& to) {
  const Request& request = locks.request;
  to.clear();
  bool relative = false;
  for (std::uint32_t i = 0; i < request.lock_count; ++i)
    relative = relative || is_relative(locks.traits, request.locks[i]);
  const char* const here = relative ? os::working_directory(run_arena()) : nullptr;
  const HeldLock& first = lease.lock(0);
  const LockSpec& lock = request.locks[0];
  to.begin("ATMOST_LOCK").append(lock.name);
  Variables::Texts& file = to.begin("ATMOST_LOCKFILE");
  std::string_view path = lock.path;
  if (here != nullptr && !path.starts_with('/')) {
    file.append(here).push('/');
    while (path.starts_with("./")) path.remove_prefix(2);
  }
  file.append(path);
  for (const OwnVariable& variable : kSlots) set_variable(variable, lock.name, first, to);
  to.begin("ATMOST_WAITED_MS").append_signed(waited.ns / 1'000'000);
  for (std::uint32_t i = 0; i < request.variable_count; ++i)
    set_variable(request.variables[i], lock.name, first, to);
  Variables::Texts& held = begin_list("ATMOST_HELD", to);
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    if (i > 0) held.push(':');
    append_listed(held, request.locks[i].path, here);
  }
  if (watches_silence(request)) list_watchers(request, here, to);
}

std::size_t count_words(char* const* words) {
  std::size_t count = 0;
  while (words[count] != nullptr) ++count;
  return count;
}

}  // namespace atmost::limiter
