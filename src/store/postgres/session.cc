#include "session.h"

#include <algorithm>

#include "attempt.h"
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
  }
  return {};
}

void PostgresSession::close() {
  // Rows left by a transaction that was cut off have this client's id: the next client has another
  // one.
  if (!doubtful_) store_.give_client(std::move(client_));
  delete this;
}

Result<std::uint32_t> PostgresSession::count_refusal(std::uint32_t lock) {
  const Statement statements[] = {
      {"UPDATE atmost.lock SET refusals = least(refusals + 1, 4294967295) WHERE name = $1 "
       "RETURNING refusals",
       {keys_[lock]},
       "UPDATE",
       1}};
  std::uint32_t counted = 0;
  try {
    client_->talk([&](Connection& connection, std::int64_t deadline) {
      const std::vector<Rows> answers = connection.ask(statements, deadline);
      // A lock that admits no caller (N = 0) before its first use has no row: this is its first
      // refusal.
      counted = answers[0].count() == 0
                    ? 1
                    : static_cast<std::uint32_t>(answers[0].integer(0, 0, 1, UINT32_MAX));
    });
  } catch (const DatabaseError& failure) {
    return client_->error_of(failure);
  }
  return counted;
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
