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
 * (expire_after), and the holder has agreed, since stopping means INT, TERM and KILL for its whole
 * program. A program agrees once, before it takes its first lock:
 *
 *     atmost_may_be_killed(1);
 *
 * Without that, and without the option may_be_killed or on_lost, a lock is not taken over while its
 * program runs. Callers that find it overdue get ATMOST_BUSY, and atmost_why() returns
 * "immune".
 *
 * WAITING FOR ITSELF. A call with a wait of INFINITY for slots that this very thread has taken and
 * still has, all of those that it could get, is answered ATMOST_BUSY at once, and atmost_why()
 * returns "ancestor", as pthread_mutex_lock() answers EDEADLK; so is any wait in a program that
 * runs under a hold of that lock. If other threads release what this one takes, ask with
 * atmost_begin(). Locks with on_lost, which may end by themselves, are waited for.
 *
 * HISTORY. The events of a lock are recorded as `atmost run` records it (docs/monitoring.md):
 * admissions, refusals, ends, takeovers. A record that cannot be written is left out without a
 * report. One descriptor of the log stays open (close-on-exec) between calls; the program may close
 * it.
 *
 * DESCRIPTORS. A held lock has two, close-on-exec, and a third if it was waited for. After its
 * release two may stay open, without a lock on them, for the next take of the same path; so there
 * are at most two for each lock that the process has held at the same time. The program may close
 * them. They are not used again after the file was replaced, after a fork or a change of user, or
 * when their numbers refer to other files. A program that closes those of a lock that it holds, as
 * daemons close everything when they start, loses the lock without a notice; files that it opens
 * under their numbers are left alone.
 *
 * STORES. Locks are files unless the option `store`, or else $ATMOST_STORE, says otherwise, as
 * in atmost(1); a text that names no store, and what a store cannot do, are ATMOST_USAGE.
 *
 * "symlink:": symbolic links (docs/scripts.md). Such a lock belongs to the process that took
 * it, and to no child made by fork(), and lasts until that process ends, also through exec. It has
 * no on_lost, except for max_runtime.
 *
 * "etcd://...", "postgres://...", "shared:/DIRECTORY": stores of many machines. Helper processes
 * serve them, of atmost-relay and atmost, which are looked for as atmost(1) looks for its programs
 * (ATMOST_EXEC_PATH, else where they were installed); if they are not there the answer is
 * ATMOST_UNAVAILABLE. Four of them keep a held lock: one that asks, `atmost run` and its monitor,
 * and the command, which stands for the work of this program. They have a session of their own, no
 * descriptor of the program but one end of a connection to it, default signals, and are not
 * children of the program: they cause no SIGCHLD, and no wait of the program returns because of
 * them (a program that adopts orphans, such as process 1 of a container, reaps the first of them as
 * it does others). A held lock has two descriptors, close-on-exec. If the program ends, however it
 * ends, the slots become free; children made by fork() while the program has the lock share it, as
 * that of a file. A lock file on NFS 4.1 or 4.2 is one of "shared:" if `store` says so, and is
 * refused (ATMOST_IO) if it does not: atmost_message() then names that store. If the lock is lost
 * (its lease, the supervisor, or another helper process was killed), or a taker has it, on_lost is
 * called, and atmost_held() answers 0: a lock in a fleet can always be lost, so ask or give
 * on_lost. may_be_killed is refused, and atmost_may_be_killed() has no effect there.
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
#define ATMOST_API_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/* That of the library in use: everything in the header of that version is there. */
int atmost_api_version(void);

/* Answers: 0, or the exit code that atmost(1) would end with (EXIT STATUS there).
 * ATMOST_INTERRUPTED is none of those. */
