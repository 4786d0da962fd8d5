#include "world/process_data.h"

#include <link.h>

#include <cstring>
#include <span>

// world.ld.
extern "C" char process_data_begin[];
extern "C" char process_data_end[];

namespace world {
namespace {

std::span<char> statics() { return {process_data_begin, process_data_end}; }

// The thread-local variables of this program lie below the thread pointer (variant II of Drepper:
// ELF handling for thread-local storage); those of the C library are elsewhere.
std::span<char> thread_locals() {
  static const std::span<char> found = [] {
    std::span<char> result;
    dl_iterate_phdr(
        [](dl_phdr_info* program, std::size_t, void* to) {
          for (int i = 0; i < program->dlpi_phnum; ++i) {
            const auto& part = program->dlpi_phdr[i];
            if (part.p_type != PT_TLS) continue;
            const std::size_t size = (part.p_memsz + part.p_align - 1) & ~(part.p_align - 1);
            char* const end = static_cast<char*>(__builtin_thread_pointer());
            *static_cast<std::span<char>*>(to) = {end - size, end};
          }
          return 1;  // the program comes first; its libraries are left out
        },
        &result);
    return result;
  }();
  return found;
}

}  // namespace

const ProcessData& ProcessData::of_a_start() {
  static const ProcessData start = present();
  return start;
}

ProcessData ProcessData::present() {
  ProcessData result;
  result.take();
  return result;
}

void ProcessData::take() {
  const auto first = statics();
  const auto second = thread_locals();
  bytes_.resize(first.size() + second.size());
  std::memcpy(bytes_.data(), first.data(), first.size());
  std::memcpy(bytes_.data() + first.size(), second.data(), second.size());
}

void ProcessData::put() const {
  const auto first = statics();
  const auto second = thread_locals();
  std::memcpy(first.data(), bytes_.data(), first.size());
  std::memcpy(second.data(), bytes_.data() + first.size(), second.size());
}

}  // namespace world
