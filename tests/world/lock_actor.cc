// The steps of an actor of compare_locks.
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "lock_steps.h"

namespace world {
namespace {

using Act = LockStep::Act;

// Mailbox n is the pair kFirstMailbox + 2 n, + 1, in every process.
constexpr int kFirstMailbox = 200;
constexpr std::size_t kPage = 4096;

int send_descriptor(int box, int fd) {
  char byte = 0;
  iovec part = {&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  return ::sendmsg(box, &message, MSG_DONTWAIT) == 1 ? 0 : -1;
}

int receive_descriptor(int box, bool closes_on_exec) {
  char byte = 0;
  iovec part = {&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const int flags = MSG_DONTWAIT | (closes_on_exec ? MSG_CMSG_CLOEXEC : 0);
  if (::recvmsg(box, &message, flags) != 1 || CMSG_FIRSTHDR(&message) == nullptr) return -1;
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
  return fd;
}

int descriptor(const Actors::Memory& memory, int slot) {
  return static_cast<int>(memory[static_cast<std::size_t>(slot)]) - 1;
}

int keep(Actors::Memory& memory, int slot, int fd) {
  memory[static_cast<std::size_t>(slot)] = fd + 1;
  return fd < 0 ? -1 : 0;
}

std::int64_t& mapping(Actors::Memory& memory) { return memory[kLockSlots]; }

int map_file(Actors::Memory& memory, int fd) {
  void* const at = ::mmap(nullptr, kPage, PROT_NONE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return -1;
  mapping(memory) = reinterpret_cast<std::int64_t>(at);
  return 0;
}

std::int64_t obey(const Order& order, Actors::Memory& memory, struct flock& lock) {
  const int fd = descriptor(memory, order.slot);
  const bool closes_on_exec = (order.number & O_CLOEXEC) != 0;
  switch (static_cast<Act>(order.what)) {
    case Act::open:
      return keep(memory, order.slot, ::open(std::to_string(order.value).c_str(), order.number));
    case Act::dup:
      return keep(memory, order.other, ::fcntl(fd, closes_on_exec ? F_DUPFD_CLOEXEC : F_DUPFD, 0));
    case Act::dup_over:
      return ::dup3(fd, descriptor(memory, order.other), order.number & O_CLOEXEC) < 0 ? -1 : 0;
    case Act::close:
      keep(memory, order.slot, -1);
      return ::close(fd);
    case Act::send:
      return send_descriptor(kFirstMailbox + 2 * order.other, fd);
    case Act::receive:
      return keep(memory, order.slot,
                  receive_descriptor(kFirstMailbox + 2 * order.other + 1, closes_on_exec));
    case Act::seek:
      return ::lseek(fd, order.value, SEEK_SET) < 0 ? -1 : 0;
    case Act::resize:
      return ::ftruncate(fd, order.value);
    case Act::map:
      return map_file(memory, fd);
    case Act::unmap:
      return ::munmap(reinterpret_cast<void*>(mapping(memory)), kPage);
    case Act::lock:
      return order.other != 0 ? ::flock(fd, order.number) : ::fcntl(fd, order.number, &lock);
    default:
      errno = ENOSYS;
      return -1;
  }
}

}  // namespace

void prepare_lock_files() {
  for (int file = 0; file < kLockFiles; ++file) {
    const int fd =
        ::open(std::to_string(file).c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) throw std::system_error(errno, std::generic_category(), "open");
    ::close(fd);
  }
  for (int box = 0; box < kMailboxes; ++box) {
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0) {
      throw std::system_error(errno, std::generic_category(), "socketpair");
    }
    for (int end = 0; end < 2; ++end) {
      ::dup2(pair[end], kFirstMailbox + 2 * box + end);
      ::close(pair[end]);
    }
  }
}

Order lock_order(const LockStep& step) {
  Order to;
  to.what = static_cast<int>(step.act);
  to.slot = step.slot;
  const bool mail = step.act == Act::send || step.act == Act::receive;
  to.other = mail ? step.box : step.other_slot;
  to.number = step.flags;
  to.value = step.act == Act::open ? step.file : step.value;
  return to;
}

Order lock_order(int slot, const LockCall& call) {
  Order to;
  to.what = static_cast<int>(Act::lock);
  to.slot = slot;
  to.other = call.flock ? 1 : 0;
  to.number = call.command;
  to.lock = call.bytes;
  return to;
}

Answer obey_lock_order(const Order& order, Actors::Memory& memory) {
  Answer to;
  to.lock = order.lock;
  to.result = obey(order, memory, to.lock);
  to.error = errno;
  return to;
}

}  // namespace world
