/* Takes a lock through the library and releases it: the least that a program can do (tools/house). */
#include "atmost/atmost.h"

int main(void) {
  atmost_request* request = atmost_new("x");
  atmost_lock* lock;
  const int answer = atmost_get(request, &lock);
  atmost_free(request);
  if (answer != ATMOST_ADMITTED) return answer;
  atmost_release(lock, 1);
  return 0;
}
