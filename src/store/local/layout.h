// The lock file's layout. docs/internals/lock-map.md describes it, with the promise of each range.
//
// Locks are the truth, bytes are hints. Bytes 0–7 of data are the only field of the original
// exectimes.
#ifndef ATMOST_STORE_LOCAL_LAYOUT_H
#define ATMOST_STORE_LOCAL_LAYOUT_H

#include <cstdint>

#include "core/request.h"
#include "core/stats.h"
#include "os/locks.h"

namespace atmost::local {

// --- Locks (byte positions that need no data) ---

inline constexpr os::Bytes kGuard = {0, 8};
inline constexpr std::int64_t kFirstSlotByte = 8;
constexpr std::int64_t slot_byte(std::uint32_t slot) { return kFirstSlotByte + slot - 1; }
constexpr std::uint32_t slot_of(std::int64_t byte) {
  return static_cast<std::uint32_t>(byte - kFirstSlotByte + 1);
}

// Held for writing by an exclusive holder. Readers need no lock here: the one query that proves
// "nothing above N" covers this byte too.
inline constexpr std::int64_t kModeByte = std::int64_t{1} << 41;
// A taker locks it for writing. A query of this kind finds such locks alone: one for reading, which
// any process that may read the file can take, proves nothing.
inline constexpr os::LockKind kOfTaker = os::LockKind::read;
inline constexpr std::int64_t kTakeoverBase = std::int64_t{1} << 42;
constexpr std::int64_t takeover_byte(std::uint32_t slot) { return kTakeoverBase + slot - 1; }
// Held beside it by atmost kill, which does not want the slot.
constexpr std::int64_t kill_byte(std::uint32_t slot) { return takeover_byte(kMaxSlots + slot); }
// Held beside the takeover byte, in a file that several machines use: the holder is asked to stop.
constexpr std::int64_t ask_byte(std::uint32_t slot) { return takeover_byte(2 * kMaxSlots + slot); }
// Held by the caller that waits to run once more (--on-busy=join), until it is admitted.
inline constexpr std::int64_t kJoinByte = std::int64_t{1} << 43;
// Process-owned, by the holder of the slot, where several users may write the file: see proof.h.
inline constexpr std::int64_t kProofBase = std::int64_t{1} << 44;
constexpr std::int64_t proof_byte(std::uint32_t slot) { return kProofBase + slot - 1; }
// The slots and modes that are held.
inline constexpr os::Bytes kSlotsAndMode = {kFirstSlotByte, kModeByte + 1 - kFirstSlotByte};
// Held beside the one slot by a holder that came from the queue: the next waiter blocks on it, as a
// read lock that a paused one keeps here does not close the slot, but delays wake-ups alone.
inline constexpr std::int64_t kHandoverByte = std::int64_t{1} << 45;

// Waiters' tickets: a queue for each limit value, one for shared and exclusive callers together,
// and one for all at the limit of record, whatever its number (nobody waits with a limit of 0).
inline constexpr std::int64_t kTicketBase = std::int64_t{1} << 48;
inline constexpr int kTicketBits = 40;
inline constexpr std::uint32_t kModeQueue = kMaxSlots + 1;
inline constexpr std::uint32_t kLimitQueue = 0;
constexpr std::int64_t queue_start(std::uint32_t queue) {
  return kTicketBase + (static_cast<std::int64_t>(queue) << kTicketBits);
}
inline constexpr std::uint64_t kMaxTicket = (std::uint64_t{1} << kTicketBits) - 1;
// True if the lock is a waiter's.
constexpr bool is_ticket(const os::LockLine& line) {
  return line.write && line.start == line.end && line.start >= kTicketBase &&
         line.start < queue_start(kModeQueue + 1);
}
// True if it may be a hold, of one slot or several.
constexpr bool has_slots(const os::LockLine& line) {
  return line.write && line.start >= kFirstSlotByte && line.end <= slot_byte(kMaxSlots) &&
         line.end - line.start < kMaxTake;
}
constexpr std::uint32_t queue_of(const LockSpec& lock) {
  if (lock.mode != Mode::plain) return kModeQueue;
  return lock.at_limit ? kLimitQueue : lock.max;
}

// True if such a lock may be atmost's or the original's, by its shape: another one is foreign
// (docs/internals/lock-map.md, "Foreign locks"). Ranges that one owner locks side by side the
// kernel shows as one lock: several slots, and the guard with slots behind it.
constexpr bool is_on_the_map(const os::Conflict& lock) {
  const std::int64_t start = lock.bytes.start;
  const std::int64_t length = lock.bytes.length;
  const auto within = [&](std::int64_t first, std::int64_t count) {
    return start >= first && length <= kMaxTake && start + length <= first + count;
  };
  if (length <= 0) return false;  // to the end of all bytes
  if (start == kGuard.start) {
    // By a process, the original locks one slot; for reading, nobody locks the guard.
    const std::int64_t most = lock.pid > 0 && os::has_description_locks() ? 1 : kMaxTake;
    return lock.write && length >= kGuard.length && length <= kGuard.length + most;
  }
  return within(kFirstSlotByte, kMaxSlots) || within(kModeByte, 1) ||
         within(kTakeoverBase, 3 * std::int64_t{kMaxSlots}) || within(kJoinByte, 1) ||
         within(kProofBase, kMaxSlots) || within(kHandoverByte, 1) ||
         within(kTicketBase, queue_start(kModeQueue + 1) - kTicketBase);
}
// True if it covers all slots.
constexpr bool is_whole(const os::Conflict& lock) {
  return lock.bytes.start <= kFirstSlotByte &&
         (lock.bytes.length == 0 || lock.bytes.start + lock.bytes.length > slot_byte(kMaxSlots));
}

// --- Data (hints), all in the byte order of the host; boot id, device and inode say whether they
// apply ---

inline constexpr std::int64_t kIndexAt = 0;  // 8 bytes: highest slot byte in use
inline constexpr std::int64_t kHeaderAt = 4096;
inline constexpr std::int64_t kMemoryAt = 8192;  // the statistics of the lock's runs
// The last kMaxRate admissions of a lock with a rate: a ring
inline constexpr std::int64_t kAdmissionsAt = 12288;
inline constexpr std::int64_t kPlacesAt = 45056;  // kMostKept places that outlive their waiters
inline constexpr std::uint32_t kMostKept = 64;
inline constexpr std::int64_t kWaitersAt = 1 << 20;  // a ring of kWaiterRing records
inline constexpr std::int64_t kWordsAt = 2 << 20;    // 8 bytes a slot: occupancy word, slot flags
inline constexpr std::int64_t kRecordsAt = 4 << 20;  // a record a slot, but for slot 1
// Behind the header, so that an admission writes both at once.
inline constexpr std::int64_t kFirstRecordAt = kHeaderAt + 256;
// kMagic again, once the file has a header: it shows that a file whose header was wiped had one.
inline constexpr std::int64_t kMarkAt = kRecordsAt;
inline constexpr std::int64_t kHeartbeatsAt = 1 << 27;
inline constexpr std::uint32_t kWaiterRing = 4096;

inline constexpr std::uint32_t kFormatVersion = 1;
inline constexpr char kMagic[8] = {'a', 't', 'm', 'o', 's', 't', '\x1a', '\n'};
// Flags of a slot's word.
inline constexpr std::uint32_t kDrainedFlag = 1;
// A taker asks the library that holds the slot to release it
inline constexpr std::uint32_t kRevokedFlag = 2;

struct StampData {
  std::int64_t real_ns;
  std::int64_t boot_ns;
  std::uint64_t boot;  // hash of the boot id; 0: the boot clock does not apply (--now)
};

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t drained;
  std::uint64_t device;
  std::uint64_t inode;
  std::uint64_t boot;  // the boot in which the words were written
  std::uint64_t token;
  std::uint64_t ticket;    // the last one drawn
  std::uint32_t refusals;  // in a row, for --alert-after
  std::uint32_t failures;  // runs in a row that failed, of callers that ask for them
  StampData start;
  StampData finish;
  StampData success;
  std::uint64_t unused[2];
  std::uint64_t admissions;  // recorded in the ring; 0: no caller has had a rate
  StampData unknown_before;  // the admissions before this moment are not known; all 0: they are
  std::uint64_t superseding_ticket;  // the last one drawn with --on-busy=supersede
  std::uint64_t unused_too;
  // The last ticket drawn before an admission that saw no waiter: if it still is the last one,
  // there is none.
  std::uint64_t served_ticket;
  std::uint64_t reserved[3];
  std::uint64_t checksum;
};
static_assert(sizeof(Header) == 240);

