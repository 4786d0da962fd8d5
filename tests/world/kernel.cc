#include "world/kernel.h"

#include <stdarg.h>
#include <stdio.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace world {

Kernel* kernel = nullptr;

Kernel::Kernel(const Script& script, Backend& backend, Observer& observer, bool traced)
    : script_(script),
      backend_(backend),
      observer_(observer),
      schedule_(script, static_cast<int>(script.callers.size())),
      keeps_trace_(traced) {
  inodes_.push_back(nullptr);  // numbers begin with 1
  make_file("/", 0755, true);
  make_file("/proc", 0555, true);
}

Kernel::~Kernel() {
  for (const auto& process : processes_) {
    for (void* each : process->rooms) ::operator delete (each, std::align_val_t{64});
  }
}

Process& Kernel::add_process(Program& program) {
  auto made = std::make_unique<Process>();
  made->index = static_cast<int>(processes_.size());
  made->program = &program;
  begin_life(*made);
  processes_.push_back(std::move(made));
  return *processes_.back();
}

Process& Kernel::add_child(Program& program) {
  Process& made = add_process(program);
  made.is_child = true;
  made.state = Process::State::unborn;
  made.pid = 0;
  return made;
}

std::string Kernel::run() {
  kernel = this;
  std::string machinery = backend_.run(*this);
  kernel = nullptr;
  return failed_.empty() ? machinery : failed_;
}

void Kernel::stop(std::string why) {
  if (stopped_.empty()) stopped_ = std::move(why);
}

void Kernel::fail(std::string why) {
  failed_ = std::move(why);
  Process& process = *running_;
  running_ = nullptr;
  backend_.leave(process, nullptr);
  std::abort();
}

void Kernel::trace(const Process& process, const char* format, ...) {
  if (!keeps_trace_) return;
  char text[512];
  int size = snprintf(text, sizeof text, "%.9f p%d ", static_cast<double>(now_ns_ - kBegin) / 1e9,
                      process.index);
  traced_.append(text, static_cast<std::size_t>(size));
  va_list values;
  va_start(values, format);
  size = vsnprintf(text, sizeof text, format, values);
  va_end(values);
  traced_.append(text, std::min(static_cast<std::size_t>(size), sizeof text - 1));
  traced_ += '\n';
}

void* Kernel::room(std::size_t size, std::size_t alignment) {
  if (alignment > 64) fail("the world has no room of such an alignment");
  void* const made = ::operator new (size, std::align_val_t{64});
  running_->rooms.push_back(made);
  return made;
}

Call::Call(const char* name, CallKind kind) : process_(kernel->running()) {
  kernel->enter(process_, name, kind);
  kernel->trace(process_, "%s", name);
}

Call::~Call() {
  const int result = errno;
  kernel->deliver(process_);
  errno = result;
}

int Call::fail(int error) {
  errno = error;
  return -1;
}

}  // namespace world