enum {
  ATMOST_ADMITTED = 0,
  ATMOST_INTERRUPTED = 4,    /* a signal handler ran while an interruptible call waited, or
                                atmost_cancel() was called */
  ATMOST_USAGE = 64,         /* an argument makes no sense */
  ATMOST_UNAVAILABLE = 69,   /* the store of a fleet cannot be reached, or the program that serves
                                it is not installed */
  ATMOST_INTERNAL = 70,      /* out of memory, or a defect */
  ATMOST_CANNOT_CREATE = 73, /* the lock file cannot be created */
  ATMOST_IO = 74,   /* I/O error, or the path is no lock file, or the filesystem keeps no locks */
  ATMOST_BUSY = 75, /* held by others; an answer, not an error */
  ATMOST_TOO_SOON = 76,     /* admitted too recently; atmost_retry_in() says when to come back */
  ATMOST_NOT_PERMITTED = 77 /* the file, its directory, or stopping the overdue holder */
};

typedef struct atmost_request atmost_request; /* which lock to ask for, and how */
typedef struct atmost_lock atmost_lock;       /* a held lock */
typedef struct atmost_pending atmost_pending; /* a request that waits beside the program */

/* REQUESTS. A request is made once, and asked any number of times, by any number of threads at a
 * time:
 *
 *     atmost_request* request = atmost_new("job");
 *     atmost_set(request, "rate", "5/1m");
 *     atmost_set_seconds(request, "wait", 30);
 *     atmost_lock* lock;
 *     if (atmost_get(request, &lock) == ATMOST_ADMITTED) {
 *       ...
 *       atmost_release(lock, 1);
 *     }
 *     atmost_free(request);
 *
 * Its first use completes it: after that no option can be set. An error of an option that was
 * set is the answer of each use, too: it is enough to look at that. A request is memory alone,
 * and may be freed while its locks are held. */

/* For a LOCK as atmost(1) takes it: a path (with a slash), a name, or operator:operand. NULL: out
 * of memory; every function takes that for a request, and answers ATMOST_INTERNAL. */
atmost_request* atmost_new(const char* lock);

/* For an atom of Burgess & Skipitaris (LISA '97); the option `host` says whose: without it, this
 * host's. */
atmost_request* atmost_new_atom(const char* operator_, const char* operand);

/* NULL is allowed. */
void atmost_free(atmost_request* request);

/* Sets an option to a value, as atmost(1) takes it; both are copied. ATMOST_ADMITTED, or
 * ATMOST_USAGE: then atmost_message() says what is wrong. An option that is set again has the later
 * value. These are the options, which are described in atmost-run(1):
 *
 *     max N            at most so many at a time; 1 to 262144 (1)
 *     take K           slots to take, all or none; 1 to 1024, at most max (1)
 *     shared           together with other readers, while no writer is in; max limits readers
 *     exclusive        a writer alone, whatever max other callers have
 *     wait DUR         how long to wait for admission (0: answer at once)
 *     on_busy A        when the wait is over and the lock is still held: fail; replace the oldest
 *                      holder as if it were overdue; join: one waiter does the work once more for
 *                      all, and later callers get ATMOST_BUSY, "joined"; supersede: the newest
 *                      waiter alone goes on waiting, and earlier ones that said so too get
 *                      ATMOST_BUSY, "superseded". With these two wait is inf if not given (fail)
 *     queue_max M      ATMOST_BUSY at once, "queue_full", if so many wait already
 *     if_elapsed DUR   too soon if the last admission is more recent; inf: once only; or auto (0)
 *     elapsed_from P   if_elapsed counts from the last start, finish or success (start)
 *     rate K/DUR       too soon if K were admitted within the last DUR, whoever they were
 *     on_too_soon A    fail; wait: wait also while it is too soon, if wait is long enough (fail)
 *     expire_after DUR older holders are stopped if they stand in the way; or auto (inf: never)
 *     max_runtime DUR  how long the lock may be held: then the library releases it and calls
 *                      on_lost, which must be given and has to end the work itself; or auto (inf)
 *     no_learn         auto does not learn from this hold
 *     kill_grace DUR   the pause after each of INT, TERM and KILL (2s)
 *     may_be_killed A  what a taker may do when this lock is overdue: yes: stop this whole
 *                      program; no: nothing. Without it: have on_lost called, and without that,
 *                      what atmost_may_be_killed() agreed to
 *     also [N@]LOCK    another lock to take at the same time, all or none, without deadlock
 *                      whatever the order. To be set for each, 15 times at most. shared,
 *                      exclusive, max and take are for the first lock, other options for all
 *     now TIME         seconds since 1970 to decide with (the clocks)
 *     dir DIR          where named locks and atoms are (as atmost(1) decides)
 *     host NAME        this machine's name in paths and atoms (the machine's)
 *     store URL        where locks are kept: see STORES ($ATMOST_STORE, else file:)
 *     id TEXT          shown by atmost list; up to 63 bytes
 *     log FILE         the history's file (as atmost(1) decides)
 *     no_history       nothing is recorded
 *     mode OCTAL       permissions of a lock file that this call creates (600)
 *     trust_fs         this filesystem is known to keep locks, though atmost does not know it
 *
 * DUR is as in atmost(1): 90, 15m, 1h30m, 250ms, inf. An option without a value is set by "true"
 * or NULL, and not set by "false".
 */
