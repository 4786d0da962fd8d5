#include "session.h"

#include <algorithm>

#include "edits.h"
#include "holder_stop.h"
#include "learned_runs.h"
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

void PostgresSession::close() {
  Ticket place;
  place.drawn = queued_;
  withdraw(place);
  // Rows left by a transaction that was cut off have this client's id: the next client has another
  // one.
  if (!doubtful_) store_.give_client(std::move(client_));
  delete this;
}

Result<std::uint32_t> PostgresSession::count_refusal(std::uint32_t lock) {
  std::uint32_t count = 0;
  const Status done = edit_row(*client_, {.key = keys_[lock]},
                               [&](rule::State& to) { count = rule::count_refusal(to); });
  return done.ok() ? Result<std::uint32_t>(count) : done.error();
}

Result<std::uint32_t> PostgresSession::count_end(std::uint32_t lock, bool failed) {
  std::uint32_t count = 0;
  const Status done = edit_row(*client_, {.key = keys_[lock]},
                               [&](rule::State& to) { count = rule::count_end(to, failed); });
  return done.ok() ? Result<std::uint32_t>(count) : done.error();
}

bool PostgresSession::learn(std::uint32_t lock, LearnFn how, const RunSample& sample) {
  try {
    return learn_run(*client_, keys_[lock], how, sample);
  } catch (const DatabaseError&) {
    return false;
  }
}

Text<80> PostgresSession::lease_name() const {
  const bool wrote = lease_ != nullptr || queued_ || doubtful_ || !stops_.empty();
  return wrote ? Text<80>(client_->id.owner) : Text<80>();
}

}  // namespace atmost::postgres
