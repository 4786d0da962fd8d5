// The two processes of atmost-relay (core/programs.h).
#ifndef ATMOST_LIBEXEC_RELAY_RELAY_H
#define ATMOST_LIBEXEC_RELAY_RELAY_H

#include <string>

namespace atmost::relay {

// Runs `atmost run` with the arguments, as long as the library's process has its end of the
// connection open or has sent the order to keep the command; then sends it the outcome. Returns the
// exit code.
int ask(int socket, char** arguments);

// The command of that `atmost run`: reports to the library that it runs, and ends on the library's
// order, or with it. Returns the exit code.
int hold(int socket);

// The end of `atmost run`, as it is sent to the library (kOver): the line of --status-fd, what it
// wrote on standard error, and its exit code.
std::string outcome_packet(const std::string& status, const std::string& said, int code);

}  // namespace atmost::relay

#endif