int atmost_set(atmost_request* request, const char* option, const char* value);

/* The same for seconds (of wait, if_elapsed, now, ...), to nanoseconds; INFINITY is inf. NaN and
 * numbers below 0 are ATMOST_USAGE: a limit is learned only if it is set to the word auto. */
int atmost_set_seconds(atmost_request* request, const char* option, double seconds);

/* The same for a whole number, 0 or more: counts, whole seconds, and mode, whose bits it has. */
int atmost_set_number(atmost_request* request, const char* option, int64_t number);

/* Has `on_lost` called, at most once for each lock, on a thread of the library, when a taker has
 * taken the lock, or when max_runtime is over. The lock is released by then. on_lost may call any
 * function of this header, but must not wait for the thread that owns the lock to release it. If
 * the thread cannot be started, the answer is ATMOST_INTERNAL, and the slot is free again. A
 * function that was set before the first use may be replaced between two uses: each lock keeps what
 * it was taken with. */
int atmost_set_on_lost(atmost_request* request, void (*on_lost)(void* context, uint64_t token),
                       void* context);

/* Has a wait of atmost_get() end with ATMOST_INTERRUPTED when a signal handler ran on the waiting
 * thread; the place in the queue is given up. Without this, handlers run, and the wait goes on. An
 * interruptible call that may wait blocks the thread's signals and lets them through only while it
 * waits and at its end, so that none is missed in between. A takeover that has begun is finished
 * first; an admission that came before the signal stands. A signal sent to the process may be
 * delivered to another thread that does not block it: then it interrupts nothing.
 *
 * `wait_mask`: a sigset_t, which must exist until atmost_free(), the thread's signal mask while it
 * waits, as for ppoll(2); NULL: the mask it has at the call. A handler that ran before the call
 * does not interrupt it; to miss no signal, block it, check whether it came, and call with a mask
 * that lets it through. */
int atmost_set_interruptible(atmost_request* request, const void* wait_mask);

/* Agrees (nonzero), or no longer agrees (0), that a taker may stop this whole program when a lock
 * that the program takes from now on is overdue: see HANGING HOLDERS. Returns the previous value,
 * at first 0. If a lock's request has may_be_killed or on_lost, those apply. A child made by
 * fork() begins with its parent's agreement. */
int atmost_may_be_killed(int agreed);

/* The time that atmost_get() may take: 0: it answers at once; 1: it may stop an overdue holder
 * first; 2: it may wait for admission. Callers that must not be held up use atmost_begin() then. */
int atmost_waits(atmost_request* request);

/* Asks. On ATMOST_ADMITTED *lock is set and becomes this thread's current lock; otherwise *lock is
 * NULL. Waits as long as the request allows; beyond that blocks at most five seconds on the lock
 * file's guard, and for three pauses of kill_grace when it stops an overdue holder. */
int atmost_get(atmost_request* request, atmost_lock** lock);

/* GetLock() of Burgess & Skipitaris (LISA '97): one holder at a time of the atom operator:operand.
 * `ifelapsed` and `expireafter` are if_elapsed and expire_after in seconds; `host`: NULL for this
 * host; `now`: seconds since 1970, a negative value for the clocks. Otherwise as atmost_get(). */
int atmost_get_lock(const char* operator_, const char* operand, double ifelapsed,
                    double expireafter, const char* host, double now, atmost_lock** lock);

