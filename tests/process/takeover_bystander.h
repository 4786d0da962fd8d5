// A process that never ran under the lock, and the tricks that make it look as if it did. It blocks
// every signal: those that are sent to it stay pending, where the kernel shows them.
#ifndef ATMOST_TESTS_PROCESS_TAKEOVER_BYSTANDER_H
#define ATMOST_TESTS_PROCESS_TAKEOVER_BYSTANDER_H

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

namespace witness {

inline constexpr unsigned kSomebody = 65534;  // a user who may write the lock, and is hostile
inline constexpr unsigned kSomebodyElse = 65533;

// For good, groups included.
void become(unsigned user);

// A pair of connected sockets, by which descriptors go from one process to another.
class Line {
 public:
  Line();
  ~Line();
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  void give(int fd) const;
  int take() const;  // blocks

 private:
  int ends_[2];
};

// Opens the lock file as it is; ends the process if it cannot.
int open_lock(const std::string& path);
// Write locks as fcntl's `command` takes them, on the slot or on its proof byte; ends the process
// if it cannot.
void lock_byte(int fd, int command, std::int64_t byte);

// A process that shares its descriptors with the caller's, does `body` and ends at its end. Its
// number.
pid_t share_descriptors(const std::function<void()>& body);
// A child that gets this very number and does `first`, then stays; 0 when the number cannot be had.
pid_t stay_with_number(pid_t number, const std::function<void()>& first);

// "" as long as no signal was sent to the process (but that a child ended) and it is neither
// stopped nor ended.
std::string harm_to(pid_t pid);

}  // namespace witness

#endif
