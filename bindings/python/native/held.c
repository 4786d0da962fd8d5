#include <stddef.h>

#include "atmost_python.h"

Held* HeldNew(PyObject* on_lost) {
  Held* held = (Held*)HeldType.tp_alloc(&HeldType, 0);
  if (held == NULL) return NULL;
  Py_XINCREF(on_lost);
  held->on_lost = on_lost;
  return held;
}

PyObject* HeldIf(Held* held, int answer) {
  if (answer == ATMOST_ADMITTED) {
    held->token = atmost_token(held->lock);
    held->slot = atmost_slot(held->lock);
    return (PyObject*)held;
  }
  RaiseRefusal(answer);
  Py_DECREF(held);
  return NULL;
}

/* Without the interpreter's lock, as it waits for an on_lost that runs. */
void HeldEnd(Held* held, int success) {
  atmost_lock* lock = held->lock;
  held->lock = NULL;
  if (lock == NULL) return;
  Py_BEGIN_ALLOW_THREADS atmost_release(lock, success);
  Py_END_ALLOW_THREADS
}

static void Finalize(PyObject* self) { HeldEnd((Held*)self, 0); }

static void Dealloc(PyObject* self) {
  Held* held = (Held*)self;
  PyObject_GC_UnTrack(self);
  HeldEnd(held, 0);
  if (held->weak_references != NULL) PyObject_ClearWeakRefs(self);
  Py_CLEAR(held->on_lost);
  Py_TYPE(self)->tp_free(self);
}

static int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(((Held*)self)->on_lost);
  return 0;
}

/* After Finalize(), when the library no longer calls on_lost. */
static int Clear(PyObject* self) {
  Py_CLEAR(((Held*)self)->on_lost);
  return 0;
}

int SuccessOf(PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  const Py_ssize_t named = keywords == NULL ? 0 : PyTuple_GET_SIZE(keywords);
  if (count + named > 1) {
    PyErr_SetString(PyExc_TypeError, "release() takes one argument, success");
    return -1;
  }
  if (named == 1 &&
      PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, 0), "success") != 0) {
    PyErr_Format(PyExc_TypeError, "release() has no argument %R", PyTuple_GET_ITEM(keywords, 0));
    return -1;
  }
  return count + named == 1 ? PyObject_IsTrue(args[0]) : 1;
}

/* Its Lock forgets it, if that has it by acquire(). */
static void Leave(Held* held, int success) {
  if (held->by != NULL) UsesRemove(held->by, held);
  HeldEnd(held, success);
}

static PyObject* Release(Held* held, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  const int success = SuccessOf(args, count, keywords);
  if (success < 0) return NULL;
  Leave(held, success);
  Py_RETURN_NONE;
}

static PyObject* Enter(PyObject* self, PyObject* unused) {
  (void)unused;
  Py_INCREF(self);
  return self;
}

static PyObject* Exit(Held* held, PyObject* const* args, Py_ssize_t count) {
  Leave(held, count == 0 || args[0] == Py_None);
  Py_RETURN_NONE;
}

static PyObject* IsHeld(Held* held, void* unused) {
  (void)unused;
  return PyBool_FromLong(held->lock != NULL && atmost_held(held->lock));
}

static PyObject* Token(Held* held, void* unused) {
  (void)unused;
  return PyLong_FromUnsignedLongLong(held->token);
}

static PyObject* Slot(Held* held, void* unused) {
  (void)unused;
  return PyLong_FromUnsignedLong(held->slot);
}

static PyMethodDef methods[] = {
    {"release", (PyCFunction)(void (*)(void))Release, METH_FASTCALL | METH_KEYWORDS,
     "release(success=True): again: nothing. In a forked child: the parent's lock stays. Waits for "
     "an on_lost that is being called, unless that calls it."},
    {"__enter__", Enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)(void (*)(void))Exit, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef properties[] = {
    {"held", (getter)IsHeld, NULL, "False once it is released, or a taker has it.", NULL},
    {"token", (getter)Token, NULL, "Greater than that of every earlier admission.", NULL},
    {"slot", (getter)Slot, NULL, "The first one, from 1.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyTypeObject HeldType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "atmost.Held",
    .tp_doc =
        "An admission. It ends by release(), with the process, or when neither it nor its Lock is "
        "referred to. "
        "As a context manager it is released at the end of the block: a success unless an "
        "exception leaves.",
    .tp_basicsize = sizeof(Held),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = Dealloc,
    .tp_finalize = Finalize,
    .tp_traverse = Traverse,
    .tp_clear = Clear,
    .tp_free = PyObject_GC_Del,
    .tp_weaklistoffset = offsetof(Held, weak_references),
    .tp_methods = methods,
    .tp_getset = properties,
};
