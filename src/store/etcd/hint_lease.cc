#include "hint_lease.h"

#include "os/clock.h"

namespace atmost::etcd {
namespace {

constexpr std::int64_t kStepS = 600;
constexpr std::int64_t kDayS = 86400;

}  // namespace

std::int64_t hint_lease(const std::string& prefix) {
  const std::int64_t step = os::now().real_ns / (kStepS * 1'000'000'000);
  std::uint64_t mixed = 0xcbf29ce484222325;
  for (const char c : prefix + '#' + std::to_string(step)) {
    mixed = (mixed ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return static_cast<std::int64_t>(mixed >> 1 | 1);
}

bool make_hint_lease(Gateway& gateway, std::int64_t give_up_boot_ns) {
  const std::int64_t id = hint_lease(gateway.access().prefix);
  const std::string body =
      "{\"ID\":\"" + std::to_string(id) + "\",\"TTL\":\"" + std::to_string(kDayS + kStepS) + "\"}";
  const Answer made = gateway.ask("lease/grant", body, give_up_boot_ns, Gateway::Repeat::yes,
                                  [&](std::string_view text) {
                                    const std::optional<LeaseReply> reply = parse_lease(text);
                                    return reply && reply->id == id && reply->ttl > 0;
                                  });
  const bool exists =
      made.kind == Answer::Kind::refused && made.text.find("already exists") != std::string::npos;
  return made.kind == Answer::Kind::good || exists;
}

}  // namespace atmost::etcd
