// etcd_fault_command SOCKET LABEL CODE: the command that atmost runs. Reports its start and its
// token, stays until an order to end, and ends with CODE.
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 4) return 98;
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
  const char* const token = getenv("ATMOST_TOKEN");
  char line[256];
  const int size = snprintf(line, sizeof line, "%s %s\n", argv[2], token != nullptr ? token : "0");
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      write(fd, line, static_cast<size_t>(size)) != size)
    return 98;
  char told;
  return read(fd, &told, 1) == 1 ? atoi(argv[3]) : 97;
}
