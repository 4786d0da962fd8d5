#include "hints.h"

#include <cstring>

#include "os/file.h"
#include "stats_file.h"

namespace atmost::local {
namespace {

bool all_zero(const char* bytes, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    if (bytes[i] != 0) return false;
  }
  return true;
}

bool is_text(const char* bytes, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    const bool blank = bytes[i] >= '\t' && bytes[i] <= '\r';
    if (!blank && (bytes[i] < ' ' || bytes[i] > '~')) return false;
  }
  return true;
}

std::uint64_t device_in(const Identity& identity) { return identity.across ? 0 : identity.device; }

// A reader without the guard may see the mark appear between two reads, but hardly twice.
constexpr int kLooks = 3;

bool is_marked(int fd, std::int64_t at) {
  char mark[sizeof kMagic];
  std::size_t got = 0;
  return os::read_at(fd, mark, sizeof mark, at, got) == 0 && got == sizeof mark &&
         std::memcmp(mark, kMagic, sizeof mark) == 0;
}

// True if other hints show that a file without a header had one. The header is written before every
// other hint, except the index, which is all that the original ever writes.
bool header_was_lost(int fd, std::uint64_t index) {
  if (plausible_index(index) != 0 || is_marked(fd, kMarkAt)) return true;
  LockStats lock_stats;
  if (read_lock_stats(fd, lock_stats)) return true;
  constexpr std::uint32_t kLowest = 16;  // the lowest free slot is taken first
  Record record;
  for (std::uint32_t slot = 1; slot <= kLowest; ++slot) {
    if (read_record(fd, slot, record)) return true;
  }
  return false;
}

// The beginning of the file, as far as the header's end.
struct Beginning {
  char bytes[kHeaderAt + static_cast<std::int64_t>(sizeof(Header))];
  std::size_t size = 0;  // how much of it there is; zeros behind
};

// Without our mark: a file that was not used yet, or another program's.
HeaderState state_unmarked(int fd, const Beginning& from, std::uint64_t& index) {
  // An index that was cut short ends in zeros, and no index reads as text.
  const bool cut = from.size < sizeof index && index != 0 &&
                   (from.bytes[from.size - 1] != 0 || plausible_index(index) == 0);
  const bool text =
      from.size >= sizeof index && plausible_index(index) == 0 && is_text(from.bytes, sizeof index);
  const bool ours = !cut && !text;
  if (from.size < sizeof index) index = 0;
  const bool more = from.size > sizeof index;
  const bool empty =
      ours && (!more || all_zero(from.bytes + sizeof index, from.size - sizeof index));
  if (empty && more && header_was_lost(fd, index)) return HeaderState::damaged;
  return empty ? HeaderState::fresh : HeaderState::alien;
}

}  // namespace

// FNV-1a over 8-byte words with a final mix (constants: Fowler, Noll, Vo). It detects torn and
// wiped data; it does not protect against a forger, and nothing relies on that.
std::uint64_t checksum_of(const void* bytes, std::size_t size) {
  const char* at = static_cast<const char*>(bytes);
  std::uint64_t sum = 0xcbf29ce484222325;
  for (; size >= 8; at += 8, size -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    sum = (sum ^ word) * 0x100000001b3;
    sum ^= sum >> 32;
  }
  for (; size > 0; ++at, --size) sum = (sum ^ static_cast<unsigned char>(*at)) * 0x100000001b3;
  return sum ^ (sum >> 29);
}

int read_header(int fd, const Identity& identity, std::uint64_t& index, Header& header,
                HeaderState& state) {
  for (int look = 1;; ++look) {
    Beginning from;
    if (const int error = os::read_at(fd, from.bytes, sizeof from.bytes, 0, from.size))
      return error;
    std::memset(from.bytes + from.size, 0, sizeof from.bytes - from.size);
    std::memcpy(&index, from.bytes + kIndexAt, sizeof index);
    std::memcpy(&header, from.bytes + kHeaderAt, sizeof header);
    if (std::memcmp(header.magic, kMagic, sizeof kMagic) == 0) break;
    header = {};
    state = state_unmarked(fd, from, index);
    if (state == HeaderState::fresh || look == kLooks || !is_marked(fd, kHeaderAt)) return 0;
  }
  if (header.version > kFormatVersion) {
    state = HeaderState::newer;
  } else if (header.checksum != sum_of(header)) {
    state = HeaderState::damaged;
    header = {};
  } else if (header.device != device_in(identity) || header.inode != identity.inode) {
    state = HeaderState::copied;
  } else {
    state = HeaderState::good;
  }
  return 0;
}

