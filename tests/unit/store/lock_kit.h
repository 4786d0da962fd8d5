// Lock files for tests of the local store: a directory of their own, outside lockers, and bytes put
// where they lie.
#ifndef ATMOST_TESTS_UNIT_STORE_LOCK_KIT_H
#define ATMOST_TESTS_UNIT_STORE_LOCK_KIT_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kept_text.h"
#include "policy/decide.h"
#include "rule/judge.h"
#include "store/local/layout.h"
#include "store/local/session.h"
#include "store/local/store.h"

namespace atmost::local {

class Directory {
 public:
  // Under `where`, else under /tmp.
  explicit Directory(const char* where = "/tmp") {
    path_ = std::string(where) + "/atmost-unit-XXXXXX";
    if (mkdtemp(path_.data()) != nullptr) return;
    path_ = "/tmp/atmost-unit-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) abort();
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() { std::filesystem::remove_all(path_); }
  std::string path(const std::string& name = "lock") const { return path_ + "/" + name; }
  const char* c_str() const { return path_.c_str(); }

 private:
  std::string path_;
};

// Another program with the file open, outside of our rules: an open file description of its own.
class Outsider {
 public:
  explicit Outsider(const std::string& path)
      : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}
  Outsider(const Outsider&) = delete;
  Outsider& operator=(const Outsider&) = delete;
  ~Outsider() { close(fd_); }

  int fd() const { return fd_; }
  bool lock(std::int64_t start, std::int64_t length = 1) const {
    return set(F_WRLCK, start, length);
  }
  bool lock_for_reading(std::int64_t start) const { return set(F_RDLCK, start, 1); }
  bool unlock(std::int64_t start, std::int64_t length = 1) const {
    return set(F_UNLCK, start, length);
  }
  bool lock_slot(std::uint32_t slot) const { return lock(slot_byte(slot)); }
  // True if another process holds any of the bytes.
  bool sees_lock(std::int64_t start, std::int64_t length = 1) const {
    struct flock range = make(F_WRLCK, start, length);
    return fcntl(fd_, F_OFD_GETLK, &range) != 0 || range.l_type != F_UNLCK;
  }
  template <class T>
  void put(const T& value, std::int64_t at) const {
    if (pwrite(fd_, &value, sizeof value, at) != static_cast<ssize_t>(sizeof value)) abort();
  }
  template <class T>
  T get(std::int64_t at) const {
    T value = {};
    if (pread(fd_, &value, sizeof value, at) < 0) abort();
    return value;
  }

 private:
  static struct flock make(int type, std::int64_t start, std::int64_t length) {
    struct flock range = {};
    range.l_type = static_cast<short>(type);
    range.l_whence = SEEK_SET;
    range.l_start = start;
    range.l_len = length;
    return range;
  }
  bool set(int type, std::int64_t start, std::int64_t length) const {
    struct flock range = make(type, start, length);
    return fcntl(fd_, F_OFD_SETLK, &range) == 0;
  }

  int fd_;
};

// The time of the clock for the caller that asks.
inline Instant clock_now;
// So long the process is paused, with the guard, when it has read the clock.
inline std::int64_t paused_after_reading_ns = 0;
inline Instant told_by_clock(const Request&) {
  const Instant told = clock_now;
  clock_now.boot_ns += paused_after_reading_ns;
  return told;
}

// One caller of the local store, with a request for lock `path`.
class User {
 public:
  explicit User(const std::string& path, std::uint32_t max = 1, std::uint32_t take = 1) {
    request.kind = HolderKind::library;  // which has heirs: the case with more to go wrong
    request.locks[0].path = kept(path);
    request.locks[0].max = max;
    request.locks[0].take = take;
  }

  Result<Decision> attempt(Ticket* queue = nullptr) {
    Result<Session*> open = session();
    if (!open.ok()) return open.error();
    clock_now = now;
    return rule::admit(*open.value(), request, {policy::decide, told_by_clock, queue}, lease);
  }
  // The verdict; the error's message when there is one instead.
  std::string ask(Ticket* queue = nullptr) {
    Result<Decision> answer = attempt(queue);
    if (!answer.ok()) return answer.error().message.c_str();
    static constexpr const char* kWords[] = {"admit", "too soon", "take over", "busy"};
    return kWords[static_cast<int>(answer.value().verdict)];
  }
  std::string queue() { return ask(&ticket); }
  std::vector<std::uint32_t> slots() const {
    if (!lease.held()) return {};
    const HeldLock& held = lease.lock(0);
    return {held.slots, held.slots + held.count};
  }
  void release() { lease.release(Ending::unknown, now); }
  LocalStore& store() { return store_; }
  // Opened by the first call that needs it.
  Result<Session*> session() {
    if (session_) return &*session_;
    Result<Owned<Session>> opened = store_.open(request);
    if (!opened.ok()) return opened.error();
    session_ = std::move(opened.value());
    return &*session_;
  }
  // One step towards the holder of slot 1, if nobody else is at it.
  Result<SignalResult> signal(std::uint64_t hold, SignalStep step) {
    Result<Session*> open = session();
    if (!open.ok()) return open.error();
    Result<Owned<HolderStop>> stop = open.value()->stop(0, 1, hold, StopFor::its_place);
    if (!stop.ok()) return stop.error();
    return stop.value() ? stop.value()->signal(step) : SignalResult{};
  }
  Result<Wake> await(std::int64_t deadline_boot_ns) {
    Result<Session*> open = session();
    if (!open.ok()) return open.error();
    return open.value()->await(ticket, deadline_boot_ns);
  }
  void withdraw() {
    if (session_) session_->withdraw(ticket);
  }
  void end() {
    lease.detach();
    session_.close();
  }

  Request request;
  Instant now = {1'700'000'000'000'000'000, 100'000'000'000'000'000, false};
  Ticket ticket;

 private:
  LocalStore store_;
  Owned<Session> session_;

 public:
  Lease lease;
};

}  // namespace atmost::local

#endif
