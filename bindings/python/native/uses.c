#include <string.h>

#include "atmost_python.h"

/* The owner of a block: the task that ran, or the thread. */
typedef struct Owner {
  PyObject* task; /* NULL: a thread */
  unsigned long thread;
} Owner;

typedef struct Use {
  Owner by;
  Held* held;
  int by_block;
} Use;

struct Uses {
  size_t count, room;
  Use each[];
};

/* The task that runs; NULL without an exception if there is none, as when asyncio was never
 * imported. A new reference. */
static PyObject* CurrentTask(void) {
  PyObject* asyncio = PyDict_GetItem(PyImport_GetModuleDict(), names.asyncio);
  if (asyncio == NULL) return NULL;
  Py_INCREF(asyncio);
  PyObject* task = NULL;
  PyObject* loop = PyObject_CallMethodObjArgs(asyncio, names.get_running_loop, NULL);
  if (loop != NULL && loop != Py_None)
    task = PyObject_CallMethodObjArgs(asyncio, names.current_task, loop, NULL);
  Py_XDECREF(loop);
  Py_DECREF(asyncio);
  PyErr_Clear(); /* asyncio is being imported by another thread: nobody has a task yet */
  if (task == Py_None) Py_CLEAR(task);
  return task;
}

static Owner Current(void) {
  const Owner owner = {CurrentTask(), PyThread_get_thread_ident()};
  return owner;
}

static int IsBy(const Use* use, const Owner* owner) {
  if (owner->task != NULL || use->by.task != NULL) return use->by.task == owner->task;
  return use->by.thread == owner->thread;
}

int UsesPush(Lock* lock, Held* held, int by_block) {
  const Owner owner = Current();
  Uses* uses = lock->uses;
  if (uses == NULL || uses->count == uses->room) {
    const size_t room = uses == NULL ? 4 : uses->room * 2;
    Uses* larger = PyMem_Realloc(uses, sizeof(Uses) + room * sizeof(Use));
    if (larger == NULL) {
      Py_XDECREF(owner.task);
      PyErr_NoMemory();
      return -1;
    }
    if (uses == NULL) larger->count = 0;
    larger->room = room;
    lock->uses = uses = larger;
  }
  const Use use = {owner, held, by_block};
  Py_INCREF(held);
  if (!by_block) held->by = lock;
  uses->each[uses->count++] = use;
  return 0;
}

/* Its reference to the Held becomes the caller's. */
static Held* Remove(Uses* uses, size_t at) {
  const Use use = uses->each[at];
  --uses->count;
  memmove(&uses->each[at], &uses->each[at + 1], (uses->count - at) * sizeof(Use));
  Py_XDECREF(use.by.task);
  use.held->by = NULL;
  return use.held;
}

static int IsMeant(const Use* use, int by_block) {
  return by_block ? use->by_block : use->held->lock != NULL;
}

/* The hold of a block stays until the block's end. */
static Held* TakeOut(Uses* uses, size_t at, int by_block) {
  if (by_block || !uses->each[at].by_block) return Remove(uses, at);
  Py_INCREF(uses->each[at].held);
  return uses->each[at].held;
}

/* A generator may be closed, and an ExitStack left, by another task or thread. */
Held* UsesPop(Lock* lock, int by_block) {
  const Owner owner = Current();
  Uses* uses = lock->uses;
  size_t meant = 0, last = 0, own = 0; /* places from 1; 0: none */
  for (size_t at = 0; uses != NULL && at < uses->count; ++at) {
    if (!IsMeant(&uses->each[at], by_block)) continue;
    ++meant;
    last = at + 1;
    if (IsBy(&uses->each[at], &owner)) own = at + 1;
  }
  Py_XDECREF(owner.task);
  if (own > 0) return TakeOut(uses, own - 1, by_block);
  if (meant == 1) return TakeOut(uses, last - 1, by_block);
  PyErr_SetString(PyExc_RuntimeError,
                  meant == 0
                      ? "the lock is not held"
                      : "it was taken by another task or thread; use `with lock.acquire()` or "
                        "`with await lock.acquire_async()`");
  return NULL;
}

void UsesRemove(Lock* lock, const Held* held) {
  for (size_t at = lock->uses == NULL ? 0 : lock->uses->count; at > 0; --at) {
    if (lock->uses->each[at - 1].held != held) continue;
    Py_DECREF(Remove(lock->uses, at - 1));
    return;
  }
}

void UsesClear(Lock* lock) {
  while (lock->uses != NULL && lock->uses->count > 0)
    Py_DECREF(Remove(lock->uses, lock->uses->count - 1));
  PyMem_Free(lock->uses);
  lock->uses = NULL;
}

int UsesVisit(const Lock* lock, visitproc visit, void* arg) {
  for (size_t at = 0; lock->uses != NULL && at < lock->uses->count; ++at) {
    Py_VISIT(lock->uses->each[at].by.task);
    Py_VISIT(lock->uses->each[at].held);
  }
  return 0;
}
