// Reading and writing the lock file's hints. Everything read may be stale, torn, zeroed or forged.
// The comment of each function has its behaviour then; none uses it for more than a listing, a
// shortcut that a lock confirms, or a refusal. pread and pwrite only, never a mapping.
#ifndef ATMOST_STORE_LOCAL_HINTS_H
#define ATMOST_STORE_LOCAL_HINTS_H

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/view.h"
#include "layout.h"

namespace atmost::local {

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
// The header alone if it is good; else false, and read_header() finds what is there. A header that
// equals `known`, which the caller wrote to this file, needs no other check; `as_known` is true
// then.
bool read_good_header(int fd, const Identity& identity, const Header& known, Header& header,
                      bool& as_known);
// Fills in magic, version, identity and checksum, then writes. Never allocates space after the
// first time. With `first`, the record of slot 1, too, in the same call.
int write_header(int fd, const Identity& identity, Header& header, Record* first = nullptr);

// Leaves what shows that the file had a header, should that be wiped.
int mark_file(int fd);

// The index, but 0 (absurd) for 0, values below the first slot and values beyond the last.
std::uint64_t plausible_index(std::uint64_t raw);
int write_index(int fd, std::uint64_t index);

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
bool waiter_valid(const WaiterRecord& record);
void view_of(const WaiterRecord& record, const Identity& identity, WaiterView& to);

// Writes this machine's name, cut off where it is too long, and zeros behind it.
void note_host(std::span<char> to);

std::uint64_t checksum_of(const void* bytes, std::size_t size);

}  // namespace atmost::local

#endif
