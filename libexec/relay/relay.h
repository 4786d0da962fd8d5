// The two processes of atmost-relay (core/relay.h).
#ifndef ATMOST_LIBEXEC_RELAY_RELAY_H
#define ATMOST_LIBEXEC_RELAY_RELAY_H

#include <string>

namespace atmost::relay {

// Runs `atmost run` with the arguments, as long as the library's process has its end of the
// connection open or has said to keep the command; then tells it how that ended. Returns the exit
// code.
int ask(int socket, char** arguments);

// The command: tells the library that it runs, and ends when the library says so, or with it.
// Returns the exit code.
int hold(int socket);

// How `atmost run` ended, as the library is told it (kOver): the line of --status-fd, what it wrote
// on standard error, and its exit code.
std::string outcome_packet(const std::string& status, const std::string& said, int code);

}  // namespace atmost::relay

#endif
