#include "other_hosts.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <system_error>
#include <thread>

#include "os/clock.h"
#include "statements.h"

namespace atmost::postgres {
namespace {

constexpr Duration kPatience = Duration::seconds(2);  // for one host
constexpr Duration kEnding = Duration::millis(500);

}  // namespace

// A standby's control file has the timeline of its last checkpoint; a received one may be later.
Statement ask_state() {
  return {
      "SELECT NOT pg_is_in_recovery(), CASE WHEN pg_is_in_recovery() THEN greatest((SELECT "
      "timeline_id FROM pg_control_checkpoint()), (SELECT received_tli FROM pg_stat_wal_receiver)) "
      "ELSE " +
          timeline() + " END::bigint, (SELECT system_identifier::text FROM pg_control_system()), " +
          micros("pg_postmaster_start_time()"),
      {},
      4};
}

HostState read_state(const Rows& rows) {
  rows.expect(1);
  HostState state;
  state.takes_writes = rows.boolean(0, 0);
  state.timeline = rows.integer(0, 1, 1, UINT32_MAX);
  state.cluster = rows.text(0, 2);
  state.started_us = rows.integer(0, 3, 1);
  return state;
}

bool same_server(const HostState& a, const HostState& b) {
  return a.cluster == b.cluster && a.started_us == b.started_us;
}

bool overtakes(const HostState& other, const HostState& ours) {
  if (same_server(other, ours)) return false;
  if (other.takes_writes) return other.timeline >= ours.timeline;
  return other.cluster == ours.cluster && other.timeline > ours.timeline;
}

Address only_host(const Address& address, std::size_t index) {
  Address one = address;
  one.servers = {address.servers[index]};
  one.shown = shown(one.servers);
  return one;
}

HostState ask_host(Connection& connection, std::int64_t deadline) {
  const Statement question[] = {ask_state()};
  connection.open_as_is(deadline);
  return read_state(connection.ask(question, deadline)[0]);
}

HostLook::HostLook(const Address& address, const ClientId& client)
    : address_(address),
      client_(client),
      begun_ns_(os::boot_ns()),
      bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

HostLook::~HostLook() {
  if (bell_ >= 0) close(bell_);
}

// The thread inherits the signal mask of the one that starts it: it must not run our handlers.
std::shared_ptr<HostLook> HostLook::begin(const Address& address, const ClientId& client) {
  std::shared_ptr<HostLook> look(new HostLook(address, client));
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([look] { look->run(); }).detach();
  } catch (const std::system_error&) {
    look = nullptr;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return look;
}

void HostLook::run() {
  for (std::size_t i = 0; i < address_.servers.size(); ++i) {
    const Address one = only_host(address_, i);
    Connection connection(one, client_);
    connection.set_bell(bell_);
    try {
      hosts_.push_back(ask_host(connection, plus(os::boot_ns(), kPatience)));
    } catch (const DatabaseError&) {
      // It cannot be reached, or does not say.
    }
  }
  done_ = true;
}

void HostLook::end() {
  const std::uint64_t one = 1;
  if (write(bell_, &one, sizeof one) < 0) return;
  const std::int64_t until = plus(os::boot_ns(), kEnding);
  while (!done_ && os::boot_ns() < until) os::sleep_until(plus(os::boot_ns(), Duration::millis(1)));
}

}  // namespace atmost::postgres
