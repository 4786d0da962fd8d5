// What of a lock outlives its holders, and for how long.
//
// The last admission and the last ends are for people, and for --if-elapsed inf of callers that
// come soon; refusals in a row and what was forgotten mean something only beside them. All that
// lies under a lease of a day, or of locks whose names hold anything at all (one for each file,
// say) etcd would fill up. Each caller would have to ask for one of its own: so they share one,
// whose number follows from the prefix and the time of day in steps of ten minutes. A caller whose
// clock is wrong has another one, which is as good.
//
// Intervals have leases of their own; tokens are revisions, and need nothing that is kept.
#include "etcd_store.h"
#include "os/clock.h"
#include "words.h"

namespace atmost::etcd {
namespace {

constexpr std::int64_t kStepS = 600;
constexpr std::int64_t kDayS = 86400;

}  // namespace

std::int64_t EtcdStore::memory_lease() const {
  const std::int64_t step = os::now().real_ns / (kStepS * 1'000'000'000);
  std::uint64_t mixed = 0xcbf29ce484222325;
  for (const char c : access_.prefix + '#' + std::to_string(step)) {
    mixed = (mixed ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return static_cast<std::int64_t>(mixed >> 1 | 1);
}

std::int64_t EtcdStore::lease_of(const State& state) const {
  return state.drained || !state.drained_slots.empty() ? 0 : memory_lease();
}

bool EtcdStore::make_memory(const Answer& answer, std::int64_t give_up_boot_ns) {
  const std::int64_t id = memory_lease();
  if (!lease_is_gone(answer)) return false;
  const std::string body =
      "{\"ID\":\"" + std::to_string(id) + "\",\"TTL\":\"" + std::to_string(kDayS + kStepS) + "\"}";
  const Answer made = gateway_.ask("lease/grant", body, give_up_boot_ns, Gateway::Repeat::yes,
                                   [&](std::string_view text) {
                                     const std::optional<LeaseReply> reply = parse_lease(text);
                                     return reply && reply->id == id && reply->ttl > 0;
                                   });
  const bool there =
      made.kind == Answer::Kind::refused && made.text.find("already exists") != std::string::npos;
  return made.kind == Answer::Kind::good || there;
}

}  // namespace atmost::etcd
