#include "clocks.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "fleet/job.h"

namespace fleet_kit {

SharedClock::SharedClock(const std::string& path) : path_(path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0 || fchmod(fd, 0644) != 0 || ftruncate(fd, sizeof(long)) != 0) abort();
  void* const page = mmap(nullptr, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED) abort();
  close(fd);
  shift_ = static_cast<volatile long*>(page);
}

SharedClock::~SharedClock() { munmap(const_cast<long*>(shift_), sizeof(long)); }

void SharedClock::enter() const {
  setenv("LD_PRELOAD", beside("libwall_clock.so").c_str(), 1);
  setenv("WALL_CLOCK", path_.c_str(), 1);
}

namespace {

using Bytes = std::vector<unsigned char>;

constexpr unsigned long kShiftBehind =
    0x80;  // where the number lies, from the begin of clock_gettime

// mov eax,NUMBER; syscall
Bytes call(unsigned char number) { return {0xb8, number, 0, 0, 0, 0x0f, 0x05}; }

void append(Bytes& to, const Bytes& more) { to.insert(to.end(), more.begin(), more.end()); }

// mov rcx,[rip + ...]: the number, seen from this instruction.
void load_shift(Bytes& code, unsigned long at, unsigned long shift_at) {
  const auto distance = static_cast<std::int32_t>(shift_at - (at + code.size() + 7));
  append(code, {0x48, 0x8b, 0x0d, 0, 0, 0, 0});
  memcpy(&code[code.size() - 4], &distance, 4);
}

Bytes clock_gettime_code(unsigned long at, unsigned long shift_at) {
  Bytes code = call(228);
  append(code, {0x85, 0xff, 0x74, 0x05, 0x83, 0xff, 0x05, 0x75,
                0x0a});  // if edi is neither 0 nor 5, leave
  load_shift(code, at, shift_at);
  append(code, {0x48, 0x01, 0x0e, 0xc3});  // add [rsi],rcx; ret
  return code;
}

Bytes gettimeofday_code(unsigned long at, unsigned long shift_at) {
  Bytes code = call(96);
  append(code, {0x48, 0x85, 0xff, 0x74, 0x0a});  // if rdi is null, leave
  load_shift(code, at, shift_at);
  append(code, {0x48, 0x01, 0x0f, 0xc3});  // add [rdi],rcx; ret
  return code;
}

Bytes time_code(unsigned long at, unsigned long shift_at) {
  Bytes code = call(201);
  load_shift(code, at, shift_at);
  append(code,
         {0x48, 0x01, 0xc8, 0x48, 0x85, 0xff, 0x74, 0x03});  // add rax,rcx; if rdi is null, leave
  append(code, {0x48, 0x89, 0x07, 0xc3});                    // mov [rdi],rax; ret
  return code;
}

struct Replaced {
  const char* name;
  Bytes (*code)(unsigned long, unsigned long);
  unsigned long at = 0;
  unsigned long size = 0;
};

unsigned long vdso_of(pid_t pid) {
  const int fd = open(("/proc/" + std::to_string(pid) + "/auxv").c_str(), O_RDONLY | O_CLOEXEC);
  unsigned long pair[2];
  unsigned long found = 0;
  while (read(fd, pair, sizeof pair) == sizeof pair) {
    if (pair[0] == AT_SYSINFO_EHDR) found = pair[1];
  }
  close(fd);
  return found;
}

// The symbols of an image in another process's memory.
template <std::size_t Count>
bool find(int memory, unsigned long base, std::array<Replaced, Count>& wanted) {
  Bytes image(0x2000);
  const ssize_t got = pread(memory, image.data(), image.size(), static_cast<off_t>(base));
  if (got < 0x1000) return false;
  image.resize(static_cast<std::size_t>(got));
  const auto* const head = reinterpret_cast<const Elf64_Ehdr*>(image.data());
  const auto* const sections = reinterpret_cast<const Elf64_Shdr*>(image.data() + head->e_shoff);
  if (head->e_shoff + head->e_shnum * sizeof(Elf64_Shdr) > image.size()) return false;
  std::size_t found = 0;
  for (unsigned i = 0; i < head->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_DYNSYM) continue;
    const auto* const symbols =
        reinterpret_cast<const Elf64_Sym*>(image.data() + sections[i].sh_offset);
    const auto* const names =
        reinterpret_cast<const char*>(image.data() + sections[sections[i].sh_link].sh_offset);
    for (std::size_t k = 0; k < sections[i].sh_size / sizeof(Elf64_Sym); ++k) {
      for (Replaced& one : wanted) {
        if (strcmp(names + symbols[k].st_name, one.name) != 0) continue;
        one.at = base + symbols[k].st_value;
        one.size = symbols[k].st_size;
        ++found;
      }
    }
  }
  return found == Count;
}

bool put(int memory, unsigned long at, const void* from, std::size_t size) {
  return pwrite(memory, from, size, static_cast<off_t>(at)) == static_cast<ssize_t>(size);
}

}  // namespace

void GoClock::wait_to_be_taken() { ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }

void GoClock::take(pid_t child, long seconds, std::string& why) {
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) {
    why = "the program did not start traced";
    return;
  }
#if defined(__x86_64__)
  if (memory_ >= 0) close(memory_);
  memory_ = open(("/proc/" + std::to_string(child) + "/mem").c_str(), O_RDWR | O_CLOEXEC);
  std::array<Replaced, 3> all = {{{"__vdso_clock_gettime", clock_gettime_code},
                                  {"__vdso_gettimeofday", gettimeofday_code},
                                  {"__vdso_time", time_code}}};
  const unsigned long base = vdso_of(child);
  if (base == 0 || memory_ < 0 || !find(memory_, base, all)) {
    why = "no vDSO that could be read";
  } else {
    shift_at_ = (all[0].at + kShiftBehind + 7) & ~7UL;
    if (all[0].size < kShiftBehind + 16) why = "the vDSO's functions are too small";
    for (const Replaced& one : all) {
      const Bytes code = one.code(one.at, shift_at_);
      if (why.empty() &&
          (code.size() > one.size || !put(memory_, one.at, code.data(), code.size()))) {
        why = "the vDSO cannot be written over";
      }
    }
    if (why.empty() && !set(seconds)) why = "the vDSO cannot be written over";
  }
#else
  why = "only x86-64 is known here";
#endif
  ptrace(PTRACE_DETACH, child, nullptr, nullptr);
}

bool GoClock::set(long seconds) {
  return memory_ >= 0 && put(memory_, shift_at_, &seconds, sizeof seconds);
}

GoClock::~GoClock() {
  if (memory_ >= 0) close(memory_);
}

}  // namespace fleet_kit
