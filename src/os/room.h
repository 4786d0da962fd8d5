// Memory for the few large values of a process; each is kept until it is given back.
#ifndef ATMOST_OS_ROOM_H
#define ATMOST_OS_ROOM_H

#include <cstddef>

namespace atmost::os {

inline constexpr std::size_t kSmallRoom = 16 * 1024;
inline constexpr std::size_t kLargeRoom = 512 * 1024;

// Room for `size` bytes, aligned for any type; its contents are unspecified. One of at most
// kSmallRoom and one of at most kLargeRoom cost no system call, and no page before it is touched;
// every other one is mapped. Null when there is no memory. Any thread.
void* take_room(std::size_t size);

// Gives it back. `size` is the one it was taken with.
void give_room(void* room, std::size_t size);

// An uninitialised T in memory of its own: for plain data. Null when there is no memory.
template <class T>
class RoomFor {
 public:
  RoomFor() : room_(take_room(sizeof(T))) {}
  RoomFor(const RoomFor&) = delete;
  RoomFor& operator=(const RoomFor&) = delete;
  ~RoomFor() {
    if (room_ != nullptr) give_room(room_, sizeof(T));
  }
  T* get() const { return static_cast<T*>(room_); }

 private:
  void* room_;
};

}  // namespace atmost::os

#endif
