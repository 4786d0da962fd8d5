#include "packets.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>

#include "calls.h"

namespace atmost::os {
namespace {

#ifdef SOCK_CLOEXEC
constexpr int kType = SOCK_SEQPACKET | SOCK_CLOEXEC;
#else
constexpr int kType = SOCK_SEQPACKET;
#endif
#ifdef MSG_CMSG_CLOEXEC
constexpr int kReceive = MSG_CMSG_CLOEXEC | MSG_DONTWAIT;
#else
constexpr int kReceive = MSG_DONTWAIT;
#endif

// Room for one descriptor.
union Control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

struct msghdr message_of(struct iovec& part, Control& control) {
  struct msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = &control;
  message.msg_controllen = sizeof control;
  return message;
}

// Does not block.
Packet receive_ready(int socket, char* to, std::size_t& size, Fd& passed) {
  struct iovec part = {to, kMostPacket};
  Control control = {};
  struct msghdr message = message_of(part, control);
  const ssize_t received = calls.recvmsg(socket, &message, kReceive);
  if (received < 0 && (errno == EINTR || errno == EAGAIN)) return Packet::interrupted;
  if (received <= 0) return Packet::closed;
  size = static_cast<std::size_t>(received);
  const struct cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    int fd;
    std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
    (void)calls.control(fd, F_SETFD, FD_CLOEXEC);
    passed = Fd(fd);
  }
  return Packet::received;
}

}  // namespace

int open_packet_pair(Fd& one, Fd& other) {
  int ends[2];
  if (calls.socketpair(AF_UNIX, kType, 0, ends) != 0) return errno;
  one = Fd(ends[0]);
  other = Fd(ends[1]);
  for (Fd* end : {&one, &other}) {
    (void)calls.control(end->get(), F_SETFD, FD_CLOEXEC);
    if (end->get() > STDERR_FILENO) continue;
    *end = Fd(calls.control(end->get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!end->open()) return errno;
  }
  return 0;
}

bool send_packet(int socket, std::string_view what, int passed) {
  struct iovec part = {const_cast<char*>(what.data()), what.size()};
  Control control = {};
  struct msghdr message = message_of(part, control);
  if (passed < 0) {
    message.msg_control = nullptr;
    message.msg_controllen = 0;
  } else {
    struct cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &passed, sizeof passed);
  }
  ssize_t sent;
  do {
    sent = calls.sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent >= 0;
}

Packet receive_packet(int socket, int at_most_ms, char* to, std::size_t& size, Fd& passed,
                      Mutex* opening) {
  struct pollfd ready = {socket, POLLIN, 0};
  const int got = calls.poll(&ready, 1, at_most_ms);
  if (got < 0) return Packet::interrupted;
  if (got == 0) return Packet::nothing;
  if (opening == nullptr) return receive_ready(socket, to, size, passed);
  const Locked locked(*opening);
  return receive_ready(socket, to, size, passed);
}

bool is_hung_up(int socket) {
  struct pollfd ready = {socket, 0, 0};
  return calls.bare_poll(&ready, 1, 0) > 0 && (ready.revents & (POLLHUP | POLLERR)) != 0;
}

void wait_for_either(int one, int other, int at_most_ms) {
  struct pollfd ready[2] = {{one, POLLIN, 0}, {other, POLLIN, 0}};
  (void)calls.poll(ready, 2, at_most_ms);
}

}  // namespace atmost::os
