#include "places.h"

#include "os/clock.h"
#include "os/file.h"
#include "os/self.h"
#include "queue.h"
#include "slots.h"

namespace atmost::local {
namespace {

// A place of --keep-place. All zeros: none.
struct KeptPlace {
  std::uint64_t ticket;
  std::uint64_t id;  // a hash of the text
  std::uint32_t uid;
  std::uint32_t queue;
  std::int64_t until_boot_ns;
  std::uint64_t boot;
  std::uint64_t reserved[2];
  std::uint64_t checksum;
};
static_assert(sizeof(KeptPlace) == 64 && kPlacesAt + kMostKept * sizeof(KeptPlace) <= kWaitersAt);

struct Places {
  KeptPlace each[kMostKept];
};

// Places that cannot be read are empty.
void read_places(const LockFile& file, Places& to) {
  to = {};
  std::size_t got = 0;
  if (os::read_at(file.fd(), &to, sizeof to, kPlacesAt, got) != 0) to = {};
}

std::uint64_t running_boot(const LockFile& file) {
  return file.identity().boot != 0 ? file.identity().boot : os::boot_hash();
}

bool is_kept(const LockFile& file, const KeptPlace& place) {
  return place.ticket != 0 && place.ticket <= kMaxTicket && place.queue <= kModeQueue &&
         place.checksum == sum_of(place) && place.boot == running_boot(file);
}

KeptPlace owned_by(const Request& request) {
  KeptPlace place = {};
  const std::string_view id = request.id;
  place.id = checksum_of(id.data(), id.size());
  place.uid = os::user_id();
  return place;
}

bool is_same_owner(const KeptPlace& one, const KeptPlace& other) {
  return one.id == other.id && one.uid == other.uid;
}

bool waits_there(const LockFile& file, const KeptPlace& place) {
  return is_ticket_locked(file, place.queue, place.ticket);
}

// The index of the owner's place; kMostKept: none.
std::uint32_t find(const LockFile& file, const Places& all, const KeptPlace& owner) {
  std::uint32_t at = 0;
  while (at < kMostKept && !(is_kept(file, all.each[at]) && is_same_owner(all.each[at], owner)))
    ++at;
  return at;
}

// A place in the table that nobody needs any more.
std::uint32_t find_free(const LockFile& file, const Places& all) {
  const std::int64_t now = os::boot_ns();
  std::uint32_t at = 0;
  for (; at < kMostKept; ++at) {
    const KeptPlace& place = all.each[at];
    if (!is_kept(file, place)) break;
    if (place.until_boot_ns <= now && !waits_there(file, place)) break;
  }
  return at;
}

bool write_place(const LockFile& file, std::uint32_t at, KeptPlace& place) {
  place.checksum = sum_of(place);
  const auto where = kPlacesAt + static_cast<std::int64_t>(at * sizeof place);
  return os::write_at(file.fd(), &place, sizeof place, where) == 0;
}

}  // namespace

bool is_ticket_locked(const LockFile& file, std::uint32_t queue, std::uint64_t ticket) {
  os::Conflict conflict;
  const os::Bytes byte = {queue_start(queue) + static_cast<std::int64_t>(ticket), 1};
  // If the query fails, the waiter counts as waiting.
  return os::query_lock(file.fd(), os::Owner::description, os::LockKind::read, byte, conflict) !=
             0 ||
         conflict.found;
}

std::uint64_t kept_ticket(LockFile& file, const Request& request) {
  Places all;
  read_places(file, all);
  const std::uint32_t at = find(file, all, owned_by(request));
  if (at == kMostKept || all.each[at].until_boot_ns <= os::boot_ns()) return 0;
  return waits_there(file, all.each[at]) ? 0 : all.each[at].ticket;
}

bool keep_place(LockFile& file, const Request& request, std::uint32_t queue, std::uint64_t ticket,
                std::int64_t until_boot_ns) {
  Places all;
  read_places(file, all);
  KeptPlace place = owned_by(request);
  std::uint32_t at = find(file, all, place);
  const bool other = at < kMostKept && all.each[at].ticket != ticket;
  if (other && waits_there(file, all.each[at])) return false;
  if (at == kMostKept) at = find_free(file, all);
  if (at == kMostKept) return false;
  place.ticket = ticket;
  place.queue = queue;
  place.until_boot_ns = until_boot_ns;
  place.boot = running_boot(file);
  return write_place(file, at, place);
}

void refresh_place(LockFile& file, const LockSpec& spec, const Request& request,
                   std::uint64_t ticket) {
  constexpr std::int64_t kMarginNs = 25'000'000'000;
  const std::int64_t keep = keep_of(request).ns;
  const Duration longer = {keep + keep / 4 + kMarginNs};
  (void)keep_place(file, request, queue_of(spec), ticket, plus(os::boot_ns(), longer));
}

void count_places(LockFile& file, std::uint32_t queue, std::uint64_t ticket, KeptPlaceIn& to) {
  to = {1, 1};
  const std::int64_t start = queue_start(queue);
  Run run;
  for (std::int64_t low = start; low < queue_start(queue + 1); low = run.end) {
    if (first_locked(file.fd(), low, queue_start(queue + 1), run, os::LockKind::read) != 0) return;
    if (!run.found) return;
    ++to.all;
    if (rule::is_before(static_cast<std::uint64_t>(run.start - start), ticket)) ++to.place;
  }
}

void drop_place(LockFile& file, const Request& request, std::uint64_t ticket) {
  Places all;
  read_places(file, all);
  const std::uint32_t at = find(file, all, owned_by(request));
  if (at == kMostKept) return;
  const bool own = ticket == 0 ? !waits_there(file, all.each[at]) : all.each[at].ticket == ticket;
  if (!own) return;
  KeptPlace none = {};
  (void)write_place(file, at, none);
}

}  // namespace atmost::local
