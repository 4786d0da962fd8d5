#include <stddef.h>

#include "atmost_python.h"
#include "structmember.h"

/* A lock that is free is taken at once. -1: the handler of a signal raised. */
static int GetOrWait(const Lock* lock, atmost_lock** to) {
  atmost_pending* pending = NULL;
  int answered = 0;
  int answer;
  Py_BEGIN_ALLOW_THREADS answer = atmost_begin(lock->request, &pending);
  if (answer == ATMOST_ADMITTED) answered = atmost_answered(pending);
  if (answered) answer = atmost_finish(pending, to);
  Py_END_ALLOW_THREADS if (answer != ATMOST_ADMITTED || answered) return answer;
  if (Await(pending) != 0) {
    Abandon(pending);
    return -1;
  }
  return atmost_finish(pending, to);
}

Held* Take(Lock* lock) {
  Held* held = HeldNew(lock->on_lost);
  if (held == NULL) return NULL;
  int answer;
  if (atmost_waits(lock->request)) {
    answer = GetOrWait(lock, &held->lock);
  } else {
    Py_BEGIN_ALLOW_THREADS answer = atmost_get(lock->request, &held->lock);
    Py_END_ALLOW_THREADS
  }
  if (answer >= 0) return (Held*)HeldIf(held, answer);
  Py_DECREF(held);
  return NULL;
}

static PyObject* TakeAndKeep(Lock* lock, int by_block) {
  Held* held = Take(lock);
  if (held != NULL && UsesPush(lock, held, by_block) != 0) Py_CLEAR(held);
  return (PyObject*)held;
}

static PyObject* Acquire(PyObject* self, PyObject* unused) {
  (void)unused;
  return TakeAndKeep((Lock*)self, 0);
}

static PyObject* Enter(PyObject* self, PyObject* unused) {
  (void)unused;
  return TakeAndKeep((Lock*)self, 1);
}

static PyObject* Release(Lock* lock, PyObject* args, PyObject* keywords) {
  const int success = SuccessOf(args, keywords);
  Held* held = success < 0 ? NULL : UsesPop(lock, 0);
  if (held == NULL) return NULL;
  HeldEnd(held, success);
  Py_DECREF(held);
  Py_RETURN_NONE;
}

static PyObject* Exit(Lock* lock, PyObject* args) {
  Held* held = UsesPop(lock, 1);
  if (held == NULL) return NULL;
  HeldEnd(held, HasSucceeded(args));
  Py_DECREF(held);
  Py_RETURN_NONE;
}

/* The lock is released before anything is awaited. */
static PyObject* AsyncExit(Lock* lock, PyObject* args) {
  PyObject* left = Exit(lock, args);
  if (left == NULL) return NULL;
  Py_DECREF(left);
  return Nothing();
}

static int CheckHeldType(PyObject* held) {
  if (Py_TYPE(held) == types.held) return 1;
  PyErr_SetString(PyExc_TypeError, "a Held is needed");
  return 0;
}

static PyObject* Kept(PyObject* self, PyObject* held, int by_block) {
  if (!CheckHeldType(held) || UsesPush((Lock*)self, (Held*)held, by_block) != 0) return NULL;
  Py_RETURN_NONE;
}

static PyObject* Acquired(PyObject* self, PyObject* held) { return Kept(self, held, 0); }

static PyObject* Entered(PyObject* self, PyObject* held) { return Kept(self, held, 1); }

static PyObject* NotEntered(PyObject* self, PyObject* held) {
  if (!CheckHeldType(held)) return NULL;
  HeldEnd((Held*)held, 0);
  UsesRemove((Lock*)self, (const Held*)held);
  Py_RETURN_NONE;
}

/* The name, or an atom's operator and operand: bytes. */
static int Init(PyObject* self, PyObject* args, PyObject* keywords) {
  Lock* lock = (Lock*)self;
  const char* name = NULL;
  const char* operand = NULL;
  if (lock->request != NULL || (keywords != NULL && PyDict_Size(keywords) != 0)) {
    PyErr_SetString(PyExc_TypeError, "a Lock is initialized once, with positional bytes");
    return -1;
  }
  if (!PyArg_ParseTuple(args, "y|y", &name, &operand)) return -1;
  lock->request = operand != NULL ? atmost_new_atom(name, operand) : atmost_new(name);
  return 0;
}

static int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((Lock*)self)->on_lost);
  return UsesVisit((Lock*)self, visit, arg);
}

static int Clear(PyObject* self) {
  Lock* lock = (Lock*)self;
  UsesClear(lock);
  atmost_free(lock->request);
  lock->request = NULL;
  Py_CLEAR(lock->on_lost); /* each Held has a reference of its own */
  return 0;
}

static void Dealloc(PyObject* self) {
  Lock* lock = (Lock*)self;
  PyObject_GC_UnTrack(self);
  if (lock->weak_references != NULL) PyObject_ClearWeakRefs(self);
  Clear(self);
  Free(self);
}

static PyMethodDef methods[] = {
    {"acquire", Acquire, METH_NOARGS,
     "acquire(): returns a Held, or raises Busy or TooSoon. The lock is held until this Lock or "
     "the Held is released. A signal's handler runs during the wait; if it raises an exception "
     "(KeyboardInterrupt), the wait is given up."},
    {"release", (PyCFunction)(void (*)(void))Release, METH_VARARGS | METH_KEYWORDS,
     "release(success=True): ends the last hold of this task or thread, or else the only hold."},
    {"__enter__", Enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)(void (*)(void))Exit, METH_VARARGS, NULL},
    {"__aexit__", (PyCFunction)(void (*)(void))AsyncExit, METH_VARARGS, NULL},
    {"_set", (PyCFunction)(void (*)(void))SetOption, METH_VARARGS, NULL},
    {"_begin", (PyCFunction)WaitingNew, METH_NOARGS, NULL},
    {"_acquired", Acquired, METH_O, NULL},
    {"_entered", Entered, METH_O, NULL},
    {"_not_entered", NotEntered, METH_O, NULL},
    {"_list", (PyCFunction)List, METH_NOARGS, NULL},
    {"_check", (PyCFunction)Check, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Lock, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, PyType_GenericNew}, {Py_tp_init, Init},
                              {Py_tp_dealloc, Dealloc},       {Py_tp_traverse, Traverse},
                              {Py_tp_clear, Clear},           {Py_tp_methods, methods},
                              {Py_tp_members, members},       {0, NULL}};

PyType_Spec lock_spec = {"atmost._atmost.Lock", sizeof(Lock), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
