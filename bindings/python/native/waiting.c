#include <poll.h>
#include <stdint.h>

#include "atmost_python.h"

/* Handlers are asked for at intervals, too: a signal may be delivered to another thread, or just
 * before poll(). */
enum { HEAR_MS = 100 };

int Await(const atmost_pending* pending) {
  if (atmost_answered(pending)) return 0;
  struct pollfd answer = {atmost_descriptor((atmost_pending*)(uintptr_t)pending), POLLIN, 0};
  for (;;) {
    int ready;
    Py_BEGIN_ALLOW_THREADS ready = poll(&answer, 1, HEAR_MS);
    Py_END_ALLOW_THREADS if (PyErr_CheckSignals() != 0) return -1;
    if (ready == 1) return 0;
  }
}

/* The exception that is set stays. */
void Abandon(atmost_pending* pending) {
  Py_BEGIN_ALLOW_THREADS atmost_lock* lock;
  atmost_cancel(pending);
  if (atmost_finish(pending, &lock) == ATMOST_ADMITTED) atmost_release(lock, 0);
  Py_END_ALLOW_THREADS
}

/* A request that waits beside the program. Unless it is finished, it ends with its last
 * reference. */
typedef struct Waiting {
  PyObject_HEAD atmost_pending* pending; /* NULL once it is finished */
  PyObject* on_lost;
} Waiting;

PyObject* WaitingNew(Lock* lock, PyObject* unused) {
  (void)unused;
  Waiting* waiting = PyObject_New(Waiting, types.waiting);
  if (waiting == NULL) return NULL;
  waiting->pending = NULL;
  waiting->on_lost = lock->on_lost;
  Py_XINCREF(waiting->on_lost);
  int answer;
  Py_BEGIN_ALLOW_THREADS answer = atmost_begin(lock->request, &waiting->pending);
  Py_END_ALLOW_THREADS if (answer == ATMOST_ADMITTED) return (PyObject*)waiting;
  RaiseRefusal(answer);
  Py_DECREF(waiting);
  return NULL;
}

static atmost_pending* TakePending(Waiting* waiting) {
  atmost_pending* pending = waiting->pending;
  waiting->pending = NULL;
  return pending;
}

static PyObject* GiveUp(PyObject* self, PyObject* unused) {
  (void)unused;
  atmost_pending* pending = TakePending((Waiting*)self);
  if (pending != NULL) Abandon(pending);
  Py_RETURN_NONE;
}

static void Dealloc(PyObject* self) {
  Py_DECREF(GiveUp(self, NULL));
  Py_CLEAR(((Waiting*)self)->on_lost);
  Free(self);
}

static int IsOver(const Waiting* waiting) {
  if (waiting->pending != NULL) return 0;
  PyErr_SetString(PyExc_RuntimeError, "it is finished");
  return 1;
}

static PyObject* Answered(PyObject* self, PyObject* unused) {
  (void)unused;
  const Waiting* waiting = (Waiting*)self;
  return IsOver(waiting) ? NULL : PyBool_FromLong(atmost_answered(waiting->pending));
}

static PyObject* Descriptor(PyObject* self, PyObject* unused) {
  (void)unused;
  const Waiting* waiting = (Waiting*)self;
  return IsOver(waiting) ? NULL : PyLong_FromLong(atmost_descriptor(waiting->pending));
}

static PyObject* Cancel(PyObject* self, PyObject* unused) {
  (void)unused;
  const Waiting* waiting = (Waiting*)self;
  if (IsOver(waiting)) return NULL;
  atmost_cancel(waiting->pending);
  Py_RETURN_NONE;
}

static PyObject* Finish(PyObject* self, PyObject* unused) {
  (void)unused;
  Waiting* waiting = (Waiting*)self;
  if (IsOver(waiting)) return NULL;
  Held* held = HeldNew(waiting->on_lost);
  if (held == NULL) return NULL;
  atmost_pending* pending = TakePending(waiting);
  int answer;
  Py_BEGIN_ALLOW_THREADS answer = atmost_finish(pending, &held->lock);
  Py_END_ALLOW_THREADS return HeldIf(held, answer);
}

static PyMethodDef methods[] = {
    {"answered", Answered, METH_NOARGS, "answered(): whether finish() will not block."},
    {"descriptor", Descriptor, METH_NOARGS, "descriptor(): readable when it is answered."},
    {"cancel", Cancel, METH_NOARGS, "cancel(): ends the wait early."},
    {"finish", Finish, METH_NOARGS, "finish(): the Held, or raises."},
    {"abandon", GiveUp, METH_NOARGS,
     "abandon(): in place of finish(). A takeover that has begun is finished first."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {
    {Py_tp_new, RefuseNew}, {Py_tp_dealloc, Dealloc}, {Py_tp_methods, methods}, {0, NULL}};

PyType_Spec waiting_spec = {"atmost._atmost.Waiting", sizeof(Waiting), 0, Py_TPFLAGS_DEFAULT,
                            slots};
