// Reading and writing the lock file's hints. Everything read may be stale, torn, zeroed or forged.
// The comment of each function has its behaviour then; none uses it for more than a listing, a
// shortcut that a lock confirms, or a refusal. pread and pwrite only, never a mapping.
#ifndef ATMOST_STORE_LOCAL_HINTS_H
#define ATMOST_STORE_LOCAL_HINTS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/result.h"
#include "core/view.h"
#include "layout.h"

namespace atmost::local {

class LockFile;

// The running boot and the file's identity: hints of another boot or of a copied file do not apply.
struct Identity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t boot = 0;
  // Several machines use the file, over a network. A device's number then means nothing, and no
  // word does: no kernel clears those of another machine.
  bool across = false;
};

enum class HeaderState : std::uint8_t {
  fresh,  // no header yet: an empty file, or one that only the original exectimes has used
  // Checksum holds, this file: stamps and counters count; words count if header.boot is this boot.
  good,
  // Checksum holds, but it was written to another file: only the stamps and the token count
  copied,
  // Our magic, wrong checksum; or no magic, although other hints show that there was one: the last
  // admission is unknown and counts as just now
  damaged,
  newer,  // a later format
  alien,  // not a lock file: it has data where neither atmost nor the original writes
};

// Reads index and header in one call. `index` is raw. Returns 0 or an errno value.
int read_header(int fd, const Identity& identity, std::uint64_t& index, Header& header,
                HeaderState& state);
// Fills in magic, version, identity and checksum, then writes. Never allocates space after the
// first time. With `first`, the record of slot 1, too, in the same call.
int write_header(int fd, const Identity& identity, Header& header, Record* first = nullptr);

// The index, but 0 (absurd) for 0, values below the first slot and values beyond the last.
std::uint64_t plausible_index(std::uint64_t raw);

Stamp stamp_of(const StampData& data, const Identity& identity);
StampData data_of(const Instant& at, const Identity& identity);
StampData as_data(const Stamp& at, const Identity& identity);

// Words of slots first…first + count − 1; words behind the end of the file read as zero.
int read_words(int fd, std::uint32_t first, std::uint32_t count, Word* to);
// Writes the occupancy half only; the flags stay.
int write_word(int fd, std::uint32_t slot, std::uint32_t thread);
int write_flags(int fd, std::uint32_t slot, std::uint32_t flags);
// Clears the occupancy of all words; the flags stay. For words that were written in another boot or
// to another file.
int clear_words(int fd);
bool word_lives(const Word& word);

int write_record(int fd, Record& record);
// False when the record is absent, torn, or belongs to another slot.
bool read_record(int fd, std::uint32_t slot, Record& to);
// Copies a record's text into a view; sizes are clamped, `start` counts only for this boot.
void view_of(const Record& record, const Identity& identity, HolderView& to);

int write_waiter(int fd, WaiterRecord& record);
// The record in the place of the waiter that drew `ticket` (the places are a ring: compare
// record.ticket); false when it is absent or torn.
bool read_waiter(int fd, std::uint64_t ticket, WaiterRecord& to);
void view_of(const WaiterRecord& record, const Identity& identity, WaiterView& to);

// The moments of the last admissions, for --rate: a ring in the lock file. The first admission of a
// caller with a rate makes it, with the last admission before as its first entry; from then on each
// admission is recorded, whoever's. Failures never make an admission look older than it is.
// Entry `number`; not known: it is torn. REQUIRES: guarded.
Stamp admission_of(const LockFile& file, std::uint64_t number);
// Writes entry `number`. It is valid as soon as the header counts it, which is saved next.
// REQUIRES: guarded.
Status append_admission(const LockFile& file, std::uint64_t number, const Stamp& at);
// Writes entries that the rule mends. REQUIRES: guarded.
void mend_admissions(const LockFile& file, const Instant& now);

// Writes the `number`th heartbeat of the hold `token` of `slot`, in a file that several machines
// use, and returns when the server has it on its disk: 0. An errno value: it is not known to have
// it; EIO: the server has freed the locks of `fd`, the descriptor that holds the slot. Blocks as
// long as the server does.
int beat(int fd, std::uint32_t slot, std::uint64_t token, std::uint64_t number);

// Writes this machine's name, cut off where it is too long, and zeros behind it.
void note_host(std::span<char> to);

std::uint64_t checksum_of(const void* bytes, std::size_t size);
// Of a record, up to its checksum.
template <class T>
std::uint64_t sum_of(const T& from) {
  return checksum_of(&from, sizeof from - sizeof from.checksum);
}

// Copies as much as there is room for, and returns how much.
template <std::size_t N>
std::uint8_t copy_text(std::string_view from, char (&to)[N]) {
  return static_cast<std::uint8_t>(from.copy(to, N));
}

}  // namespace atmost::local

#endif
