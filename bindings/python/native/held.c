#include <stddef.h>

#include "atmost_python.h"
#include "structmember.h"

Held* HeldNew(PyObject* on_lost) {
  Held* held = (Held*)PyType_GenericAlloc(types.held, 0);
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
  Free(self);
}

static int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((Held*)self)->on_lost);
  return 0;
}

/* After Finalize(), when the library no longer calls on_lost. */
static int Clear(PyObject* self) {
  Py_CLEAR(((Held*)self)->on_lost);
  return 0;
}

int SuccessOf(PyObject* args, PyObject* keywords) {
  static char* keys[] = {"success", NULL};
  int success = 1;
  return PyArg_ParseTupleAndKeywords(args, keywords, "|p:release", keys, &success) ? success : -1;
}

int HasSucceeded(PyObject* args) {
  return PyTuple_Size(args) == 0 || PyTuple_GetItem(args, 0) == Py_None;
}

/* Its Lock forgets it, if that has it by acquire(). */
static void Leave(Held* held, int success) {
  if (held->by != NULL) UsesRemove(held->by, held);
  HeldEnd(held, success);
}

static PyObject* Release(Held* held, PyObject* args, PyObject* keywords) {
  const int success = SuccessOf(args, keywords);
  if (success < 0) return NULL;
  Leave(held, success);
  Py_RETURN_NONE;
}

static PyObject* Enter(PyObject* self, PyObject* unused) {
  (void)unused;
  Py_INCREF(self);
  return self;
}

static PyObject* Exit(Held* held, PyObject* args) {
  Leave(held, HasSucceeded(args));
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
    {"release", (PyCFunction)(void (*)(void))Release, METH_VARARGS | METH_KEYWORDS,
     "release(success=True): again: nothing. In a forked child: the parent's lock stays. Waits for "
     "an on_lost that is being called, unless that calls it."},
    {"__enter__", Enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)(void (*)(void))Exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef properties[] = {
    {"held", (getter)IsHeld, NULL, "False once it is released, or a taker has it.", NULL},
    {"token", (getter)Token, NULL, "Greater than that of every earlier admission.", NULL},
    {"slot", (getter)Slot, NULL, "The first one, from 1.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Held, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

static const char doc[] =
    "An admission. It ends by release(), with the process, or when neither it nor its Lock is "
    "referred to. "
    "As a context manager it is released at the end of the block: a success unless an "
    "exception leaves.";

static PyType_Slot slots[] = {{Py_tp_doc, (void*)doc},    {Py_tp_new, RefuseNew},
                              {Py_tp_dealloc, Dealloc},   {Py_tp_finalize, Finalize},
                              {Py_tp_traverse, Traverse}, {Py_tp_clear, Clear},
                              {Py_tp_methods, methods},   {Py_tp_getset, properties},
                              {Py_tp_members, members},   {0, NULL}};

PyType_Spec held_spec = {"atmost.Held", sizeof(Held), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                         slots};
