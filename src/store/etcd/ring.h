// --rate: the last admissions of a lock, and when they were by this machine's clock.
//
// The first caller with a rate makes the ring, with the last admission as its first entry; from
// then on every admission adds itself, in the transaction that makes it. An entry is a moment of
// the boot clock of the machine that was admitted, and no clock of two machines is compared: a
// machine can only conclude that another's admission came before the moment when it saw it. So the
// least difference that it ever saw between the two clocks dates all entries of that machine, none
// too early. An entry came before the next one, too.
#ifndef ATMOST_STORE_ETCD_RING_H
#define ATMOST_STORE_ETCD_RING_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/request.h"
#include "core/time.h"

namespace atmost::etcd {

struct Ring {
  struct Entry {
    std::uint64_t place = 0;  // the machine (own_place()); 0: the moment was given by --now
    std::int64_t boot_ns = 0;
    std::int64_t real_us = 0;  // for callers with --now
    // The moment is so much later than boot_ns, when the entry was not written yet: its command
    // starts then, as etcd is slow.
    std::int64_t late_ns = 0;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  // The observer's clock is at most `ahead_ns` ahead of the other's: so it was at `at_boot_ns`.
  struct Meeting {
    std::uint64_t observer = 0;
    std::uint64_t observed = 0;
    std::int64_t ahead_ns = 0;
    std::int64_t at_boot_ns = 0;
  };
  static constexpr std::size_t kMostMeetings = 64;

  // The largest K of all callers: so many entries are kept, and one more, as the newest may be
  // taken back.
  std::uint32_t kept = 1;
  std::int64_t window_ns = 0;     // the longest window of all callers
  bool dropped = false;           // there were older entries
  std::vector<Entry> entries;     // oldest first
  std::vector<Meeting> meetings;  // the latest last

  void add(const Entry& entry, const Rate& rate);
  // Removes an entry that is still the newest. False: it is not.
  bool take_back(const Entry& entry);
  // That entry becomes the newest. False: it is not there any more.
  bool move(const Entry& entry, const Entry& later);
  std::string text() const;
};
std::optional<Ring> parse_ring(std::string_view text);

// The largest drift between two boot clocks in `span_ns`, each of which may be slewed by 0.05 %.
constexpr std::int64_t drift_ns(std::int64_t span_ns) { return span_ns > 0 ? span_ns / 1000 : 0; }

// The admissions of one lock that its caller has seen. Stays the same from look to look, so that a
// process that waits remembers what it has seen.
class Admissions {
 public:
  // Takes the ring as it was read, not later than `seen_boot_ns`. `place`: this machine.
  void see(const Ring& ring, std::uint64_t place, const Instant& now, std::int64_t seen_boot_ns);

  // When each of them was, not before it was, the newest last; and whether there were others
  // before them.
  std::vector<Stamp> stamps() const;
  bool dropped() const { return ring_.dropped && !latest_.empty(); }
  // Until when the rate allows no admission; 0: it does now.
  std::int64_t due_boot_ns(const Rate& rate, const Instant& now) const;

  // The ring with one more admission, ours, and this machine's bounds of the others' clocks.
  Ring with_ours(const Rate& rate) const;
  // True if later callers of this machine would learn something from known().
  bool has_news() const { return news_; }
  Ring known(const Rate& rate) const;

 private:
  void meet(std::uint64_t other, std::int64_t boot_ns, std::int64_t seen_boot_ns);
  void bring_back(const Instant& now);
  std::int64_t ahead_of(std::uint64_t other, std::int64_t now_boot_ns) const;

  Ring ring_;
  Instant now_;
  std::uint64_t place_ = 0;
  std::vector<Ring::Meeting> met_;    // ours
  std::vector<std::int64_t> latest_;  // for each entry, the moment by our boot clock
  std::int64_t newest_ = 0;           // the last of them, which may be later than our own moment
  bool news_ = false;
};

}  // namespace atmost::etcd

#endif
