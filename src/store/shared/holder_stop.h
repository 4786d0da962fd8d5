// Stopping a holder in a directory that machines share.
#ifndef ATMOST_STORE_SHARED_HOLDER_STOP_H
#define ATMOST_STORE_SHARED_HOLDER_STOP_H

#include <memory>

#include "core/holder_stop.h"
#include "core/owned.h"

namespace atmost::shared {

class SharedSession;

// The holder is asked by a lock beside its slot; if this process dies, the request ends with it.
class SharedHolderStop final : public HolderStop {
 public:
  // Belongs to the jobs, which may outlive us. Only the worker's thread uses `stop`.
  struct Begun {
    Owned<HolderStop> stop;
    Status error;
  };
  SharedHolderStop(SharedSession& session, std::shared_ptr<Begun> begun)
      : session_(session), begun_(std::move(begun)) {}
  SharedHolderStop(const SharedHolderStop&) = delete;
  SharedHolderStop& operator=(const SharedHolderStop&) = delete;

  Result<SignalResult> signal(SignalStep step) override;
  void close() override;

 private:
  ~SharedHolderStop() = default;

  SharedSession& session_;
  const std::shared_ptr<Begun> begun_;
  // A taker looks every few milliseconds, and the server is not asked as often.
  std::int64_t looked_boot_ns_ = 0;
  SignalResult found_;
};

}  // namespace atmost::shared

#endif
