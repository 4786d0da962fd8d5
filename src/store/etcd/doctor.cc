// atmost doctor etcd://…: tests if locks can be kept there, and shows the condition of the store.
#include <time.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <utility>
#include <vector>

#include "core/lease_time.h"
#include "diagnosis/findings.h"
#include "gateway.h"
#include "os/clock.h"
#include "own_lease.h"
#include "store.h"

namespace atmost::etcd {
namespace {

using diagnosis::Findings;
using diagnosis::Level;
using diagnosis::millis;

// The member's clock, as its answers are dated (whole seconds); 0: they have no date.
std::int64_t date_of(Gateway& gateway) {
  std::tm parts = {};
  const std::string date = gateway.date(plus(os::boot_ns(), Duration::seconds(2)));
  const char* const end = strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return end != nullptr && *end == '\0' ? timegm(&parts) : 0;
}

struct Seen {
  std::size_t up = 0;
  std::set<std::uint64_t> leaders;
  std::set<std::uint64_t> clusters;
  std::int64_t furthest_s = 0;  // of the known clocks, from ours
  bool dated = false;
  std::vector<std::pair<std::string, std::string>> versions;  // of members by name
};

void examine_clock(Gateway& gateway, const std::string& name, Findings& findings, Seen& seen) {
  findings.about("clock");
  constexpr std::int64_t kTolerated = 2;  // dates are whole seconds
  const std::int64_t date = date_of(gateway);
  if (date == 0) return;
  const std::int64_t offset = date - std::time(nullptr);
  seen.dated = true;
  seen.furthest_s = std::max(seen.furthest_s, offset < 0 ? -offset : offset);
  if (offset >= -kTolerated && offset <= kTolerated) return;
  findings.say(Level::doubtful,
               name + ": its clock is " + std::to_string(offset) +
                   " s off ours (harmless to locks and intervals, which use no host's clock; "
                   "ages in lists are wrong by as much)");
}

void examine_member(const Access& access, std::size_t index, Findings& findings, Seen& seen) {
  findings.about("member");
  ClusterHistory own;
  Gateway gateway(access, own);
  gateway.pin(index);
  const std::string& name = access.endpoints[index];
  std::optional<StatusReply> reply;
  const std::int64_t before = os::boot_ns();
  const Answer answer = gateway.ask(
      "maintenance/status", "{}", plus(before, Duration::seconds(2)), Gateway::Repeat::yes,
      [&](std::string_view text) { return (reply = parse_status(text)).has_value(); });
  if (answer.kind != Answer::Kind::good) {
    findings.say(Level::doubtful, name + " does not answer: " + answer.text);
    return;
  }
  ++seen.up;
  seen.versions.emplace_back(name, reply->version);
  seen.clusters.insert(reply->header.cluster);
  if (reply->leader != 0) seen.leaders.insert(reply->leader);
  const char* const role = reply->leader == 0               ? ", which knows of no leader"
                           : reply->leader == reply->member ? ", the leader"
                                                            : "";
  findings.say(reply->leader == 0 ? Level::doubtful : Level::good,
               name + " is etcd " + reply->version + role + "; answered in " +
                   millis(os::boot_ns() - before));
  if (!reply->errors.empty()) findings.say(Level::doubtful, name + " reports " + reply->errors);
  examine_clock(gateway, name, findings, seen);
}

// A lease that ends although it is renewed lets a second job run beside the first.
void judge_versions(const Seen& seen, Findings& findings) {
  findings.about("version");
  for (const auto& [name, version] : seen.versions) {
    const Leases leases = leases_of(version);
    if (leases == Leases::kept) continue;
    findings.say(Level::bad,
                 name + " is etcd " + version +
                     (leases == Leases::unknown
                          ? ", of which it is not known whether it keeps leases that are renewed"
                          : ", which may end leases that are renewed (etcd #15247): two jobs may "
                            "run at once") +
                     "; good are 3.4.31 and later of 3.4, 3.5.13 and later, 3.6");
  }
}

// The number of members of the cluster, by its own count; 0 if no endpoint reports it.
std::size_t count_members(Gateway& gateway, std::int64_t give_up_boot_ns) {
  std::optional<std::size_t> count;
  (void)gateway.ask(
      "cluster/member/list", "{}", give_up_boot_ns, Gateway::Repeat::yes,
      [&](std::string_view text) { return (count = parse_member_count(text)).has_value(); });
  return count.value_or(0);
}

void say_members(std::size_t members, std::size_t named, Findings& findings) {
  findings.about("members");
  if (members == 0) return;
  const std::string has =
      "the cluster has " + std::to_string(members) + (members == 1 ? " member" : " members");
  if (members < 3) {
    findings.say(Level::doubtful, has + ": when one of them is down, so are the locks");
  } else if (named < members) {
    findings.say(Level::doubtful,
                 has + ", and " + std::to_string(named) +
                     " of them are named here: name all, and it does not matter which one is down");
  } else {
    findings.say(Level::good,
                 has + ": " + std::to_string((members - 1) / 2) + " of them may be down");
  }
}

// The store's URL.
std::string shown(const Access& access) {
  std::string url = "etcd://";
  for (const std::string& endpoint : access.endpoints) {
    if (&endpoint != access.endpoints.data()) url += ",";
    url += endpoint.substr(endpoint.find("//") + 2);
  }
  return url + access.prefix;
}

// Without the advice to ask the doctor.
std::string words_of(const Error& error) {
  constexpr std::string_view kAdvice = " (atmost doctor URL)";
  std::string words(error.message.view());
  if (words.ends_with(kAdvice)) words.resize(words.size() - kAdvice.size());
  return words;
}

// Does what every caller does: makes a lease and a key under it, reads the key, and ends the lease.
// `took`: the time of each step, in words.
Status try_everything(Gateway& gateway, std::string& took) {
  Transactions transactions(gateway);
  OwnLease own(gateway.access(), gateway.history());
  const std::string& prefix = gateway.access().prefix;
  const std::int64_t start = os::boot_ns();
  const Duration ttl = std::max(Request().ttl, shortest_ttl({}));
  if (Status leased = own.ensure(gateway, ttl, transactions.give_up()); !leased.ok()) return leased;
  const std::int64_t granted = os::boot_ns();
  const std::string key = prefix + "/doctor/" + std::to_string(own.id());
  Txn put;
  put.created_at(key, 0).put(key, "{}", own.id());
  const Written written = transactions.write(put, transactions.give_up());
  const std::int64_t wrote = os::boot_ns();
  Txn look;
  look.range(key);
  Result<TxnReply> back = transactions.read(look, transactions.give_up());
  const std::int64_t looked = os::boot_ns();
  own.end(gateway, transactions.give_up());
  if (!written.done()) {
    Error error = failure(written.answer, "cannot write below " + prefix);
    if (error.code == Code::not_permitted) {
      error.message
          .append(
              " (its role needs it: etcdctl role grant-permission ROLE --prefix=true readwrite ")
          .append(prefix)
          .append("/)");
    }
    return error;
  }
  if (!back.ok()) return back.error();
  if (back.value().parts[0].keys.size() != 1) {
    return error_of(Code::unavailable, 0,
                    "what was written below " + prefix + " cannot be read again");
  }
  took = "lease " + millis(granted - start) + ", write " + millis(wrote - granted) + ", read " +
         millis(looked - wrote);
  return {};
}

void examine_cluster(const Access& access, Gateway& gateway, Findings& findings, Seen& seen) {
  const std::size_t named = access.endpoints.size();
  for (std::size_t i = 0; i < named; ++i) examine_member(access, i, findings, seen);
  findings.about("clock");
  if (seen.dated && seen.furthest_s <= 2)
    findings.say(Level::good, "their clocks agree with ours, to 2 s");
  findings.about("cluster");
  if (seen.clusters.size() > 1)
    findings.say(Level::bad, "the endpoints belong to different clusters");
  findings.about("leader");
  if (seen.leaders.size() > 1)
    findings.say(Level::doubtful, "the members do not agree on their leader right now");
  findings.about("tls");
  if (access.endpoints[0].starts_with("http://")) {
    findings.say(Level::doubtful,
                 "without TLS: anyone with access to etcd or the network between can take and free "
                 "every lock");
  }
  findings.about("majority");
  if (seen.up == 0) {
    findings.say(Level::bad, "no member answers: locks cannot be kept here");
    return;
  }
  const std::size_t members = count_members(gateway, Transactions(gateway).give_up());
  say_members(members, named, findings);
  findings.about("write");
  std::string took;
  if (const Status tried = try_everything(gateway, took); !tried.ok()) {
    findings.say(Level::bad, words_of(tried.error()), tried.error().code);
    const bool too_few = seen.up * 2 <= std::max(members, named);
    if (tried.error().code == Code::unavailable && too_few) {
      findings.about("majority");
      findings.say(Level::bad, "locks cannot be kept here: " + std::to_string(seen.up) + " of " +
                                   std::to_string(named) +
                                   " members answer, and more than half have to");
    }
    return;
  }
  findings.say(Level::good, "may write below " + access.prefix + ": " + took);
  findings.about("majority");
  findings.say(Level::good, "a majority of the members is up: locks can be kept here");
}

}  // namespace

Result<Code> diagnose(std::string_view url, int fd, bool json) {
  const Result<Access> opened = read_access(url);
  if (!opened.ok()) return opened.error();
  const Access& access = opened.value();
  ClusterHistory history;
  Gateway gateway(access, history);
  Findings findings(fd, json, shown(access));
  Seen seen;
  examine_cluster(access, gateway, findings, seen);
  judge_versions(seen, findings);
  return findings.verdict();
}

}  // namespace atmost::etcd
