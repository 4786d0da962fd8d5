#include <string.h>

#include "atmost_python.h"

/* Who entered a block: the task that ran, or the thread. */
typedef struct Owner {
  PyObject* task; /* NULL: a thread */
  unsigned long thread;
} Owner;

typedef struct Use {
  Owner by;
  Held* held;
} Use;

struct Uses {
  size_t count, room;
  Use each[];
};

/* The task that runs; NULL without an exception: none. A new reference. Where asyncio was never
 * imported there is none. */
static PyObject* CurrentTask(void) {
  PyObject* asyncio = PyDict_GetItem(PyImport_GetModuleDict(), names.asyncio);
  if (asyncio == NULL) return NULL;
  Py_INCREF(asyncio);
  PyObject* task = NULL;
  PyObject* loop = PyObject_CallMethodNoArgs(asyncio, names.get_running_loop);
  if (loop != NULL && loop != Py_None)
    task = PyObject_CallMethodOneArg(asyncio, names.current_task, loop);
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

int UsesPush(Lock* lock, Held* held) {
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
  const Use use = {owner, held};
  Py_INCREF(held);
  uses->each[uses->count++] = use;
  return 0;
}

/* Its reference to the Held becomes the caller's. */
static Held* Remove(Uses* uses, size_t at) {
  const Use use = uses->each[at];
  --uses->count;
  memmove(&uses->each[at], &uses->each[at + 1], (uses->count - at) * sizeof(Use));
  Py_XDECREF(use.by.task);
  return use.held;
}

/* A generator may be closed, and an ExitStack left, by another task or thread. */
Held* UsesPop(Lock* lock) {
  const Owner owner = Current();
  Uses* uses = lock->uses;
  const size_t count = uses == NULL ? 0 : uses->count;
  size_t at = count;
  while (at > 0 && !IsBy(&uses->each[at - 1], &owner)) --at;
  Py_XDECREF(owner.task);
  if (at > 0) return Remove(uses, at - 1);
  if (count == 1) return Remove(uses, 0);
  PyErr_SetString(PyExc_RuntimeError,
                  "the block was entered by another task or thread; use `with lock.acquire()` or "
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
