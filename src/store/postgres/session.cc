#include "session.h"

#include <algorithm>

#include "holder_stop.h"
#include "lease.h"
#include "store.h"

namespace atmost::postgres {

PostgresSession::PostgresSession(PostgresStore& store, const Request& request,
                                 std::unique_ptr<Client> client)
    : store_(store), request_(request), client_(std::move(client)) {}

PostgresSession::~PostgresSession() = default;

Status PostgresSession::prepare() {
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) {
    Result<std::string> key = key_of(request_.locks[i]);
    if (!key.ok()) return key.error();
    if (std::find(keys_.begin(), keys_.end(), key.value()) != keys_.end()) {
      Error twice = error_of(Code::usage, 0, request_.locks[i].name);
      twice.message.append(": the same lock twice: leave one of them out");
      return twice;
    }
    keys_.push_back(std::move(key.value()));
    locks_.push_back(std::make_unique<LockFacts>(i, keys_.back()));
    facts_.push_back(locks_.back().get());
  }
  std::sort(locks_.begin(), locks_.end(),
            [](const auto& a, const auto& b) { return a->key < b->key; });
  return {};
}

void PostgresSession::end(const End& what) {
  if (what.of == End::Of::place) return give_up_place(*what.ticket);
  if (what.of == End::Of::hold) return release(what.ending, what.now);
  Ticket place;
  if (queued_) give_up_place(place);
  // Rows left by a transaction that was cut off have this client's id: the next client has another
  // one.
  if (!doubtful_) store_.give_client(std::move(client_));
  delete this;
}

Upkeep PostgresSession::upkeep(About, std::uint32_t) const {
  Upkeep known;
  if (lease_ != nullptr) known = lease_->upkeep();
  if (known.asked_to_stop) known.contest = Contest::for_its_place;
  known.left_until_boot_ns = left_until_ns_;
  const bool wrote = lease_ != nullptr || queued_ || doubtful_ || !stops_.empty();
  if (wrote) known.name.assign(client_->id.owner);
  return known;
}

void PostgresSession::release(Ending ending, const Instant& now) {
  const std::unique_ptr<HeldLease> lease = std::move(lease_);
  left_until_ns_ = lease->release(ending, now);
}

}  // namespace atmost::postgres
