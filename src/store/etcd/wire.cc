#include "wire.h"

#include <array>
#include <charconv>

#include "json_object.h"

namespace atmost::etcd {
namespace {

// Etcd grants no longer lease, in seconds.
constexpr std::int64_t kLongestLease = 9'000'000'000;

// A number as the gateway writes it. False when it is there and malformed; `to` keeps its value
// when it is not there.
template <class Number>
bool number(const Json& from, const char* name, Number& to) {
  const auto found = from.find(name);
  if (found == from.end()) return true;
  if (!found->is_string()) return false;
  const std::string& text = found->get_ref<const std::string&>();
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, to);
  return error == std::errc() && stopped == end && !text.empty();
}

bool flag(const Json& from, const char* name, bool& to) {
  const auto found = from.find(name);
  if (found == from.end()) return true;
  if (!found->is_boolean()) return false;
  to = found->get<bool>();
  return true;
}

bool bytes(const Json& from, const char* name, std::string& to) {
  const auto found = from.find(name);
  if (found == from.end()) return true;
  if (!found->is_string()) return false;
  std::optional<std::string> decoded = from_base64(found->get_ref<const std::string&>());
  if (!decoded) return false;
  to = std::move(*decoded);
  return true;
}

bool header(const Json& from, Header& to) {
  const auto found = from.find("header");
  return found != from.end() && found->is_object() && number(*found, "cluster_id", to.cluster) &&
         number(*found, "revision", to.revision) && to.cluster != 0 && to.revision != 0;
}

bool key_value(const Json& from, std::uint64_t revision, KeyValue& to) {
  return from.is_object() && bytes(from, "key", to.key) && !to.key.empty() &&
         bytes(from, "value", to.value) && number(from, "create_revision", to.created) &&
         number(from, "mod_revision", to.modified) && number(from, "lease", to.lease) &&
         to.lease >= 0 && to.modified != 0 && to.modified >= to.created && to.modified <= revision;
}

bool range_reply(const Json& from, const TxnPart& asked, std::uint64_t revision, PartReply& to) {
  std::uint64_t& count = to.count;
  if (!number(from, "count", count) || !flag(from, "more", to.more)) return false;
  const auto found = from.find("kvs");
  if (found != from.end()) {
    if (!found->is_array()) return false;
    for (const Json& each : *found) {
      KeyValue key;
      if (!key_value(each, revision, key) || key.created == 0 || !asked.holds(key.key))
        return false;
      to.keys.push_back(std::move(key));
    }
  }
  switch (asked.part) {
    case Part::range:
      return !to.more && count == to.keys.size();
    case Part::limited_range:
      return to.more ? count > to.keys.size() && !to.keys.empty() : count == to.keys.size();
    default:
      return count >= to.keys.size();
  }
}

bool part_reply(const Json& from, const TxnPart& asked, std::uint64_t revision, PartReply& to) {
  if (!from.is_object() || from.size() != 1) return false;
  const Part part = asked.part;
  const char* const name = part == Part::put     ? "response_put"
                           : part == Part::erase ? "response_delete_range"
                                                 : "response_range";
  const auto found = from.find(name);
  if (found == from.end() || !found->is_object()) return false;
  const auto own_header = found->find("header");
  if (own_header == found->end() || !own_header->is_object()) return false;
  if (part == Part::put) return true;
  if (part == Part::erase) return number(*found, "deleted", to.erased);
  return range_reply(*found, asked, revision, to);
}

bool watch_event(const Json& from, std::uint64_t revision, WatchReply::Event& to) {
  if (!from.is_object()) return false;
  const auto type = from.find("type");  // left out for a put, which is zero
  if (type != from.end() && (!type->is_string() || (*type != "DELETE" && *type != "PUT")))
    return false;
  to.erased = type != from.end() && *type == "DELETE";
  const auto key = from.find("kv");
  return key != from.end() && key_value(*key, revision, to.key);
}

}  // namespace

std::string quoted(std::string_view text) {
  return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<TxnReply> parse_txn(std::string_view text, const std::vector<TxnPart>& if_so,
                                  const std::vector<TxnPart>& otherwise) {
  const std::optional<Json> json = json_object(text);
  TxnReply reply;
  if (!json || !header(*json, reply.header) || !flag(*json, "succeeded", reply.succeeded))
    return std::nullopt;
  const auto parts = json->find("responses");
  const bool any = parts != json->end();
  if (any && !parts->is_array()) return std::nullopt;
  const std::vector<TxnPart>& asked = reply.succeeded ? if_so : otherwise;
  if ((any ? parts->size() : 0) != asked.size()) return std::nullopt;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    PartReply part;
    if (!part_reply((*parts)[i], asked[i], reply.header.revision, part)) return std::nullopt;
    reply.parts.push_back(std::move(part));
  }
  return reply;
}

