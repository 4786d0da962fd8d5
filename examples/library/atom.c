/* An atom from the paper, in C: edit a file at most every 15 minutes; an editor that hangs for 90 minutes is stopped.
 *
 *     cc atom.c $(pkg-config --cflags --libs atmost) -o atom && ./atom /etc/motd
 */
#include <stdio.h>

#include "atmost/atmost.h"

int main(int argc, char** argv) {
  const char* file = argc > 1 ? argv[1] : "/etc/motd";
  atmost_lock* lock;
  atmost_may_be_killed(1); /* if this program hangs, the next one may stop it */
  const int answer = atmost_get_lock("editfile", file, 15 * 60, 90 * 60, NULL, -1, &lock);
  if (answer != ATMOST_ADMITTED) {
    fprintf(stderr, "not now: %s\n", atmost_message());
    return answer;
  }
  printf("editing %s (token %llu)\n", file, (unsigned long long)atmost_token(lock));
  atmost_release(lock, 1);
  return 0;
}
