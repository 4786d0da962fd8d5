#include "wait_gate.h"

#include <pthread.h>

#include <cerrno>
#include <initializer_list>

#include "calls.h"

namespace atmost::os {
namespace {

thread_local WaitGate* gate_of_thread = nullptr;

}  // namespace

int poll_at_gate(struct pollfd* fds, unsigned count, int timeout_ms) {
  WaitGate* gate = gate_of_thread;
  if (gate == nullptr) return kRealCalls.poll(fds, count, timeout_ms);
  const int ready = calls.masked_poll(fds, count, timeout_ms, gate->mask_);
  if (ready < 0 && errno == EINTR) gate->interrupted_ = true;
  return ready;
}

WaitGate::WaitGate(const void* mask) {
  sigset_t all;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
    sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
  mask_ = mask != nullptr ? static_cast<const sigset_t*>(mask) : &before_;
  gate_of_thread = this;
}

WaitGate::~WaitGate() {
  gate_of_thread = nullptr;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void prepare_gates() { calls.poll = poll_at_gate; }

}  // namespace atmost::os
