#include "wait_gate.h"

#include <signal.h>

#include <cerrno>
#include <initializer_list>

#include "calls.h"

namespace atmost::os {
namespace {

thread_local WaitGate* gate_of_thread = nullptr;

}  // namespace

int poll_at_gate(struct pollfd* fds, unsigned count, int timeout_ms) {
  WaitGate* gate = gate_of_thread;
  if (gate == nullptr) return calls.bare_poll(fds, count, timeout_ms);
  // The descriptor stays readable and, once noticed, would end every later wait at once.
  constexpr unsigned kMost = 4;
  struct pollfd all[kMost + 1];
  const bool may_end = gate->end_fd_ >= 0 && !gate->interrupted_ && count <= kMost;
  if (may_end) {
    for (unsigned i = 0; i < count; ++i) all[i] = fds[i];
    all[count] = {gate->end_fd_, POLLIN, 0};
  }
  const int ready = may_end ? calls.masked_poll(all, count + 1, timeout_ms, gate->mask_)
                            : calls.masked_poll(fds, count, timeout_ms, gate->mask_);
  if (ready < 0 && errno == EINTR) gate->interrupted_ = true;
  if (!may_end || ready <= 0) return ready;
  if (all[count].revents != 0) {
    gate->interrupted_ = true;
    errno = EINTR;
    return -1;
  }
  for (unsigned i = 0; i < count; ++i) fds[i].revents = all[i].revents;
  return ready;
}

WaitGate::WaitGate(const void* mask, int end_fd) : end_fd_(end_fd) {
  sigset_t all;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
    sigdelset(&all, fault);
  calls.thread_mask(SIG_SETMASK, &all, &before_);
  mask_ = mask != nullptr ? static_cast<const sigset_t*>(mask) : &before_;
  gate_of_thread = this;
}

WaitGate::~WaitGate() {
  gate_of_thread = nullptr;
  calls.thread_mask(SIG_SETMASK, &before_, nullptr);
}

void prepare_gates() { calls.poll = poll_at_gate; }

}  // namespace atmost::os