int write_header(int fd, const Identity& identity, Header& header, Record* first) {
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kFormatVersion;
  header.device = device_in(identity);
  header.inode = identity.inode;
  header.boot = identity.boot;
  header.checksum = sum_of(header);
  if (first == nullptr) return os::write_at(fd, &header, sizeof header, kHeaderAt);
  first->checksum = sum_of(*first);
  char both[kFirstRecordAt - kHeaderAt + sizeof(Record)];
  std::memcpy(both, &header, sizeof header);
  std::memset(both + sizeof header, 0, kFirstRecordAt - kHeaderAt - sizeof header);
  std::memcpy(both + (kFirstRecordAt - kHeaderAt), first, sizeof *first);
  return os::write_at(fd, both, sizeof both, kHeaderAt);
}

std::uint64_t plausible_index(std::uint64_t raw) {
  const auto lowest = static_cast<std::uint64_t>(kFirstSlotByte);
  const auto highest = static_cast<std::uint64_t>(slot_byte(kMaxSlots));
  return raw < lowest || raw > highest ? 0 : raw;
}

Stamp stamp_of(const StampData& data, const Identity& identity) {
  if (data.real_ns == 0 && data.boot_ns == 0) return {};
  return {data.real_ns, data.boot_ns, data.boot != 0 && data.boot == identity.boot, true};
}

StampData data_of(const Instant& at, const Identity& identity) {
  if (at.given) return {at.real_ns, 0, 0};
  return {at.real_ns, at.boot_ns, identity.boot};
}

StampData as_data(const Stamp& at, const Identity& identity) {
  if (!at.known) return {};
  return at.same_boot ? StampData{at.real_ns, at.boot_ns, identity.boot}
                      : StampData{at.real_ns, 0, 0};
}

int read_words(int fd, std::uint32_t first, std::uint32_t count, Word* to) {
  const std::size_t size = sizeof(Word) * count;
  std::size_t got = 0;
  if (const int error = os::read_at(fd, to, size, word_at(first), got)) return error;
  std::memset(reinterpret_cast<char*>(to) + got, 0, size - got);
  return 0;
}

int write_word(int fd, std::uint32_t slot, std::uint32_t thread) {
  return os::write_at(fd, &thread, sizeof thread, word_at(slot));
}

int write_flags(int fd, std::uint32_t slot, std::uint32_t flags) {
  return os::write_at(fd, &flags, sizeof flags, word_at(slot) + 4);
}

int clear_words(int fd) {
  constexpr std::uint32_t kPiece = 512;
  for (std::uint32_t first = 1; first <= kMaxSlots; first += kPiece) {
    Word words[kPiece] = {};
    std::size_t got = 0;
    if (const int error = os::read_at(fd, words, sizeof words, word_at(first), got)) return error;
    // The file may end within a word
    const std::size_t count = (got + sizeof(Word) - 1) / sizeof(Word);
    bool any = false;
    for (std::size_t i = 0; i < count; ++i) {
      any = any || words[i].thread != 0;
      words[i].thread = 0;
    }
    if (any) {
      if (const int error = os::write_at(fd, words, count * sizeof(Word), word_at(first)))
        return error;
    }
    if (count < kPiece) break;
  }
  return 0;
}

bool word_lives(const Word& word) {
  // The kernel sets FUTEX_OWNER_DIED in the words of a dead process, and clears the thread id
  // (kernel/futex/core.c).
  constexpr std::uint32_t kDied = 0x40000000;
  constexpr std::uint32_t kThread = 0x3fffffff;
  return (word.thread & kThread) != 0 && (word.thread & kDied) == 0;
}

}  // namespace atmost::local