struct Word {
  std::uint32_t thread = 0;  // os/futex.h
  std::uint32_t flags = 0;
};
static_assert(sizeof(Word) == 8);

struct Record {
  std::uint64_t token;
  std::int64_t start_real_ns;
  std::int64_t start_boot_ns;
  std::uint64_t boot;
  std::int64_t expire_after_ns;
  std::uint32_t slot;
  std::uint32_t pid;
  std::uint32_t uid;
  std::uint8_t kind;      // HolderKind
  std::uint8_t eviction;  // Eviction
  std::uint8_t id_size;
  std::uint8_t command_size;
  char id[63];
  char command[63];
  std::uint8_t reserved[2];
  std::uint64_t kept_for;  // of a keeper: the process it waits for; else 0
  union {
    std::int64_t kept_for_start_ns;  // of a keeper: when that process started
    std::int64_t max_runtime_ns;  // of a supervisor: after how long it stops its command; 0: never
  };
  char host[40];  // of the process, filled up with zeros; only in files that several machines use
  std::uint64_t checksum;
};

struct WaiterRecord {
  std::uint64_t ticket;
  std::int64_t start_real_ns;
  std::int64_t start_boot_ns;
  std::uint64_t boot;
  std::uint32_t queue;
  std::uint32_t max;
  std::uint32_t take;
  std::uint32_t pid;
  std::uint32_t uid;
  std::uint8_t mode;
  std::uint8_t joins;
  std::uint8_t id_size;
  std::uint8_t command_size;
  char id[63];
  char command[63];
  std::uint8_t parked;  // it waits for something else than this lock, and claims nothing here
  std::uint8_t looks;   // it looks for circles of waiters, and leaves one
  // When its turn began (core/turn.h); 0: it had none, or could not have been admitted then
  std::int64_t turn_boot_ns;
  std::uint64_t turn_boot;  // in which boot
  // Until then, in the boot of its start (by the wall clock where machines share the file), it
  // could not be admitted because of its rate; 0: no rate
  std::int64_t due_boot_ns;
  union {
    char host[32];            // as in Record
    std::int64_t expires_ns;  // in other files: it may stop holders of that age; 0: none
  };
  std::uint64_t checksum;
};

