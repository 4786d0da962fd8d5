/* Shared by the parts of the extension. It is C so that no handler of a signal can get between an
 * admission and its owner, or between the end of a block and the release: Python runs handlers
 * before and after calls of C, never within them.
 *
 * A function that returns NULL or -1 has set an exception. Everything is called with the
 * interpreter's lock held; it is let go around each call of the library that does system calls. */
#ifndef ATMOST_PYTHON_H
#define ATMOST_PYTHON_H

/* One module for every Python from 3.9 on. */
#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <atmost/atmost.h>

/* HELD (held.c). An admission. It has its owner here before the library is asked. */
typedef struct Held {
  PyObject_HEAD atmost_lock* lock; /* NULL once it is released */
  PyObject* on_lost;               /* which the library calls until the release; or NULL */
  struct Lock* by;                 /* the Lock that has it by acquire(), or NULL */
  uint64_t token;
  unsigned slot;
  PyObject* weak_references;
} Held;
extern PyType_Spec held_spec;

Held* HeldNew(PyObject* on_lost);
/* `answer` is that of the call that wrote held->lock. Takes the reference to `held`: returns it, or
 * raises the refusal. */
PyObject* HeldIf(Held* held, int answer);
/* The argument of release(); -1: an exception. */
int SuccessOf(PyObject* args, PyObject* keywords);
/* The success of a block, by the arguments of its __exit__(). */
int HasSucceeded(PyObject* args);
/* Releases the lock. A second call does nothing. */
void HeldEnd(Held* held, int success);

/* LOCKS (lock.c, options.c). Locks to be taken, with their options. */
typedef struct Uses Uses;
typedef struct Lock {
  PyObject_HEAD atmost_request* request;
  PyObject* on_lost;
  Uses* uses; /* what it holds; NULL: nothing */
  PyObject* weak_references;
} Lock;
extern PyType_Spec lock_spec;

/* Sets an option: (name, value). Does nothing for None. */
PyObject* SetOption(Lock* lock, PyObject* args);
Held* Take(Lock* lock);

/* USES (uses.c). The holds of a Lock, by task or, where there is none, by thread: by blocks, and by
 * acquire(). */
int UsesPush(Lock* lock, Held* held, int by_block);
/* The last hold of the running task or thread, or else the only one: that of a block, or with
 * `by_block` 0 any that is still held. A new reference. */
Held* UsesPop(Lock* lock, int by_block);
void UsesRemove(Lock* lock, const Held* held);
void UsesClear(Lock* lock);
int UsesVisit(const Lock* lock, visitproc visit, void* arg);

/* FILE LOCKS (filelock.c). */
extern PyType_Spec file_lock_spec, file_use_spec;

/* WAITS (waiting.c). */
extern PyType_Spec waiting_spec;
/* lock._begin() */
PyObject* WaitingNew(Lock* lock, PyObject* unused);
/* Waits until it is answered; -1: the handler of a signal raised. */
int Await(const atmost_pending* pending);
/* In place of atmost_finish(). A takeover that has begun is finished first. */
void Abandon(atmost_pending* pending);

/* LOOKING (look.c). */
PyObject* List(Lock* lock, PyObject* unused);
PyObject* Check(Lock* lock, PyObject* unused);

/* MODULE (module.c). */

typedef struct Types {
  PyTypeObject *held, *lock, *file_lock, *file_use, *waiting;
} Types;
extern Types types;
/* For types whose objects only this module makes. */
PyObject* RefuseNew(PyTypeObject* type, PyObject* args, PyObject* keywords);
/* The end of every dealloc. */
void Free(PyObject* self);
/* Stores `value`, with its reference, in `place`, and drops the previous object. */
void Replace(PyObject** place, PyObject* value);
/* True once the program's own end has begun. */
int IsEnding(void);

/* The exception for `answer`, the thread's last one. */
PyObject* Refusal(int answer);
void RaiseRefusal(int answer);
typedef struct Names {
  PyObject *asyncio, *get_running_loop, *current_task, *acquire, *use;
} Names;
extern Names names;
/* A coroutine that is over at once. */
PyObject* Nothing(void);

#endif
