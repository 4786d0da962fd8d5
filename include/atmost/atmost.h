/* atmost for C, and for any language that can call C: at most N at a time, at most once every T,
 * for at most D.
 *
 * A lock taken here is held by the calling process: it ends with atmost_release(), or when the
 * process ends, however it ends. Children made by fork() share the open lock file: the lock then
 * lasts until they, too, have ended, executed another program or called atmost_release() on their
 * copy (which does not free the parent's lock). A child made by a bare clone(2), for which no
 * pthread_atfork handler runs, must call exec or end soon: it may also share the lock file's guard,
 * which is locked only for an instant. If the parent is killed at that instant, no caller is
 * admitted until the child ends.
 *
 * The library is thread-safe: any thread may call any function. One lock value belongs to one
 * thread at a time, and atmost_release_current_lock() releases the calling thread's last lock. Two
 * threads of one process exclude each other like two processes. The library installs no signal
 * handler, uses no timer, prints nothing, and needs only the C library. It runs a thread only while
 * a lock is held for which `on_lost` was given, and between atmost_begin() and atmost_finish().
 *
 * HANGING HOLDERS. GetLock() of the paper stops a holder that is older than the caller's
 * expireafter and takes its place. Here both sides have to agree: the taker asks for it
 * (expireafter), and the holder has agreed, since stopping means INT, TERM and KILL for its whole
 * program. A program agrees once, before it takes its first lock:
 *
 *     atmost_may_be_killed(1);
 *
 * Without that, and without may_be_killed or on_lost in its options, a lock is not taken over while
 * its program runs. Callers that find it overdue get ATMOST_BUSY, and atmost_why() returns
 * "immune".
 *
 * HISTORY. What happens to a lock is recorded as `atmost run` records it (docs/history-format.md):
 * admissions, refusals, ends, takeovers. A record that cannot be written is left out without a
 * report. One descriptor of the log stays open (close-on-exec) between calls; the program may close
 * it.
 *
 * DESCRIPTORS. A held lock has two, close-on-exec, and a third if it was waited for. After its
 * release two may stay open, without a lock on them, for the next take of the same path; so there
 * are at most two for each lock that the process has held at the same time. The program may close
 * them. They are not used again after the file was replaced, after a fork or a change of user, or
 * when their numbers refer to other files. A program that closes those of a lock that it holds, as
 * daemons close everything when they start, loses the lock, and is not told; what it opens under
 * their numbers is left alone.
 *
 * STORES. Locks are files unless `store` of the options, or else $ATMOST_STORE, says otherwise, as
 * in atmost(1); a text that names no store, and what a store cannot do, are ATMOST_USAGE.
 *
 * "symlink:": symbolic links (docs/symlink-locks.md). Such a lock belongs to the process that took
 * it, and to no child made by fork(), and lasts until that process ends, also through exec. It has
 * no on_lost, except for max_hold.
 *
 * "etcd://...", "postgres://...", "shared:/DIRECTORY": stores of many machines. Helper processes
 * serve them, of atmost-relay and atmost, which are looked for as atmost(1) looks for its programs
 * (ATMOST_EXEC_PATH, else where they were installed); if they are not there the answer is
 * ATMOST_UNAVAILABLE. Four of them keep a held lock: one that asks, `atmost run` and its monitor,
 * and the command, which stands for the work of this program. They have a session of their own, no
 * descriptor of the program but one end of a connection to it, default signals, and are no children
 * of the program: they cause no SIGCHLD, and no wait of the program returns because of them (a
 * program that adopts orphans, such as process 1 of a container, reaps the first of them as it does
 * others). A held lock has two descriptors, close-on-exec. If the program ends, however it ends,
 * the slots become free; children made by fork() while the program has the lock share it, as that
 * of a file. A lock file on NFS 4.1 or 4.2 is one of "shared:" if `store` says so, and is refused
 * (ATMOST_IO) if it does not: atmost_message() then names that store. If the lock is
 * lost (its lease, the supervisor, or another helper process was killed), or a taker has it,
 * on_lost is called, and atmost_held() answers 0: a lock in a fleet can always be lost, so ask or
 * give on_lost. may_be_killed must not be positive, and atmost_may_be_killed() has no effect there.
 * atmost_release() waits until the slots are free, ten seconds at most; atmost_begin() always uses
 * a thread. An admission that comes while atmost_cancel() or a signal ends the wait is given back.
 * The history is that of `atmost run`, as is everything that it refuses. atmost_list() and
 * atmost_check() answer ATMOST_USAGE: use atmost list and atmost check.
 *
 * Durations and times are seconds; fractions are allowed; INFINITY is for ever.
 */
