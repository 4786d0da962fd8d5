#include "records.h"

#include <algorithm>

#include "core/lease_time.h"
#include "json_object.h"
#include "os/self.h"

namespace atmost::etcd {
namespace {

// False when the field is missing or of another kind.
template <class Number>
bool number(const Json& from, const char* name, Number& to) {
  const auto found = from.find(name);
  if (found == from.end() || !found->is_number_integer()) return false;
  if constexpr (std::is_unsigned_v<Number>) {
    if (!found->is_number_unsigned() ||
        found->get<std::uint64_t>() > std::numeric_limits<Number>::max())
      return false;
  }
  to = found->get<Number>();
  return true;
}

bool text(const Json& from, const char* name, std::string& to) {
  const auto found = from.find(name);
  if (found == from.end() || !found->is_string()) return false;
  to = found->get<std::string>();
  return true;
}

bool flag(const Json& from, const char* name, bool& to) {
  const auto found = from.find(name);
  if (found == from.end() || !found->is_boolean()) return false;
  to = found->get<bool>();
  return true;
}

bool read_rate(const Json& from, Rate& to) {
  if (!from.is_array() || from.size() != 2 || !from[0].is_number_unsigned() ||
      !from[1].is_number_integer() || from[0].get<std::uint64_t>() > kMaxRate)
    return false;
  to = {from[0].get<std::uint32_t>(), {from[1].get<std::int64_t>()}};
  return to.window.ns >= 0;
}

bool read_turn(const Json& from, Turn& to) {
  if (!from.is_array() || from.size() != 2 || !from[0].is_number_unsigned() ||
      !from[1].is_number_integer())
    return false;
  to = {from[0].get<std::uint64_t>(), from[1].get<std::int64_t>()};
  return true;
}

std::string write(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string Record::text() const {
  return write(Json{{"max", max},
                    {"take", take},
                    {"mode", static_cast<unsigned>(mode)},
                    {"joins", joins},
                    {"rate", Json::array({rate.count, rate.window.ns})},
                    {"host", host},
                    {"pid", pid},
                    {"uid", uid},
                    {"start", real_ns},
                    {"boot_ns", boot_ns},
                    {"boot", boot},
                    {"expire", expire_ns},
                    {"ttl", ttl_ns},
                    {"id", id},
                    {"command", command},
                    {"parked", parked},
                    {"turn", Json::array({turn.place, turn.boot_ns})}});
}

Stamp Record::start(std::uint64_t boot_here) const {
  return {real_ns, boot_ns, boot != 0 && boot == boot_here, true};
}

Record own_record(const Request& request, const LockSpec& lock, const Instant& now) {
  Record record;
  record.max = lock.max;
  record.take = lock.take;
  record.mode = lock.mode;
  record.joins = request.on_busy == OnBusy::join;
  if (request.on_too_soon == OnTooSoon::wait && !request.now_given) record.rate = request.rate;
  record.host = os::host_name().view();
  record.pid = os::process_id();
  record.uid = os::user_id();
  record.real_ns = now.real_ns;
  record.boot_ns = now.boot_ns;
  record.boot = now.given ? 0 : os::boot_hash();
  record.expire_ns = request.expire_after.ns;
  record.ttl_ns = std::max(request.ttl, shortest_ttl({})).ns;
  record.id = request.id.view();
  record.command = request.command.view();
  return record;
}

std::optional<Record> parse_record(std::string_view from) {
  const std::optional<Json> json = json_object(from);
  Record to;
  unsigned mode = 0;
  const bool good = json && json->contains("rate") && json->contains("turn") &&
                    number(*json, "max", to.max) && number(*json, "take", to.take) &&
                    number(*json, "mode", mode) && mode <= 2 && flag(*json, "joins", to.joins) &&
                    text(*json, "host", to.host) && number(*json, "pid", to.pid) &&
                    number(*json, "uid", to.uid) && number(*json, "start", to.real_ns) &&
                    number(*json, "boot_ns", to.boot_ns) && number(*json, "boot", to.boot) &&
                    number(*json, "expire", to.expire_ns) && number(*json, "ttl", to.ttl_ns) &&
                    text(*json, "id", to.id) && text(*json, "command", to.command) &&
                    flag(*json, "parked", to.parked);
  if (!good) return std::nullopt;
  to.mode = static_cast<Mode>(mode);
  if (!read_rate((*json)["rate"], to.rate) || !read_turn((*json)["turn"], to.turn))
    return std::nullopt;
  return to;
}

std::string State::text() const {
  return write(Json{{"drained", drained},
                    {"drained_slots", drained_slots},
                    {"refusals", refusals},
                    {"refused_since", refused_since},
                    {"failures", failures},
                    {"forgotten", forgotten}});
}

std::optional<State> parse_state(std::string_view from) {
  const std::optional<Json> json = json_object(from);
  State to;
  const bool good =
      json && flag(*json, "drained", to.drained) && number(*json, "refusals", to.refusals) &&
      number(*json, "refused_since", to.refused_since) && number(*json, "forgotten", to.forgotten);
  if (!good) return std::nullopt;
  // Older versions do not write this field.
  if (json->contains("failures") && !number(*json, "failures", to.failures)) return std::nullopt;
  const auto slots = json->find("drained_slots");
  if (slots == json->end() || !slots->is_array()) return std::nullopt;
  std::uint64_t before = 0;
  for (const Json& each : *slots) {
    const std::uint64_t slot = each.is_number_unsigned() ? each.get<std::uint64_t>() : 0;
    if (slot <= before || slot > kMaxSlots) return std::nullopt;
    to.drained_slots.push_back(static_cast<std::uint32_t>(slot));
    before = slot;
  }
  return to;
}

std::string moment_text(const Instant& now, std::uint64_t boot) {
  return write(Json{{"real", now.real_ns},
                    {"boot_ns", now.boot_ns},
                    {"boot", now.given ? 0 : boot},
                    {"place", now.given ? 0 : own_place()}});
}

std::uint64_t place_of_moment(std::string_view from) {
  const std::optional<Json> json = json_object(from);
  std::uint64_t place = 0;
  return json && number(*json, "place", place) ? place : 0;
}

std::optional<Stamp> parse_moment(std::string_view from, std::uint64_t boot_here) {
  const std::optional<Json> json = json_object(from);
  Stamp to;
  std::uint64_t boot = 0;
  const bool good = json && number(*json, "real", to.real_ns) &&
                    number(*json, "boot_ns", to.boot_ns) && number(*json, "boot", boot);
  if (!good) return std::nullopt;
  to.same_boot = boot != 0 && boot == boot_here;
  to.known = true;
  return to;
}

std::int64_t Cooled::seen_ago(std::uint64_t place, std::int64_t boot_ns) const {
  for (const Witness& each : witnesses) {
    if (place != 0 && each.place == place) return std::max<std::int64_t>(boot_ns - each.boot_ns, 0);
  }
  return -1;
}

Cooled interval_of(Duration interval) {
  // The shortest and the longest lease that etcd is sure to grant.
  constexpr std::int64_t kShortestS = 5;
  constexpr std::int64_t kLongestS = 9'000'000'000;
  Cooled cooled;
  // Etcd reports the rest of a lease in whole seconds: it must not be 0 while anything of the
  // interval is left.
  cooled.span_s = cooled.lease_s =
      std::clamp(interval.ns / 1'000'000'000 + 3, kShortestS, kLongestS);
  return cooled;
}

std::string Cooled::text() const {
  Json seen = Json::array();
  for (const Witness& each : witnesses)
    seen.push_back(Json{{"place", each.place}, {"boot_ns", each.boot_ns}});
  return write(Json{{"span", span_s}, {"lease", lease_s}, {"before", before_ns}, {"seen", seen}});
}

std::optional<Cooled> parse_cooled(std::string_view from) {
  const std::optional<Json> json = json_object(from);
  Cooled to;
  if (!json || !number(*json, "span", to.span_s) || !number(*json, "lease", to.lease_s) ||
      !number(*json, "before", to.before_ns) || to.span_s <= 0 || to.lease_s <= 0) {
    return std::nullopt;
  }
  const auto seen = json->find("seen");
  if (seen == json->end() || !seen->is_array() || seen->size() > Cooled::kMostWitnesses)
    return std::nullopt;
  for (const Json& each : *seen) {
    Cooled::Witness one;
    if (!each.is_object() || !number(each, "place", one.place) ||
        !number(each, "boot_ns", one.boot_ns))
      return std::nullopt;
    to.witnesses.push_back(one);
  }
  return to;
}

// Includes the host's name: two copies of a virtual machine's memory have the same boot.
std::uint64_t own_place() {
  std::uint64_t mixed = os::boot_hash();
  if (mixed == 0) return 0;
  for (const char c : std::string(os::host_name().view())) {
    mixed = (mixed ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return mixed;
}

std::string Ask::text() const { return write(Json{{"token", token}, {"due_ns", due_ns}}); }

std::optional<Ask> parse_ask(std::string_view from) {
  const std::optional<Json> json = json_object(from);
  Ask to;
  if (!json || !number(*json, "token", to.token) || !number(*json, "due_ns", to.due_ns))
    return std::nullopt;
  return to;
}

}  // namespace atmost::etcd
