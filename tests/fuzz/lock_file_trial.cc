#include "lock_file_trial.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "policy/decide.h"
#include "rule/judge.h"
#include "store/local/layout.h"

namespace atmost::fuzz {
namespace {

constexpr std::uint32_t kHeld[] = {2, 4};  // by the stranger

// The offsets to which pieces of unstructured input go: every field of the byte map, and the gaps.
constexpr std::int64_t kPlaces[] = {
    local::kIndexAt,       8,
    local::kHeaderAt,      local::kHeaderAt + 8,
    local::kHeaderAt + 64, local::kMemoryAt,
    local::kWaitersAt,     local::kWaitersAt + local::kRecordSize,
    local::word_at(1),     local::word_at(3),
    local::record_at(1),   local::record_at(2),
    local::record_at(4),   local::word_at(kMaxSlots) - 64,
};

constexpr Instant kNow = {1'700'000'000'000'000'000, 100'000'000'000'000'000, false};
Instant told_by_clock(const Request&) { return kNow; }

bool set_lock(int fd, int type, std::int64_t start, std::int64_t length) {
  struct flock range = {};
  range.l_type = static_cast<short>(type);
  range.l_whence = SEEK_SET;
  range.l_start = start;
  range.l_len = length;
  return fcntl(fd, F_OFD_SETLK, &range) == 0;
}

bool put(int fd, const void* bytes, std::size_t size, std::int64_t at) {
  return pwrite(fd, bytes, size, at) == static_cast<ssize_t>(size);
}

class Counter final : public LockVisitor {
 public:
  void header(const Header&) override {}
  void holder(const HolderView&) override { ++holders; }
  void waiter(const WaiterView&) override { ++waiters; }
  std::uint32_t holders = 0;
  std::uint32_t waiters = 0;
};

}  // namespace

LockFileTrial::LockFileTrial() {
  for (const char* where : {"/dev/shm", "/tmp"}) {
    directory_ = std::string(where) + "/atmost-fuzz-XXXXXX";
    if (mkdtemp(directory_.data()) != nullptr) break;
  }
  path_ = directory_ + "/lock";
  stranger_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (stranger_ < 0 || ask(3, 1, false) != nullptr) abort();
  valid_.resize(static_cast<std::size_t>(local::kHeaderAt) + sizeof(local::Header));
  if (pread(stranger_, valid_.data(), valid_.size(), 0) != static_cast<ssize_t>(valid_.size()))
    abort();
  for (std::uint32_t slot : kHeld) {
    if (!set_lock(stranger_, F_WRLCK, local::slot_byte(slot), 1)) abort();
  }
}

LockFileTrial::~LockFileTrial() {
  close(stranger_);
  unlink(path_.c_str());
  rmdir(directory_.c_str());
}

const char* LockFileTrial::ask(std::uint32_t max, std::uint32_t take, bool queue) {
  Request request;
  request.kind = HolderKind::library;
  request.locks[0].path = TextView::of(path_);
  request.locks[0].max = max;
  request.locks[0].take = take;
  Ticket ticket;
  Result<Owned<Session>> opened = store_.open(request);
  Owned<Session> session;
  if (opened.ok()) session = static_cast<Owned<Session>&&>(opened.value());
  Lease lease;
  Result<Decision> answer =
      opened.ok() ? rule::admit(*session, request,
                                {policy::decide, told_by_clock, queue ? &ticket : nullptr}, lease)
                  : Result<Decision>(opened.error());
  const char* wrong = nullptr;
  if (!answer.ok()) {
    const std::string message = answer.error().message.c_str();
    if (message.rfind(path_, 0) != 0) wrong = "an error does not name the file";
    if (lease.held()) wrong = "an error holds a slot";
  } else if (lease.held()) {
    const HeldLock& held = lease.lock(0);
    if (held.count != take) wrong = "a grant of another number of slots";
    std::uint32_t all = held.count;
    for (std::uint32_t slot : kHeld) {
      ++all;
      for (std::uint32_t i = 0; i < held.count; ++i) {
        if (held.slots[i] == slot) wrong = "a grant of a held slot";
        if (held.slots[i] < 1 || held.slots[i] > max) wrong = "a grant of no slot of ours";
      }
    }
    if (all > max) wrong = "a grant above N";
  } else if (answer.value().why == Why::no_slot && max > 2 && take == 1 &&
             !(drained(1) && drained(3))) {
    wrong = "a refusal beside a free slot";
  }
  if (session) session->withdraw(ticket);
  lease.release(Ending::success, kNow);
  session.close();
  if (wrong == nullptr && !set_lock(stranger_, F_WRLCK, 0, 8)) wrong = "the guard is left locked";
  set_lock(stranger_, F_UNLCK, 0, 8);
  return wrong;
}

bool LockFileTrial::drained(std::uint32_t slot) const {
  local::Word word;
  (void)!pread(stranger_, &word, sizeof word,
               local::word_at(slot));  // behind the end of the file there are zeros
  return (word.flags & local::kDrainedFlag) != 0;
}

const char* LockFileTrial::look() {
  LockSpec spec;
  spec.path = TextView::of(path_);
  Counter counter;
  Result<std::uint32_t> held = store_.inspect(spec, {}, &counter);
  if (held.ok() && held.value() != counter.holders)
    return "a listing shows another number than it counts";
  if (held.ok() && held.value() < 2) return "a listing leaves a holder out";
  return counter.waiters > 0 ? "a listing shows a waiter where nobody waits" : nullptr;
}

const char* LockFileTrial::run(const Piece* pieces, std::size_t count, bool valid) {
  if (ftruncate(stranger_, 0) != 0) abort();
  if (valid && !put(stranger_, valid_.data(), valid_.size(), 0)) abort();
  for (std::size_t i = 0; i < count; ++i) {
    if (!put(stranger_, pieces[i].bytes, pieces[i].size, pieces[i].at)) abort();
  }
  const char* wrong = look();
  for (std::uint32_t max : {2u, 3u, 4u}) {
    if (wrong == nullptr) wrong = ask(max, 1, false);
    if (wrong == nullptr) wrong = ask(max, 2, true);
  }
  return wrong;
}

const char* LockFileTrial::run_bytes(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostPieces = 16;
  Piece pieces[kMostPieces];
  std::size_t count = 0;
  const bool valid = size > 0 && (data[0] & 1) != 0;
  std::size_t at = size > 0 ? 1 : 0;
  // Each piece: where it goes, how far behind that, how long it is, and so many bytes.
  while (count < kMostPieces && at + 3 <= size) {
    const std::int64_t place = kPlaces[data[at] % (sizeof kPlaces / sizeof kPlaces[0])];
    const std::size_t left = size - at - 3;
    const std::size_t length = data[at + 2] < left ? data[at + 2] : left;
    if (length > 0) pieces[count++] = {place + data[at + 1], data + at + 3, length};
    at += 3 + length;
  }
  return run(pieces, count, valid);
}

}  // namespace atmost::fuzz
