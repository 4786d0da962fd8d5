// atmost doctor etcd://…: can locks be kept there, and how does it fare?
#include <time.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "etcd_store.h"
#include "os/clock.h"
#include "store/fleet/findings.h"
#include "words.h"

namespace atmost::etcd {
namespace {

using fleet::Findings;
using fleet::Level;
using fleet::millis;

// The member's clock, as its answers are dated (whole seconds); 0: it does not tell.
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
};

void examine_member(const Access& access, std::size_t index, Findings& findings, Seen& seen) {
  Ledger own;
  Gateway gateway(access, own);
  gateway.pin(index);
  const std::string& name = access.endpoints[index];
  std::optional<StatusReply> reply;
  const std::int64_t before = os::boot_ns();
  const Answer answer =
      gateway.ask("maintenance/status", "{}", plus(before, Duration::seconds(2)), Gateway::Repeat::yes,
                  [&](std::string_view text) { return (reply = parse_status(text)).has_value(); });
  if (answer.kind != Answer::Kind::good) {
    findings.say(Level::doubtful, name + " does not answer: " + answer.text);
    return;
  }
  ++seen.up;
  seen.clusters.insert(reply->header.cluster);
  if (reply->leader != 0) seen.leaders.insert(reply->leader);
  const char* const role = reply->leader == 0               ? ", which knows of no leader"
                           : reply->leader == reply->member ? ", the leader"
                                                            : "";
  findings.say(
      reply->leader == 0 ? Level::doubtful : Level::good,
      name + " is etcd " + reply->version + role + "; answered in " + millis(os::boot_ns() - before));
  if (!reply->errors.empty()) findings.say(Level::doubtful, name + " reports " + reply->errors);
  const std::int64_t date = date_of(gateway);
  const std::int64_t offset = date == 0 ? 0 : date - std::time(nullptr);
  // Dates are whole seconds.
  if (offset < -2 || offset > 2) {
    findings.say(Level::doubtful,
                 name + ": its clock is " + std::to_string(offset) +
                     " s off ours (harmless to locks and intervals, which use no host's clock; "
                     "ages in lists are wrong by as much)");
  }
}

}  // namespace

Result<bool> EtcdStore::diagnose(int fd, bool json) {
  Findings findings(fd, json);
  Seen seen;
  for (std::size_t i = 0; i < access_.endpoints.size(); ++i) examine_member(access_, i, findings, seen);
  if (seen.clusters.size() > 1) findings.say(Level::bad, "the endpoints belong to different clusters");
  if (seen.leaders.size() > 1)
    findings.say(Level::doubtful, "the members do not agree on their leader right now");
  if (access_.endpoints.size() < 3) {
    findings.say(Level::doubtful,
                 "fewer than three endpoints are named: when those are down, so are the locks");
  }
  if (access_.endpoints[0].starts_with("http://")) {
    findings.say(Level::doubtful,
                 "without TLS: whoever can reach etcd or the network between can take and free every lock");
  }
  // A lease, a key under it, read again, and the lease ended: what every caller does.
  Request request;
  const std::int64_t start = os::boot_ns();
  if (Status leased = ensure_lease(request, give_up()); !leased.ok()) {
    findings.say(Level::bad, std::string(leased.error().message.view()));
    return false;
  }
  const std::int64_t granted = os::boot_ns();
  const std::string key = access_.prefix + "/doctor/" + std::to_string(lease_.id());
  Txn put;
  put.created_at(key, 0).put(key, "{}", lease_.id());
  TxnReply reply;
  Answer answer;
  const bool written = write(put, give_up(), reply, answer) == Applied::yes;
  const std::int64_t wrote = os::boot_ns();
  Txn look;
  look.range(key);
  Result<TxnReply> back = read(look, give_up());
  const std::int64_t looked = os::boot_ns();
  lease_.end(gateway_, give_up());
  if (!written) {
    findings.say(Level::bad,
                 std::string(failure(answer, "cannot write below " + access_.prefix).message.view()));
  } else if (!back.ok() || back.value().parts[0].keys.size() != 1) {
    findings.say(Level::bad, "what was written below " + access_.prefix + " cannot be read again");
  } else {
    findings.say(Level::good, "may write below " + access_.prefix + ": lease " + millis(granted - start) +
                                  ", write " + millis(wrote - granted) + ", read " + millis(looked - wrote));
    findings.say(Level::good, "a majority of the members is up: locks can be kept here");
  }
  return findings.trusted();
}

}  // namespace atmost::etcd
