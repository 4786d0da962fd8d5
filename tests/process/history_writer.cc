// history_writer LOG CAP FIRST COUNT KEEP: appends COUNT events with the tokens FIRST, FIRST + 1, …
// to LOG. Whenever an old generation is about to be replaced, it gets one more name in the folder
// KEEP, so that everything that was ever written can be counted. Ends with 1 and a message on
// standard error if an event could not be appended. COUNT 0: for ever.
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "history/log.h"
#include "os/calls.h"

namespace {

const char* keep = "";

// Under the lock of the rotation: no other process renames meanwhile.
int keep_and_rename(const char* from, const char* to) {
  struct stat status;
  if (stat(to, &status) == 0) {
    char name[4200];
    snprintf(name, sizeof name, "%s/%lu", keep, static_cast<unsigned long>(status.st_ino));
    if (rename(to, name) != 0) perror("history_writer: rename");
  }
  return rename(from, to);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 64;
  atmost::history::LogPlace place;
  place.path = atmost::PathText(argv[1]);
  place.cap = atoll(argv[2]);
  const unsigned long long first = strtoull(argv[3], nullptr, 10);
  const unsigned long long count = strtoull(argv[4], nullptr, 10);
  keep = argv[5];
  atmost::os::calls.rename = keep_and_rename;
  atmost::history::Log log(place);
  atmost::Event event;
  for (unsigned long long i = 0; count == 0 || i < count; ++i) {
    event.begin(atmost::Event::Kind::admitted,
                {static_cast<long long>(first + i) * 1000, 0, false});
    event.text("lock", "job").text("path", "/var/lib/atmost/job.lock");
    event.text("command", "history_writer").number("pid", getpid()).number("token", first + i);
    const atmost::Status done = log.append(event);
    if (done.ok()) continue;
    fprintf(stderr, "%s\n", done.error().message.c_str());
    return 1;
  }
  return 0;
}
