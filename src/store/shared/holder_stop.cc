#include "holder_stop.h"

#include "directory.h"
#include "os/clock.h"
#include "session.h"

namespace atmost::shared {
namespace {

constexpr Duration kLookAgain = Duration::millis(50);

}  // namespace

Result<SignalResult> SharedHolderStop::signal(SignalStep step) {
  const std::int64_t now = os::boot_ns();
  if (step == SignalStep::look && now < plus(looked_boot_ns_, kLookAgain)) return found_;
  struct Answer {
    Result<SignalResult> it{std::in_place};
  };
  const auto answer = std::make_shared<Answer>();
  const auto job = [core = session_.core_, begun = begun_, answer, step] {
    answer->it = begun->stop->signal(step);
  };
  if (session_.worker_.run(job, plus(now, kPatience)) != Worker::Ran::done)
    return silent(session_.core_->directory);
  if (!answer->it.ok()) return answer->it.error();
  looked_boot_ns_ = os::boot_ns();
  found_ = answer->it.value();
  found_.signalled = 0;
  return answer->it.value();
}

void SharedHolderStop::close() {
  (void)session_.worker_.run(
      [core = session_.core_, begun = begun_] { begun->stop = Owned<HolderStop>(); },
      plus(os::boot_ns(), kPatience));
  delete this;
}

}  // namespace atmost::shared
