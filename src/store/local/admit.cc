// LocalStore: what an admission writes.
#include <cstring>

#include "listing.h"
#include "local_store.h"
#include "os/occupancy.h"
#include "os/self.h"
#include "proof.h"

namespace atmost::local {
namespace {

void clear_revocation(int fd, std::uint32_t slot) {
  Word word;
  if (read_words(fd, slot, 1, &word) == 0 && (word.flags & kRevokedFlag) != 0) {
    (void)write_flags(fd, slot, word.flags & ~kRevokedFlag);
  }
}

std::uint64_t next_token(std::uint64_t stored, const Instant& now) {
  const auto by_clock = static_cast<std::uint64_t>(now.real_ns > 0 ? now.real_ns / 1000 : 0);
  return stored + 1 > by_clock ? stored + 1 : by_clock;
}

}  // namespace

Status LocalStore::commit(const Request& request, const Instant& now, Ticket* queue) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (Status admitted = admit_to(request, i, now); !admitted.ok()) {
      take_back(request, i + 1);
      return admitted;
    }
  }
  for (std::uint32_t i = 0; i < count_; ++i) write_hints(request, i, now);
  if (queue != nullptr) {
    if (queue->drawn && waits_for_handover(request)) {
      (void)os::try_lock(entries_[0].file.slot_fd(), owner_, os::Hold::write, {kHandoverByte, 1});
    }
    withdraw(request, *queue);  // whoever is woken by this finds the byte above locked
  }
  watch_.rest();
  return {};
}

// Nobody was admitted: an interval must not count from now. What cannot be written now is as stale
// as before.
void LocalStore::take_back(const Request& request, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count && !request.foreign_format; ++i) {
    entries_[i].file.header() = entries_[i].before;
    (void)entries_[i].file.save_header();
  }
}

// What must be written for the admission to be one: the index for foreign callers, the header for
// the next of ours.
Status LocalStore::admit_to(const Request& request, std::uint32_t lock, const Instant& now) {
  Entry& entry = entries_[lock];
  if (Status raised = entry.file.raise_index(entry.reserved.slots[entry.reserved.count - 1]);
      !raised.ok()) {
    return raised;
  }
  entry.held.fd = entry.file.slot_fd();
  entry.held.count = entry.reserved.count;
  entry.held.vanished_count = 0;
  entry.held.was_empty = entry.file.was_empty() && entry.file.state() == HeaderState::fresh;
  std::memcpy(entry.held.slots, entry.reserved.slots, sizeof(std::uint32_t) * entry.reserved.count);
  // Without it the hold is as good; but nobody can take it over.
  if (owner_ == os::Owner::description)
    (void)leave_proof(entry.file, entry.held.slots, entry.held.count);
  if (request.foreign_format) return {};
  Header& header = entry.file.header();
  entry.before = header;
  entry.admitted = now;
  header.token = next_token(header.token, now);
  header.refusals = 0;
  header.start = data_of(now, entry.file.identity());
  entry.held.token = header.token;
  return entry.file.save_header();
}

// What only shortens later searches and fills listings: failures (a full disk) cost just that.
void LocalStore::write_hints(const Request& request, std::uint32_t lock, const Instant& now) {
  if (request.foreign_format) return;
  Entry& entry = entries_[lock];
  const int fd = entry.file.fd();
  if (entry.reserved.met_dead) note_vanished(entry);
  std::uint32_t indices[kMaxTake];
  for (std::uint32_t i = 0; i < entry.held.count; ++i) {
    indices[i] = entry.held.slots[i] - 1;
    Record record = make_record(request, entry.held.slots[i], entry.held.token, kind_, now,
                                entry.file.identity());
    (void)write_record(fd, record);
  }
  // One registration a process, so only the first lock's words are vouched for; with exec it would
  // end at once, and a keeper may be a child of who is admitted here.
  std::uint32_t registered = 0;
  const bool stays = kind_ == HolderKind::supervised && !request.exec && request.kept_for == 0;
  if (lock == 0 && stays && entry.file.identity().boot != 0) {
    registered = os::register_words(fd, kWordsAt, indices, entry.held.count);
  }
  entry.words_registered = registered > 0;
  if (kind_ ==
      HolderKind::library) {  // what a taker once wrote to a library that is gone is not for us
    for (std::uint32_t i = 0; i < entry.held.count; ++i) clear_revocation(fd, entry.held.slots[i]);
  }
  const std::uint32_t self = registered > 0 ? os::thread_id() : 0;
  for (std::uint32_t i = 0; i < entry.held.count; ++i) {
    (void)write_word(fd, entry.held.slots[i], i < registered ? self : 0);
  }
}

void LocalStore::leave_proofs() {
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Entry& entry = entries_[i];
    (void)leave_proof(entry.file, entry.held.slots, entry.held.count);
  }
}

void LocalStore::name_holder(std::int64_t pid) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Entry& entry = entries_[i];
    for (std::uint32_t j = 0; j < entry.held.count; ++j) {
      Record record;
      if (!read_record(entry.file.fd(), entry.held.slots[j], record)) continue;
      record.pid = static_cast<std::uint32_t>(pid);
      (void)write_record(entry.file.fd(), record);
    }
  }
}

}  // namespace atmost::local
