// etcd's JSON gateway as values: our requests, and the conditions for believing an answer.
//
// Keys and values travel as base64, 64-bit numbers as decimal text; etcd leaves out fields that are
// zero. So an answer that lost a field can look like one with "none". An answer is accepted only if
// it is whole JSON with a header (cluster and revision), as many parts as were asked for and of
// their kinds, and counts that fit the parts. The remaining case (a part with both its keys and
// their count removed) is caught by the server itself: every admission makes it compare the state
// that was decided on (store.h).
#ifndef ATMOST_STORE_ETCD_WIRE_H
#define ATMOST_STORE_ETCD_WIRE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atmost::etcd {

std::string base64(std::string_view bytes);
// Empty for anything but canonical base64 with its padding.
std::optional<std::string> from_base64(std::string_view text);

// The first key behind all keys that begin with `prefix`.
std::string end_of_prefix(std::string prefix);

struct KeyValue {
  std::string key;
  std::string value;
  std::uint64_t created = 0;   // create_revision
  std::uint64_t modified = 0;  // mod_revision
  std::int64_t lease = 0;      // 0: none
};

struct Header {
  std::uint64_t cluster = 0;
  std::uint64_t revision = 0;
};

// The parts of a transaction, in order.
enum class Part : std::uint8_t {
  range,           // all keys of a range
  limited_range,   // the first few
  filtered_range,  // the first few created before or after a revision; the count is that of the
                   // whole range
  put,
  erase,
};

// One requested part. A range's keys have to lie in [from, end), or be `from` if there is no end;
// if both are empty, anywhere.
struct TxnPart {
  TxnPart(Part kind, std::string_view first = {}, std::string_view behind = {})
      : part(kind), from(first), end(behind) {}
  bool holds(std::string_view key) const {
    return end.empty() ? from.empty() || key == from : key >= from && key < end;
  }

  Part part;
  std::string from;
  std::string end;
};

struct PartReply {
  std::vector<KeyValue> keys;  // ranges
  bool more = false;           // limited: there are others
  std::uint64_t count = 0;     // of the whole range
  std::uint64_t erased = 0;
};

struct TxnReply {
  Header header;
  bool succeeded = false;
  std::vector<PartReply> parts;
};

// A transaction in the making: comparisons, operations if all of them hold, and reads if one does
// not.
class Txn {
 public:
  // Compares a key's last change; 0: there is no such key.
  Txn& modified_at(std::string_view key, std::uint64_t revision);
  // Compares its creation; 0: there is no such key.
  Txn& created_at(std::string_view key, std::uint64_t revision);
  // Compares the creation of all keys that begin with `prefix`: none is from `revision` or later.
  Txn& all_created_before(std::string_view prefix, std::uint64_t revision);

  // All reads are of the asked member alone, whose data may be a moment old: no majority is needed.
  // To be called first.
  Txn& of_one_member();
  Txn& range(std::string_view key, std::string_view end = {});
  // The first key of a range, alone.
  Txn& first_key(std::string_view from, std::string_view end);
  // The `limit` oldest ones created at `revision` or later; 0: of all.
  Txn& oldest(std::string_view prefix, std::uint64_t revision, unsigned limit);
  // The `limit` youngest ones created at `revision` or before; 0: of all. Their keys alone.
  Txn& youngest(std::string_view prefix, std::uint64_t revision, unsigned limit);
  Txn& put(std::string_view key, std::string_view value, std::int64_t lease = 0);
  Txn& erase(std::string_view key, std::string_view end = {});

  // Operations added from here on are those if a comparison does not hold.
  Txn& otherwise();

  std::string text() const;
  // The operations if all comparisons hold, and those if not.
  const std::vector<TxnPart>& parts() const { return branches_[0].parts; }
  const std::vector<TxnPart>& other_parts() const { return branches_[1].parts; }

 private:
  struct Comparison {
    std::string_view target, field, result;
    std::uint64_t value;
  };
  void compare(std::string_view key, std::string_view end, const Comparison& what);
  void add(const TxnPart& asked, std::string_view text);
  Txn& add_range(const TxnPart& asked, std::string_view more);

  struct Branch {
    std::string actions;
    std::vector<TxnPart> parts;
  };
  std::string compares_;
  Branch branches_[2];
  std::size_t at_ = 0;
  bool of_one_member_ = false;
};

// Empty if the answer is not to be trusted. `otherwise`: the parts for the case that a comparison
// fails.
std::optional<TxnReply> parse_txn(std::string_view text, const std::vector<TxnPart>& asked,
                                  const std::vector<TxnPart>& otherwise = {});

struct LeaseReply {
  Header header;
  std::int64_t id = 0;
  // Seconds; kAbsentTtl if the answer has none, -1 if there is no lease.
  std::int64_t ttl = 0;
  std::int64_t granted = 0;  // timetolive: the ttl when it was granted
};
inline constexpr std::int64_t kAbsentTtl = -2;
// Answers to grant, keepalive (which comes wrapped in "result"), timetolive.
std::optional<LeaseReply> parse_lease(std::string_view text);

struct WatchReply {
  Header header;
  bool created = false;
  bool canceled = false;
  struct Event {
    bool erased = false;
    KeyValue key;
  };
  std::vector<Event> events;
};
// One line of a watch. `failed`: the line is an error, whose text is in `error`.
std::optional<WatchReply> parse_watch(std::string_view line, std::string& error);

// The text of an error's body, or empty.
std::string error_words(std::string_view text);

// A header; other fields do not matter: revoke, status. `version`, `leader`: of status.
struct StatusReply {
  Header header;
  std::string version;
  std::uint64_t leader = 0;
  std::uint64_t member = 0;
  std::string errors;
};
std::optional<StatusReply> parse_status(std::string_view text);

// etcd #15247: a leader that was stuck, and comes back when another leads, ends leases that were
// renewed at the new leader. Cured in 3.4.31, 3.5.13 and 3.6.0.
enum class Leases : std::uint8_t { kept, ended_early, unknown };

// `version` in a member's notation: "3.4.23", "3.6.0-rc.1". Unknown: it is not of that form.
Leases leases_of(std::string_view version);

// The number of members of a cluster, by the answer to cluster/member/list.
std::optional<std::size_t> parse_member_count(std::string_view text);
std::optional<Header> parse_header(std::string_view text);
// The text in "token".
std::optional<std::string> parse_token(std::string_view text);

std::string quoted(std::string_view text);  // as a JSON string

}  // namespace atmost::etcd

#endif