/* ASKING WITHOUT BLOCKING, for programs with an event loop and for languages whose interpreter must
 * not be held up. One atmost_get() runs on a thread of the library:
 *
 *     atmost_pending* pending;
 *     if (atmost_begin(request, &pending) == ATMOST_ADMITTED) {
 *       if (!atmost_answered(pending))
 *         ... until atmost_descriptor(pending) is readable ...
 *       answer = atmost_finish(pending, &lock);
 *     }
 *
 * A lock that is free is taken at once. Until it is finished, any other call costs one thread
 * with every signal blocked, one pair of descriptors (close-on-exec), and those that atmost_get()
 * would have open. While it waits behind others the thread looks again every 10 ms at most. It
 * keeps one place in the queue throughout. If the process dies, its place and its slots are free. A
 * child made by fork() has no part in its parent's calls: there atmost_cancel() does nothing, and
 * atmost_finish() frees the descriptors and answers ATMOST_INTERRUPTED. Between admission and
 * atmost_finish() the lock is held, and may become overdue like any other.
 *
 * The request may be freed when atmost_begin() returns, but what on_lost uses must remain.
 * atmost_set_interruptible() has no effect here. It does not block on the lock. On ATMOST_ADMITTED
 * *pending is set, and must be finished; else it is NULL, and atmost_message() has the reason. */
int atmost_begin(atmost_request* request, atmost_pending** pending);

/* 1: atmost_finish() will not block; 0: not yet. Any thread may ask; no system call. */
int atmost_answered(const atmost_pending* pending);

/* A descriptor only to be polled for reading, by poll, epoll, select or kqueue: it is readable as
 * soon as atmost_finish() will not block. It stays the same until atmost_finish() closes it. -1:
 * the call is answered, and no descriptor is left to say so. Not from two threads at a time. */
int atmost_descriptor(const atmost_pending* pending);

/* Ends the wait early; returns at once. Any thread and any signal handler may call it, any number
 * of times, until atmost_finish() is called. An admission that came first stands. A takeover that
 * has begun is finished first. */
void atmost_cancel(const atmost_pending* pending);

/* The answer of atmost_get(), or ATMOST_INTERRUPTED after atmost_cancel(). On ATMOST_ADMITTED *lock
 * is set and becomes the calling thread's current lock; otherwise it is NULL. Frees what is
 * pending. Any thread may call it, once; it blocks until there is an answer. */
int atmost_finish(atmost_pending* pending, atmost_lock** lock);

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

/* LOOKING. These functions create, write and keep nothing, and do not wait for the lock. Their
 * reports may be outdated when they return.
 *
 * One holder, waiter or drained slot, as atmost list shows it. Texts are borrowed for the call;
 * they come from records that any user of the lock file may have written, control bytes included.
 */
typedef struct atmost_entry {
  size_t size;       /* of this struct, in the library that fills it */
  const char* state; /* "held", "kept" (on behalf of kept_for), "stopped", "read-locked", "foreign"
                        (another program's lock, on several slots from this one on), "waiting",
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
 * queues) until it returns nonzero. `each` may call any function of this header. Of the request
 * only the lock and where it is (dir, host, store) count. Returns 0, or an answer; a lock that was
 * never used has no entries. */
int atmost_list(atmost_request* request, int (*each)(void* context, const atmost_entry* entry),
                void* context);

/* Returns the answer that atmost_get() would give now with this request and a wait of 0, and in
 * *held (unless NULL) the number of holders. If overdue holders would have to be stopped first, the
 * answer is ATMOST_ADMITTED. May block for five seconds on the lock file's guard. */
int atmost_check(atmost_request* request, unsigned* held);

/* Inside a command that atmost run --max-idle watches: reports that it works, and that it may be
 * silent for `eta` seconds from now (0: only that it works; at most 24 days). Returns 1 if a
 * supervisor got it, 0 if none watches, -1 on an error (atmost_message(): the supervisor is another
 * user's or cannot be reached, or `eta` is not such a time). May block for two seconds for each
 * supervisor that is stopped. */
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
