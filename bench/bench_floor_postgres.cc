// The least that a lock in PostgreSQL can cost: one session on its Unix socket, one statement that
// takes an advisory lock, and the command; no record of the holder, no visible queue.
//
//   bench_floor_postgres SOCKET LOCK COMMAND...    as user postgres, in database postgres
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kFailed = 69;

char* number(char* to, unsigned value) {
  for (int shift = 24; shift >= 0; shift -= 8) *to++ = static_cast<char>(value >> shift & 255);
  return to;
}

char* text(char* to, const char* words) {
  while (*words != '\0') *to++ = *words++;
  return to;
}

// Reads until a message with this letter has come with its whole body.
bool await(int fd, char letter) {
  static char bytes[65536];
  static long have = 0;
  for (;;) {
    while (have >= 5) {
      long size = 1;
      for (int i = 1; i < 5; ++i)
        size += static_cast<long>(static_cast<unsigned char>(bytes[i])) << (8 * (4 - i));
      if (size > have) break;
      const char found = bytes[0];
      memmove(bytes, bytes + size, static_cast<unsigned long>(have - size));
      have -= size;
      if (found == 'E') return false;
      if (found == letter) return true;
    }
    const long got = read(fd, bytes + have, sizeof bytes - static_cast<unsigned long>(have));
    if (got <= 0) return false;
    have += got;
  }
}

bool send_message(int fd, char* begin, const char* end, int letters) {
  number(begin + letters, static_cast<unsigned>(end - begin - letters));
  return write(fd, begin, static_cast<unsigned long>(end - begin)) == end - begin;
}

}  // namespace

int main(int argc, char** argv) {
  sockaddr_un server = {};
  server.sun_family = AF_UNIX;
  if (argc < 4 || strlen(argv[1]) >= sizeof server.sun_path || strlen(argv[2]) > 100) return 64;
  strcpy(server.sun_path, argv[1]);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&server), sizeof server) != 0) return kFailed;
  char bytes[512];
  static const char kWho[] = "user\0postgres\0database\0postgres\0";
  memcpy(number(bytes + 4, 3U << 16), kWho, sizeof kWho);
  if (!send_message(fd, bytes, bytes + 8 + sizeof kWho, 0) || !await(fd, 'Z')) return kFailed;
  bytes[0] = 'Q';
  char* end = text(text(text(bytes + 5, "SELECT pg_advisory_lock(hashtext('"), argv[2]), "'))");
  *end++ = '\0';
  if (!send_message(fd, bytes, end, 1) || !await(fd, 'Z')) return kFailed;
  const pid_t child = vfork();
  if (child == 0) {
    execvp(argv[3], argv + 3);
    _exit(127);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return kFailed;
  return WEXITSTATUS(status);
}