std::optional<LeaseReply> parse_lease(std::string_view text) {
  std::optional<Json> json = json_object(text);
  if (!json) return std::nullopt;
  const auto wrapped = json->find("result");
  if (wrapped != json->end()) {
    if (!wrapped->is_object()) return std::nullopt;
    json = Json(*wrapped);
  }
  LeaseReply reply;
  reply.ttl = kAbsentTtl;
  const bool good = header(*json, reply.header) && number(*json, "ID", reply.id) && reply.id > 0 &&
                    number(*json, "TTL", reply.ttl) && number(*json, "grantedTTL", reply.granted);
  if (!good || reply.ttl > kLongestLease || reply.granted > kLongestLease) return std::nullopt;
  // For a lease that has ended, the answer has only the TTL; if it is about to end, ask again.
  const bool over = reply.ttl < 0 && json->contains("TTL");
  if (over && (reply.ttl != -1 || json->contains("grantedTTL"))) return std::nullopt;
  return reply;
}

std::optional<WatchReply> parse_watch(std::string_view line, std::string& error) {
  const std::optional<Json> json = json_object(line);
  if (!json) return std::nullopt;
  const auto failed = json->find("error");
  if (failed != json->end()) {
    error = error_words(line);
    return std::nullopt;
  }
  const auto result = json->find("result");
  WatchReply reply;
  if (result == json->end() || !result->is_object() || !header(*result, reply.header) ||
      !flag(*result, "created", reply.created) || !flag(*result, "canceled", reply.canceled)) {
    return std::nullopt;
  }
  const auto events = result->find("events");
  if (events == result->end()) return reply;
  if (!events->is_array()) return std::nullopt;
  for (const Json& each : *events) {
    WatchReply::Event event;
    if (!watch_event(each, reply.header.revision, event)) return std::nullopt;
    reply.events.push_back(std::move(event));
  }
  return reply;
}

std::string error_words(std::string_view text) {
  const std::optional<Json> json = json_object(text);
  if (!json) return {};
  for (const char* name : {"message", "error"}) {
    const auto found = json->find(name);
    if (found == json->end()) continue;
    if (found->is_string()) return found->get<std::string>();
    if (!found->is_object()) continue;
    const auto inner = found->find("message");
    if (inner != found->end() && inner->is_string()) return inner->get<std::string>();
  }
  return {};
}

std::optional<StatusReply> parse_status(std::string_view text) {
  const std::optional<Json> json = json_object(text);
  StatusReply reply;
  if (!json || !header(*json, reply.header) || !number(*json, "leader", reply.leader))
    return std::nullopt;
  const auto version = json->find("version");
  if (version == json->end() || !version->is_string()) return std::nullopt;
  reply.version = version->get<std::string>();
  const auto errors = json->find("errors");
  if (errors != json->end() && !errors->is_array()) return std::nullopt;
  for (std::size_t i = 0; errors != json->end() && i < errors->size(); ++i) {
    if (!(*errors)[i].is_string()) return std::nullopt;
    reply.errors += (i > 0 ? "; " : "") + (*errors)[i].get<std::string>();
  }
  (void)number((*json)["header"], "member_id", reply.member);
  return reply;
}

Leases leases_of(std::string_view version) {
  std::array<unsigned, 3> parts = {};
  const char* at = version.data();
  const char* const end = at + version.size();
  for (unsigned& part : parts) {
    if (&part != parts.data() && (at == end || *at++ != '.')) return Leases::unknown;
    const auto [stopped, error] = std::from_chars(at, end, part);
    if (error != std::errc{}) return Leases::unknown;
    at = stopped;
  }
  if (at != end && *at != '-' && *at != '+') return Leases::unknown;
  constexpr std::array<std::array<unsigned, 3>, 3> kCured = {{{3, 4, 31}, {3, 5, 13}, {3, 6, 0}}};
  for (const auto& cured : kCured) {
    if (parts[0] == cured[0] && parts[1] == cured[1])
      return parts[2] >= cured[2] ? Leases::kept : Leases::ended_early;
  }
  return parts > kCured.back() ? Leases::kept : Leases::ended_early;
}

std::optional<std::size_t> parse_member_count(std::string_view text) {
  const std::optional<Json> json = json_object(text);
  if (!json) return std::nullopt;
  const auto members = json->find("members");
  if (members == json->end() || !members->is_array() || members->empty()) return std::nullopt;
  return members->size();
}

std::optional<Header> parse_header(std::string_view text) {
  const std::optional<Json> json = json_object(text);
  Header found;
  if (!json || !header(*json, found)) return std::nullopt;
  return found;
}

std::optional<std::string> parse_token(std::string_view text) {
  const std::optional<Json> json = json_object(text);
  if (!json) return std::nullopt;
  const auto token = json->find("token");
  if (token == json->end() || !token->is_string()) return std::nullopt;
  return token->get<std::string>();
}

}  // namespace atmost::etcd