// In a file that several machines use.
struct Heartbeat {
  std::uint64_t token;
  std::uint64_t number;
  std::int64_t real_ns;
  std::uint64_t checksum;
};
static_assert(sizeof(Heartbeat) == 32);

struct AdmissionRecord {
  StampData at;
  std::uint64_t checksum;  // of `at` and of the number of the admission (header.admissions)
};
static_assert(sizeof(AdmissionRecord) == 32);

struct MemoryRecord {
  char magic[8];
  std::uint32_t version;
  std::uint32_t reserved;
  LockStats lock_stats;
  std::uint64_t checksum;
};
static_assert(sizeof(LockStats) == 1728 && sizeof(MemoryRecord) == 1752);
inline constexpr char kMemoryMagic[8] = {'r', 'u', 'n', 't', 'i', 'm', 'e', 's'};
inline constexpr std::uint32_t kMemoryVersion = 6;

// The file beside the locks of a directory that holds the statistics of all of them.
struct ExperienceRecord {
  char magic[8];
  std::uint32_t version;
  DirectoryStats directory_stats;
  std::uint64_t checksum;
};
static_assert(sizeof(DirectoryStats) == 780 && sizeof(ExperienceRecord) == 800);
inline constexpr char kDirectoryStatsName[] = "experience.hint";
inline constexpr std::uint32_t kExperienceVersion = 6;

inline constexpr std::int64_t kRecordSize = 256;
static_assert(sizeof(Record) <= kRecordSize && sizeof(WaiterRecord) <= kRecordSize - 8);
static_assert(kHeaderAt + static_cast<std::int64_t>(sizeof(Header)) <= kFirstRecordAt);
static_assert(kFirstRecordAt + kRecordSize <= kMemoryAt);
static_assert(kMemoryAt + static_cast<std::int64_t>(sizeof(MemoryRecord)) <= kAdmissionsAt);
static_assert(kAdmissionsAt + kMaxRate * sizeof(AdmissionRecord) <= kPlacesAt);
static_assert(kWaitersAt + kWaiterRing * kRecordSize <= kWordsAt);
static_assert(kRecordsAt + kRecordSize * static_cast<std::int64_t>(kMaxSlots) <= kHeartbeatsAt);
static_assert(kWordsAt + 8 * static_cast<std::int64_t>(kMaxSlots) <= kRecordsAt);

constexpr std::int64_t word_at(std::uint32_t slot) {
  return kWordsAt + 8 * static_cast<std::int64_t>(slot - 1);
}
constexpr std::int64_t record_at(std::uint32_t slot) {
  return slot == 1 ? kFirstRecordAt
                   : kRecordsAt + kRecordSize * static_cast<std::int64_t>(slot - 1);
}
// One page for each slot: a machine may write a whole page of which another one has written a part.
constexpr std::int64_t heartbeat_at(std::uint32_t slot) {
  return kHeartbeatsAt + 4096 * static_cast<std::int64_t>(slot - 1);
}
constexpr std::int64_t admission_at(std::uint64_t number) {
  return kAdmissionsAt + static_cast<std::int64_t>(number % kMaxRate * sizeof(AdmissionRecord));
}
constexpr std::int64_t waiter_at(std::uint64_t ticket) {
  return kWaitersAt + kRecordSize * static_cast<std::int64_t>(ticket % kWaiterRing);
}
// The word that the waiter sleeps on (os/futex.h): behind its record, in the same 256 bytes.
constexpr std::int64_t bell_at(std::uint64_t ticket) { return waiter_at(ticket) + kRecordSize - 8; }
// Behind that word: shows that other callers could decide when the turn in the record began.
constexpr std::int64_t turn_mark_at(std::uint64_t ticket) { return bell_at(ticket) + 4; }
constexpr std::uint32_t turn_mark(std::int64_t began_boot_ns) {
  return static_cast<std::uint32_t>(began_boot_ns >> 10) | 1;
}
constexpr std::int64_t bell_in_ring(std::uint64_t ticket) { return bell_at(ticket) - kWaitersAt; }

}  // namespace atmost::local

#endif
