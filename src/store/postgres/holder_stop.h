// Stopping the holder of a slot: it is asked through its row, and stops itself. If it cannot
// answer, its lease ends.
#ifndef ATMOST_STORE_POSTGRES_HOLDER_STOP_H
#define ATMOST_STORE_POSTGRES_HOLDER_STOP_H

#include <cstdint>
#include <string>

#include "core/holder_stop.h"

namespace atmost::postgres {

class PostgresSession;

// A row of atmost.takeover. If this process dies, the claim ends after two seconds.
class PostgresHolderStop final : public HolderStop {
 public:
  PostgresHolderStop(PostgresSession& session, std::string key, std::uint32_t slot,
                     std::uint64_t hold);
  PostgresHolderStop(const PostgresHolderStop&) = delete;
  PostgresHolderStop& operator=(const PostgresHolderStop&) = delete;

  Result<SignalResult> signal(SignalStep step) override;
  void close() override;

  // Ends the claim. Failures are ignored: it ends by itself.
  void unclaim();

 private:
  ~PostgresHolderStop();

  PostgresSession& session_;
  const std::string key_;
  const std::uint32_t slot_;
  const std::uint64_t hold_;
  // The moment and the answer of the last query, because a taker looks every few milliseconds and
  // the server is not asked as often.
  std::int64_t looked_ns_ = 0;
  std::int64_t looked_level_ = 0;
  SignalResult found_;
};

}  // namespace atmost::postgres

#endif
