// LocalSession: a refusal without the guard, where there are many slots. Beside thousands of
// holders each call that locks or unlocks a byte walks the list of all locks of the file.
#include "os/byte_lock.h"
#include "os/self.h"
#include "session.h"

namespace atmost::local {
namespace {

// So many words are read at once: a few pages of memory.
constexpr std::uint32_t kAtOnce = 2048;
static_assert(kAtOnce <= WordBuffer::kCapacity);

// True if the answer depends on the slots alone: not on the queue, not on the time, not on what a
// decision without room reads of the holders.
bool slots_decide(const Request& request) {
  const bool busy_is_final = request.on_busy == OnBusy::fail || request.on_busy == OnBusy::skip;
  return busy_is_final && request.locks[0].mode == Mode::plain && request.rate.count == 0 &&
         request.if_elapsed.is_zero() && request.expire_after.is_forever() &&
         !wants_stats(request) && !request.with_flock && !request.foreign_format && !request.across;
}

bool all_live(const LockFile& file, std::uint32_t max, WordBuffer& buffer) {
  for (std::uint32_t first = 1; first <= max; first += kAtOnce) {
    const std::uint32_t left = max - first + 1;
    const std::uint32_t count = left < kAtOnce ? left : kAtOnce;
    if (read_words(file.fd(), first, count, buffer.words) != 0) return false;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!word_lives(buffer.words[i]) || (buffer.words[i].flags & kDrainedFlag) != 0) return false;
    }
  }
  return true;
}

// Asks about two of them, not always the same and half of all apart, so that false words of half
// the slots, side by side, are always noticed. Such a query's walk ends at the queried lock.
bool two_are_held(const LockFile& file, std::uint32_t max) {
  const std::uint32_t first = os::scatter() % max;
  for (const std::uint32_t at : {first, (first + max / 2) % max}) {
    os::Conflict conflict;
    const os::Bytes byte = {slot_byte(at + 1), 1};
    const int error =
        os::query_lock(file.fd(), os::Owner::description, os::LockKind::write, byte, conflict);
    if (error != 0 || !conflict.found) return false;
  }
  return true;
}

// True if every slot up to `max` was held at the moment of the first look at the header. A slot is
// locked before its admission writes the header, and the header before the word. So if the token is
// the same after all words were read as before, each word that lives was written for an admission
// from before; and a word dies before its slot becomes free.
bool was_full(LockFile& file, std::uint32_t max, WordBuffer& buffer) {
  if (!file.refresh().ok() || !file.words_count() || file.header().drained != 0) return false;
  const std::uint64_t token = file.header().token;
  if (!all_live(file, max, buffer) || !two_are_held(file, max) || !file.in_place()) return false;
  return file.refresh().ok() && file.words_count() && file.header().token == token;
}

}  // namespace

bool LocalSession::shows_full() {
  const std::uint32_t max = request_->locks[0].max;
  return request_->lock_count == 1 && slots_decide(*request_) && open_files().ok() &&
         was_full(entry(0).file, max, room_.it.words);
}

}  // namespace atmost::local