#ifndef ATMOST_ATMOST_H
#define ATMOST_ATMOST_H

#include <stddef.h>
#include <stdint.h>

/* Grows by one with each version that adds something. */
#define ATMOST_API_VERSION 5

#ifdef __cplusplus
extern "C" {
#endif

/* ATMOST_API_VERSION of the library in use: everything in the header of that version is there. */
int atmost_api_version(void);

/* Answers: 0, or the exit code that atmost(1) would end with (docs/exit-codes.md).
 * ATMOST_INTERRUPTED is none of those. */
enum {
  ATMOST_ADMITTED = 0,
  ATMOST_INTERRUPTED = 4,    /* a signal handler ran while an interruptible call waited, or
                                atmost_cancel() was called */
  ATMOST_USAGE = 64,         /* an argument makes no sense */
  ATMOST_UNAVAILABLE = 69,   /* the store of a fleet cannot be reached, or the program that serves
                                it is not installed; from ATMOST_API_VERSION 5 on */
  ATMOST_INTERNAL = 70,      /* out of memory, or a defect */
  ATMOST_CANNOT_CREATE = 73, /* the lock file cannot be created */
  ATMOST_IO = 74,   /* I/O error, or the path is no lock file, or the filesystem keeps no locks */
  ATMOST_BUSY = 75, /* held by others; an answer, not an error */
  ATMOST_TOO_SOON = 76,     /* admitted too recently; atmost_retry_in() says when to come back */
  ATMOST_NOT_PERMITTED = 77 /* the file, its directory, or stopping the overdue holder */
};

/* Values of some options. */
enum { ATMOST_PLAIN = 0, ATMOST_SHARED = 1, ATMOST_EXCLUSIVE = 2 };                  /* sharing */
enum { ATMOST_FAIL = 0, ATMOST_REPLACE = 1, ATMOST_JOIN = 2, ATMOST_SUPERSEDE = 3 }; /* on_busy */
enum { ATMOST_FROM_START = 0, ATMOST_FROM_FINISH = 1, ATMOST_FROM_SUCCESS = 2 }; /* elapsed_from */
/* if_elapsed, expire_after, max_hold: learned from earlier holds, as `auto` in atmost(1). */
#define ATMOST_AUTO (-1.0)

typedef struct atmost_lock atmost_lock;
typedef struct atmost_request atmost_request;

/* What a caller may set beyond the name. Start from ATMOST_DEFAULTS; later versions add fields at
 * the end. */
typedef struct atmost_options {
  size_t size;   /* sizeof(atmost_options) */
  unsigned max;  /* N: at most so many at a time; 1…262144 */
  unsigned take; /* K: slots to take, all or none; 1…min(N, 1024) */
  double wait;   /* seconds to wait for admission; 0: answer at once */
  double
      if_elapsed; /* too soon if the last admission is more recent; 0: never, INFINITY: once only */
  double expire_after;   /* holders older than this are stopped if they stand in the way; 0: always,
                            INFINITY: never */
  double kill_grace;     /* pause after each of INT, TERM and KILL */
  double now;            /* seconds since 1970 to decide with; a negative value: the clocks */
  const char* directory; /* where named locks and atoms are; NULL: as atmost(1) decides */
  const char* id;        /* shown by atmost list; may be NULL */
  unsigned mode;         /* permissions of a lock file that this call creates */
  /* What a taker may do when this lock is overdue. Positive: stop this whole program. 0: have
   * on_lost called; if that is NULL, what atmost_may_be_killed() agreed to. Negative: nothing. */
  int may_be_killed;
  /* Called at most once, on a thread of the library, when a taker has taken the lock, or when
   * max_hold is over. The lock is released by then. on_lost may call any function of this header,
   * but must not wait for the thread that owns the lock to release it. If that thread cannot be
   * started, the answer is ATMOST_INTERNAL, and the slot is free again. */
  void (*on_lost)(void* context, uint64_t token);
  void* context;
  const char* log; /* the history's file; NULL: as atmost(1) decides */
  int no_history;  /* nonzero: nothing is recorded */
  /* Nonzero: a wait ends with ATMOST_INTERRUPTED when a signal handler ran on the waiting thread;
   * the place in the queue is given up. 0: handlers run, and the wait goes on. An interruptible
   * call that may wait blocks the thread's signals and lets them through only while it waits and at
   * its end, so that none is missed in between. A takeover that has begun is finished first; an
   * admission that came before the signal stands. A signal sent to the process may be delivered to
   * another thread that does not block it: then it interrupts nothing. */
  int interruptible;
  /* With interruptible: a sigset_t, the thread's signal mask while it waits, as for ppoll(2). NULL:
   * the mask it has at the call. A handler that ran before the call does not interrupt it; to miss
   * no signal, block it, check whether it came, and call with a mask that lets it through. */
  const void* wait_mask;

  /* From ATMOST_API_VERSION 2 on. */

  /* ATMOST_SHARED: together with other readers while no writer holds the lock; then a max of 1 is
   * no limit, and another max limits the readers. ATMOST_EXCLUSIVE: a writer alone, whatever max
   * other callers have; its own max and take must be 1. */
  int sharing;
  /* What follows when the wait is over and the lock is still held. ATMOST_REPLACE: the oldest
   * holder is stopped as if it were overdue (HANGING HOLDERS). ATMOST_JOIN: one waiter is enough,
   * as it will do the work once more for all. A later caller gets ATMOST_BUSY at once, and
   * atmost_why() returns "joined"; wait must not be 0. ATMOST_SUPERSEDE, from ATMOST_API_VERSION 4
   * on: the newest waiter alone goes on waiting; earlier ones that said so too get ATMOST_BUSY, and
   * atmost_why() returns "superseded". */
  int on_busy;
  int elapsed_from;  /* if_elapsed counts from the last start, finish or success */
  int wait_too_soon; /* nonzero: wait also while it is too soon, if `wait` is long enough */
  /* Seconds after which the library releases the lock and calls on_lost, which must be given;
   * INFINITY: never. on_lost has to end the work itself. */
  double max_hold;
  /* Other locks to take at the same time, all or none, without deadlock whatever the order:
   * "[N@]LOCK" as in atmost(1), 15 at most, NULL after the last; NULL: none. N is 1 unless given.
   * `sharing` and `take` apply to the first lock, every other option to all. */
  const char* const* also;
  int trust_fs; /* nonzero: this filesystem is known to keep locks, though atmost does not know it
                 */
  int no_learn; /* nonzero: a limit that is ATMOST_AUTO does not learn from this hold. Holds without
                   any such limit are never learned from. */

  /* From ATMOST_API_VERSION 4 on. */

  /* "K/DUR" as in atmost(1), K from 1 to 1024: too soon if K were admitted within the last DUR,
   * whoever they were; NULL: no such limit. With wait_too_soon, callers are admitted in the order
   * in which they came. */
  const char* rate;
  /* ATMOST_BUSY at once, and atmost_why() returns "queue_full", if so many wait already; negative:
   * no such limit. */
  int queue_max;

  /* From ATMOST_API_VERSION 5 on. */

  /* Where locks are kept, as --store of atmost(1): see STORES. NULL: as $ATMOST_STORE says, and
   * in files if that is empty or not set. */
  const char* store;
} atmost_options;

#define ATMOST_DEFAULTS                                                                            \
  {                                                                                                \
    sizeof(atmost_options), 1, 1, 0.0, 0.0, __builtin_inf(), 2.0, -1.0, NULL, NULL, 0600, 0, NULL, \
        NULL, NULL, 0, 0, NULL, ATMOST_PLAIN, ATMOST_FAIL, ATMOST_FROM_START, 0, __builtin_inf(),  \
        NULL, 0, 0, NULL, -1, NULL                                                                 \
  }

/* Agrees (nonzero), or no longer agrees (0), that a taker may stop this whole program when a lock
 * that the program takes from now on is overdue: see HANGING HOLDERS. Returns the previous value,
 * at first 0. If a lock's options have may_be_killed or on_lost, those apply. A child made by
 * fork() begins with its parent's agreement. */
int atmost_may_be_killed(int agreed);

/* GetLock() of Burgess & Skipitaris (LISA '97): one holder at a time of the atom operator:operand.
 * `ifelapsed` and `expireafter` as above, in seconds; `host`: NULL for this host; `now`: as above.
 * On ATMOST_ADMITTED *lock is set and becomes this thread's current lock; otherwise *lock is NULL.
 * Does not wait for slots; blocks at most five seconds on the lock file's guard, and for three
 * pauses of two seconds when it stops an overdue holder. */
int atmost_get_lock(const char* operator_, const char* operand, double ifelapsed,
                    double expireafter, const char* host, double now, atmost_lock** lock);

/* The same for an atom with every option; `options` may be NULL. */
int atmost_get_atom(const char* operator_, const char* operand, const char* host,
                    const atmost_options* options, atmost_lock** lock);

/* The same for a LOCK as atmost(1) takes it: a path (with a slash), or a name. */
int atmost_get(const char* name, const atmost_options* options, atmost_lock** lock);

/* ASKING WITHOUT BLOCKING, for programs with an event loop and for languages whose interpreter must
 * not be held up. A request is one atmost_get() that runs on a thread of the library:
 *
 *     atmost_request* request;
 *     if (atmost_begin("job", &options, &request) == ATMOST_ADMITTED) {
 *       if (!atmost_answered(request))
 *         ... until atmost_descriptor(request) is readable ...
 *       answer = atmost_finish(request, &lock);
 *     }
 *
 * A lock that is free is taken at once. Until it is finished, any other request costs one thread
 * with every signal blocked, one pair of descriptors (close-on-exec), and those that atmost_get()
 * would have open. While it waits behind others the thread looks again every 10 ms at most. It
 * keeps one place in the queue throughout. If the process dies, its place and its slots are free. A
 * child made by fork() has no part in its parent's request: there atmost_cancel() does nothing, and
 * atmost_finish() frees the descriptors and answers ATMOST_INTERRUPTED. Between admission and
 * atmost_finish() the lock is held, and may become overdue like any other.
 *
 * atmost_begin() and atmost_begin_atom() take what atmost_get() and atmost_get_atom() take; all of
 * it except `context` may be freed when they return. `interruptible` and `wait_mask` have no effect
 * here. They do not block on the lock. On ATMOST_ADMITTED *request is set, and it must be finished;
 * otherwise it is NULL, and atmost_message() says why. */
int atmost_begin(const char* name, const atmost_options* options, atmost_request** request);
int atmost_begin_atom(const char* operator_, const char* operand, const char* host,
                      const atmost_options* options, atmost_request** request);

/* 1: atmost_finish() will not block; 0: not yet. Any thread may ask; no system call. From
 * ATMOST_API_VERSION 4 on. */
int atmost_answered(const atmost_request* request);

/* A descriptor only to be polled for reading, by poll, epoll, select or kqueue: it is readable as
 * soon as atmost_finish() will not block. It stays the same until atmost_finish() closes it. -1:
 * the request is answered, and no descriptor is left to say so. Not from two threads at a time. */
int atmost_descriptor(const atmost_request* request);

/* Ends the wait early; returns at once. Any thread and any signal handler may call it, any number
 * of times, until atmost_finish() is called. An admission that came first stands. A takeover that
 * has begun is finished first. */
void atmost_cancel(const atmost_request* request);

/* The answer of atmost_get(), or ATMOST_INTERRUPTED after atmost_cancel(). On ATMOST_ADMITTED *lock
 * is set and becomes the calling thread's current lock; otherwise it is NULL. Frees the request.
 * Any thread may call it, once; it blocks until there is an answer. */
int atmost_finish(atmost_request* request, atmost_lock** lock);

/* Frees the slots and the value. `success`: nonzero if the work succeeded (other callers may use
 * --elapsed-from=success). NULL is allowed. */
void atmost_release(atmost_lock* lock, int success);

/* Releases the lock that this thread took last and still has; nothing happens when there is none.
 */
void atmost_release_current_lock(void);

/* For a held lock: its fencing token (greater than that of every earlier admission), its first slot
 * (from 1), and whether it is still held (0 when a taker has it). */
uint64_t atmost_token(const atmost_lock* lock);
unsigned atmost_slot(const atmost_lock* lock);
int atmost_held(const atmost_lock* lock);

/* LOOKING. These functions create, write and keep nothing, and do not wait for the lock. What they
 * report may be outdated when they return.
 *
 * One holder, waiter or drained slot, as atmost list shows it. Texts are borrowed for the call;
 * they come from records that any user of the lock file may have written, control bytes included.
 */
typedef struct atmost_entry {
  size_t size;       /* of this struct, in the library that fills it */
  const char* state; /* "held", "kept" (on behalf of kept_for), "stopped", "read-locked", "waiting",
                        "drained" (slot 0: the whole lock) */
  unsigned slot;     /* from 1; 0: none */
  unsigned position; /* of a waiter in its queue, from 1; 0: no waiter */
  unsigned max;      /* of a waiter: the N of its queue; above 262144: readers and writers */
  int64_t pid;       /* 0: not known */
  int64_t kept_for;  /* the process on whose behalf it is held; 0: none */
  int64_t user;      /* user id; -1: not known */
  uint64_t token;    /* of a holder; 0: not known */
  double start;      /* seconds since 1970; -1: not known */
  double age;        /* seconds; -1: not known */
  double expires; /* seconds until it is overdue by its own record, negative once it is; INFINITY:
                     never */
  const char* id; /* never NULL, nor is command */
  const char* command;
  int verified; /* nonzero: the kernel confirms that this process holds the slot */
} atmost_entry;

/* Calls `each` for every entry (drained slots, holders by slot, waiters in the order of their
 * queues) until it returns nonzero. `each` may call any function of this header. `name` is as in
 * atmost_get(); of the options only `directory` is used; NULL is allowed. Returns 0, or an answer;
 * a lock that was never used has no entries.
 */
int atmost_list(const char* name, const atmost_options* options,
                int (*each)(void* context, const atmost_entry* entry), void* context);

/* Returns the answer that atmost_get() would give now with these options and a wait of 0, and in
 * *held (unless NULL) the number of holders. If overdue holders would have to be stopped first, the
 * answer is ATMOST_ADMITTED. May block for five seconds on the lock file's guard. */
int atmost_check(const char* name, const atmost_options* options, unsigned* held);

/* Inside a command that atmost run --max-idle watches: says that it works, and that it may be
 * silent for `eta` seconds from now (0: only that it works; at most 24 days). Returns 1 when a
 * supervisor has been told, 0 when nobody watches, -1 on an error (atmost_message(): the supervisor
 * is another user's or cannot be reached, or `eta` is no such time). May block for two seconds for
 * each supervisor that is stopped. */
int atmost_beat(double eta);

/* About the last call of this thread that did not admit: a sentence (control bytes escaped; valid
 * until this thread's next call); after ATMOST_TOO_SOON the seconds until it is no longer too soon
 * (INFINITY: never); after ATMOST_BUSY and ATMOST_TOO_SOON the reason in one word, as `why` in the
 * history ("no_slot", "immune", "guard", "too_soon", ...), otherwise "". */
const char* atmost_message(void);
double atmost_retry_in(void);
const char* atmost_why(void);

#ifdef __cplusplus
}
#endif

#endif
