// The events that one invocation adds to the history. No failure here stops the job: the first one
// becomes a warning, and later events are not logged.
#ifndef ATMOST_LIMITER_JOURNAL_H
#define ATMOST_LIMITER_JOURNAL_H

#include <span>

#include "core/event.h"
#include "core/limiter.h"
#include "history/log.h"
#include "takeover.h"

namespace atmost::limiter {

// Appends one event to the log at `place`.
using AppendFn = Status (*)(const history::LogPlace& place, const Event& event);

// Single-threaded; borrows everything. About 10 KiB. The log stays open (close-on-exec) while the
// command runs.
class Journal final : public TakeoverLog {
 public:
  // Touches nothing yet. `observer` may be null. `append_event` is called instead of writing a
  // log of the journal's own, unless it is null.
  Journal(const Request& request, const StoreTraits& traits, const Command& command,
          Observer* observer, AppendFn append_event = nullptr);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Call this when the request has changed. Resolves its relative paths now, because the working
  // directory may change before the next event.
  void begin_anew();
  // The user of these events, if it is known; else the system is asked.
  void caller_is(std::uint32_t user) {
    user_ = user;
    user_known_ = true;
  }

  // The caller was refused and leaves. REQUIRES: outcome.kind is refused.
  void denied(const Outcome& outcome);
  // One event for each lock. Remembers what ended() needs, because the lease no longer exists then.
  // `at`: when that was; null: now.
  void admitted(const Lease& lease, Duration waited, const Instant* at = nullptr);
  void limited(std::string_view from, std::string_view to);  // the limit of record, in words
  // The lock was taken over, or lost, while the command ran. Before ended().
  void lost();
  // The command ended, or could not be started (kind failed).
  void ended(const Outcome& outcome);

  // The line about the first lock as ended() would write it; before that, with `lease`, as
  // admitted() would. Also if nothing is logged. Returns its size. REQUIRES: room for
  // history::kMaxLine.
  std::size_t describe(const Outcome& outcome, const Lease* lease, std::span<char> to);
  const history::LogPlace* place() const { return enabled_ ? &place_ : nullptr; }

  void expired(std::uint32_t lock, std::uint32_t slot, const HolderToStop& holder) override;
  void signalled(std::uint32_t lock, std::uint32_t slot, const HolderToStop& holder,
                 const SentSignal& signal) override;
  void unreached(std::uint32_t lock, std::uint32_t slot, const HolderToStop& holder, int signal,
                 std::int64_t pid) override;
  // The signal was refused by a process of our own command.
  void unreached(int signal, std::int64_t pid);

 private:
  bool begin(Event::Kind kind, Event& event, const Instant* at = nullptr);
  void fill_caller(Event::Kind kind, Event& event, const Instant* at);
  void fill_denial(const Outcome& outcome, Event& event);
  static void fill_end(const Outcome& outcome, Event& event);
  void name_hold(std::uint32_t lock, Event& event);
  void name_lock(std::uint32_t lock, Event& event);
  // One event for each lock; bit i of `suspicious` is lock i's.
  void append_each(Event& event, std::uint32_t suspicious = 0);
  void append(const Event& event);
  bool is_a_lock();
  void vanished(std::uint32_t lock, const Vanished& run);

  const Request& request_;
  const StoreTraits& traits_;
  const Command& command_;
  Observer* observer_;
  bool enabled_;
  std::uint64_t tokens_[kMaxLocks] = {};
  std::uint32_t slots_[kMaxLocks] = {};
  std::uint32_t maxima_[kMaxLocks] = {};  // that limits of record gave it; 0: its own
  std::uint32_t user_ = 0;                // ours, asked once for a request
  bool user_known_ = false;
  Text<255> host_;
  AppendFn append_;
  history::Log log_;
  std::uint32_t path_of_ = 0;
  // The large members last, untouched until they are needed.
  history::LogPlace place_;
  struct AbsolutePath {
    AbsolutePath() {}
    union {
      PathText text;
    };
  } path_;  // of the lock that path_of_ counts from 1; made with the first
};

}  // namespace atmost::limiter

#endif
