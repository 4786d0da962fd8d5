// The least that a free lock in etcd can cost over HTTP: a lease, a key that is only created if it
// is not there, the command, and the end of the lease. It does not wait, and renews nothing.
//
//   bench_floor_etcd ADDRESS PORT LOCK COMMAND...    ADDRESS: IPv4
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kFailed = 69;

// One question; its answer's body, or null.
const char* ask(int fd, const char* path, const char* body) {
  static char bytes[8192];
  const int size = snprintf(bytes, sizeof bytes,
                            "POST /v3/%s HTTP/1.1\r\nHost: etcd\r\nContent-Length: %zu\r\n\r\n%s",
                            path, strlen(body), body);
  if (write(fd, bytes, static_cast<unsigned long>(size)) != size) return nullptr;
  unsigned long have = 0;
  for (;;) {
    const long got = read(fd, bytes + have, sizeof bytes - 1 - have);
    if (got <= 0) return nullptr;
    have += static_cast<unsigned long>(got);
    bytes[have] = '\0';
    const char* const end = strstr(bytes, "\r\n\r\n");
    const char* const length = strstr(bytes, "Content-Length: ");
    if (end == nullptr || length == nullptr) continue;
    if (have < static_cast<unsigned long>(end - bytes) + 4 + strtoul(length + 16, nullptr, 10))
      continue;
    return strncmp(bytes, "HTTP/1.1 200", 12) == 0 ? end + 4 : nullptr;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5 || strlen(argv[3]) > 60) return 64;
  sockaddr_in server = {};
  server.sin_family = AF_INET;
  server.sin_port = htons(static_cast<unsigned short>(atoi(argv[2])));
  if (inet_pton(AF_INET, argv[1], &server.sin_addr) != 1) return 64;
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&server), sizeof server) != 0) return kFailed;
  const char* answer = ask(fd, "lease/grant", R"({"TTL":"15"})");
  const char* const id = answer != nullptr ? strstr(answer, "\"ID\":\"") : nullptr;
  if (id == nullptr) return kFailed;
  char lease[32] = {};
  strncpy(lease, id + 6, strcspn(id + 6, "\"") < 31 ? strcspn(id + 6, "\"") : 31);
  // Keys are base64 here; a word of a multiple of four letters is that of some key.
  char body[512];
  snprintf(body, sizeof body,
           R"({"compare":[{"target":"CREATE","key":"%s","create_revision":"0"}],)"
           R"("success":[{"requestPut":{"key":"%s","value":"","lease":"%s"}}]})",
           argv[3], argv[3], lease);
  answer = ask(fd, "kv/txn", body);
  if (answer == nullptr || strstr(answer, "\"succeeded\":true") == nullptr) return kFailed;
  const pid_t child = vfork();
  if (child == 0) {
    execvp(argv[4], argv + 4);
    _exit(127);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return kFailed;
  snprintf(body, sizeof body, R"({"ID":"%s"})", lease);
  return ask(fd, "lease/revoke", body) != nullptr ? WEXITSTATUS(status) : kFailed;
}
