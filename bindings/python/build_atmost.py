"""Compiles atmost._atmost against the libatmost that pkg-config finds."""
import os
import shlex
import subprocess

from cffi import FFI


def pkg_config(what: str) -> "list[str]":
    program = os.environ.get("PKG_CONFIG", "pkg-config")
    return shlex.split(subprocess.check_output([program, what, "atmost"], text=True))


builder = FFI()
builder.cdef("""
enum { ATMOST_ADMITTED, ATMOST_INTERRUPTED, ATMOST_USAGE, ATMOST_INTERNAL, ATMOST_CANNOT_CREATE,
       ATMOST_IO, ATMOST_BUSY, ATMOST_TOO_SOON, ATMOST_NOT_PERMITTED, ... };
enum { ATMOST_PLAIN, ATMOST_SHARED, ATMOST_EXCLUSIVE, ... };
enum { ATMOST_FAIL, ATMOST_REPLACE, ATMOST_JOIN, ATMOST_SUPERSEDE, ... };
enum { ATMOST_FROM_START, ATMOST_FROM_FINISH, ATMOST_FROM_SUCCESS, ... };
typedef struct atmost_lock atmost_lock;
typedef struct atmost_request atmost_request;
typedef struct {
  unsigned max, take;
  double wait, if_elapsed, expire_after, kill_grace, now;
  const char *directory, *id;
  unsigned mode;
  int may_be_killed;
  void (*on_lost)(void* context, uint64_t token);
  void* context;
  const char* log;
  int no_history, sharing, on_busy, elapsed_from, wait_too_soon;
  double max_hold;
  const char* const* also;
  int trust_fs, no_learn;
  const char* rate;
  int queue_max;
  ...;
} atmost_options;
typedef struct {
  const char* state;
  unsigned slot, position, max;
  int64_t pid, kept_for, user;
  uint64_t token;
  double start, age, expires;
  const char *id, *command;
  int verified;
  ...;
} atmost_entry;
extern const atmost_options defaults;
int atmost_may_be_killed(int agreed);
int atmost_get(const char* name, const atmost_options* options, atmost_lock** lock);
int atmost_get_atom(const char* operator_, const char* operand, const char* host,
                    const atmost_options* options, atmost_lock** lock);
int atmost_begin(const char* name, const atmost_options* options, atmost_request** request);
int atmost_begin_atom(const char* operator_, const char* operand, const char* host,
                      const atmost_options* options, atmost_request** request);
int atmost_answered(const atmost_request* request);
int atmost_descriptor(const atmost_request* request);
void atmost_cancel(const atmost_request* request);
int finish(atmost_request** from, atmost_lock** lock);
void abandon(atmost_request** from);
void release(atmost_lock** from, int success);
void forget(atmost_lock** from);
uint64_t atmost_token(const atmost_lock* lock);
unsigned atmost_slot(const atmost_lock* lock);
int atmost_held(const atmost_lock* lock);
int atmost_list(const char* name, const atmost_options* options,
                int (*each)(void* context, const atmost_entry* entry), void* context);
int atmost_check(const char* name, const atmost_options* options, unsigned* held);
const char* atmost_message(void);
double atmost_retry_in(void);
const char* atmost_why(void);
extern "Python" void lost(void* context, uint64_t token);
extern "Python" int each(void* context, const atmost_entry* entry);
""")
builder.set_source(
    "atmost._atmost",
    """
#include <atmost/atmost.h>
static const atmost_options defaults = ATMOST_DEFAULTS;
/* What has an owner in Python is taken from it in the call that ends it: in between, a signal's
 * handler could raise, or another thread release the same lock. */
static atmost_request* taken(atmost_request** from) {
  return __atomic_exchange_n(from, NULL, __ATOMIC_ACQ_REL);
}
static int finish(atmost_request** from, atmost_lock** lock) {
  return atmost_finish(taken(from), lock);
}
static void release(atmost_lock** from, int success) {
  atmost_release(__atomic_exchange_n(from, NULL, __ATOMIC_ACQ_REL), success);
}
static void forget(atmost_lock** from) { release(from, 0); }
static void abandon(atmost_request** from) {
  atmost_request* request = taken(from);
  atmost_lock* lock;
  if (request == NULL) return;
  atmost_cancel(request);
  if (atmost_finish(request, &lock) == ATMOST_ADMITTED) atmost_release(lock, 0);
}
""",
    extra_compile_args=pkg_config("--cflags"),
    extra_link_args=pkg_config("--libs"),
)

if __name__ == "__main__":
    builder.compile(verbose=True)
