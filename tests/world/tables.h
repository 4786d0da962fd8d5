// The parts of the table of calls, and what they have in common.
#ifndef ATMOST_TESTS_WORLD_TABLES_H
#define ATMOST_TESTS_WORLD_TABLES_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/calls.h"
#include "world/kernel.h"

namespace world {

void install_files(atmost::os::Calls& calls);        // calls_files.cc
void install_descriptors(atmost::os::Calls& calls);  // calls_descriptors.cc
void install_waits(atmost::os::Calls& calls);        // calls_waits.cc
void install_signals(atmost::os::Calls& calls);      // calls_signals.cc
void install_self(atmost::os::Calls& calls);         // calls_self.cc

// read(2) of an inotify descriptor and of one of signalfd(2).
ssize_t read_events(Inotify& from, void* to, std::size_t size);
ssize_t read_signals(Process& process, const Description& from, void* to, std::size_t size);

// A file or folder of /proc, made from the kernel's state (kernel_proc.cc).
struct ProcFile {
  bool below_proc = false;
  std::optional<std::string> text;                // of a file
  std::optional<std::vector<std::string>> names;  // in a folder
};
ProcFile proc_file(const Process& reader, std::string_view path);
// The file to which a name in a process's folder fd leads; 0: none.
int proc_inode(const Process& reader, std::string_view path);
// The text of a symbolic link there; empty: there is none.
std::string proc_link(const Process& reader, std::string_view path);

inline std::int64_t nanoseconds(const struct timespec& span) {
  return span.tv_sec * 1'000'000'000 + span.tv_nsec;
}

}  // namespace world

#endif
