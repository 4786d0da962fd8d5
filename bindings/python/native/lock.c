#include <stddef.h>

#include "atmost_python.h"

int Begin(const Lock* lock, atmost_request** request) {
  if (lock->operand != NULL)
    return atmost_begin_atom(lock->name, lock->operand, lock->host, &lock->options, request);
  return atmost_begin(lock->name, &lock->options, request);
}

int Get(const Lock* lock, atmost_lock** to) {
  if (lock->operand != NULL)
    return atmost_get_atom(lock->name, lock->operand, lock->host, &lock->options, to);
  return atmost_get(lock->name, &lock->options, to);
}

/* A lock that is free is taken at once. -1: the handler of a signal raised. */
static int GetOrWait(const Lock* lock, atmost_lock** to) {
  atmost_request* request = NULL;
  int answered = 0;
  int answer;
  Py_BEGIN_ALLOW_THREADS answer = Begin(lock, &request);
  if (answer == ATMOST_ADMITTED) answered = atmost_answered(request);
  if (answered) answer = atmost_finish(request, to);
  Py_END_ALLOW_THREADS if (answer != ATMOST_ADMITTED || answered) return answer;
  if (Await(request) != 0) {
    Abandon(request);
    return -1;
  }
  return atmost_finish(request, to);
}

Held* Take(Lock* lock) {
  Held* held = HeldNew(lock->on_lost);
  if (held == NULL) return NULL;
  int answer;
  if (lock->options.wait == 0) {
    Py_BEGIN_ALLOW_THREADS answer = Get(lock, &held->lock);
    Py_END_ALLOW_THREADS
  } else {
    answer = GetOrWait(lock, &held->lock);
  }
  if (answer >= 0) return (Held*)HeldIf(held, answer);
  Py_DECREF(held);
  return NULL;
}

static PyObject* Acquire(PyObject* self, PyObject* unused) {
  (void)unused;
  return (PyObject*)Take((Lock*)self);
}

static PyObject* Enter(PyObject* self, PyObject* unused) {
  (void)unused;
  Held* held = Take((Lock*)self);
  if (held != NULL && UsesPush((Lock*)self, held) != 0) Py_CLEAR(held);
  return (PyObject*)held;
}

static PyObject* Exit(Lock* lock, PyObject* const* args, Py_ssize_t count) {
  Held* held = UsesPop(lock);
  if (held == NULL) return NULL;
  HeldEnd(held, count == 0 || args[0] == Py_None);
  Py_DECREF(held);
  Py_RETURN_NONE;
}

/* The lock is released before anything is awaited. */
static PyObject* AsyncExit(Lock* lock, PyObject* const* args, Py_ssize_t count) {
  PyObject* left = Exit(lock, args, count);
  if (left == NULL) return NULL;
  Py_DECREF(left);
  return Nothing();
}

static int IsHeld(PyObject* held) {
  if (Py_TYPE(held) == &HeldType) return 1;
  PyErr_SetString(PyExc_TypeError, "a Held is needed");
  return 0;
}

static PyObject* Entered(PyObject* self, PyObject* held) {
  if (!IsHeld(held) || UsesPush((Lock*)self, (Held*)held) != 0) return NULL;
  Py_RETURN_NONE;
}

static PyObject* NotEntered(PyObject* self, PyObject* held) {
  if (!IsHeld(held)) return NULL;
  HeldEnd((Held*)held, 0);
  UsesRemove((Lock*)self, (const Held*)held);
  Py_RETURN_NONE;
}

/* The name, or an atom's operator, operand and, unless it is this one, host: bytes. */
static int Init(PyObject* self, PyObject* args, PyObject* keywords) {
  static const atmost_options defaults = ATMOST_DEFAULTS;
  Lock* lock = (Lock*)self;
  if (lock->texts != NULL || (keywords != NULL && PyDict_Size(keywords) != 0)) {
    PyErr_SetString(PyExc_TypeError, "once, with bytes");
    return -1;
  }
  lock->options = defaults;
  lock->texts = PyList_New(0);
  if (lock->texts == NULL || PyList_Append(lock->texts, args) != 0) return -1;
  return PyArg_ParseTuple(args, "y|yy", &lock->name, &lock->operand, &lock->host) ? 0 : -1;
}

static int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(((Lock*)self)->on_lost);
  return UsesVisit((Lock*)self, visit, arg);
}

static int Clear(PyObject* self) {
  Lock* lock = (Lock*)self;
  UsesClear(lock);
  lock->options.on_lost = NULL;
  Py_CLEAR(lock->on_lost);
  return 0;
}

static void Dealloc(PyObject* self) {
  Lock* lock = (Lock*)self;
  PyObject_GC_UnTrack(self);
  if (lock->weak_references != NULL) PyObject_ClearWeakRefs(self);
  Clear(self);
  Py_CLEAR(lock->texts);
  Py_TYPE(self)->tp_free(self);
}

static PyMethodDef methods[] = {
    {"acquire", Acquire, METH_NOARGS,
     "acquire(): raises Busy or TooSoon. A signal's handler runs while it waits; when that raises "
     "(KeyboardInterrupt), the wait is given up."},
    {"__enter__", Enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)(void (*)(void))Exit, METH_FASTCALL, NULL},
    {"__aexit__", (PyCFunction)(void (*)(void))AsyncExit, METH_FASTCALL, NULL},
    {"_set", (PyCFunction)(void (*)(void))SetOption, METH_FASTCALL, NULL},
    {"_begin", (PyCFunction)WaitingNew, METH_NOARGS, NULL},
    {"_entered", Entered, METH_O, NULL},
    {"_not_entered", NotEntered, METH_O, NULL},
    {"_list", (PyCFunction)List, METH_NOARGS, NULL},
    {"_check", (PyCFunction)Check, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

PyTypeObject LockType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "atmost._atmost.Lock",
    .tp_basicsize = sizeof(Lock),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_init = Init,
    .tp_dealloc = Dealloc,
    .tp_traverse = Traverse,
    .tp_clear = Clear,
    .tp_free = PyObject_GC_Del,
    .tp_weaklistoffset = offsetof(Lock, weak_references),
    .tp_methods = methods,
};
