#include "../watch.h"

#include <cerrno>

#include "../calls.h"

namespace atmost::os {

void Watch::start(const char*) { started_ = true; }

void Watch::rest() { started_ = false; }

void Watch::give_up_if_closed() {}

Noticed Watch::wait(std::int64_t span_ns) {
  if (span_ns > kBlindNs) span_ns = kBlindNs;
  if (span_ns < 0) span_ns = 0;
  const int count = calls.poll(nullptr, 0, static_cast<int>((span_ns + 999'999) / 1'000'000));
  return count < 0 && errno == EINTR ? Noticed::interrupted : Noticed::nothing;
}

void NameWatch::start(const char*) { started_ = true; }

Change NameWatch::wait(std::int64_t span_ns, std::span<const std::string_view>,
                       std::span<const ProcessHandle* const>) {
  if (span_ns > kBlindNs) span_ns = kBlindNs;
  if (span_ns < 0) span_ns = 0;
  const int count = calls.poll(nullptr, 0, static_cast<int>((span_ns + 999'999) / 1'000'000));
  return count < 0 && errno == EINTR ? Change::interrupted : Change::nothing;
}

}  // namespace atmost::os
