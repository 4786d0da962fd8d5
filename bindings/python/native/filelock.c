#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

#include "atmost_python.h"
#include "structmember.h"

/* The holds of a thread, which end with it. A forked child has none of its parent's holds. */
typedef struct Use {
  PyObject_HEAD unsigned long count;
  pid_t process;
  Held* held; /* NULL: count is 0 */
} Use;

typedef struct FileLock {
  PyObject_HEAD PyObject* local; /* a threading.local with the thread's Use */
  PyObject* weak_references;
} FileLock;

static void UseDealloc(PyObject* self) {
  Py_CLEAR(((Use*)self)->held);
  Free(self);
}

static PyType_Slot use_slots[] = {{Py_tp_new, RefuseNew}, {Py_tp_dealloc, UseDealloc}, {0, NULL}};

PyType_Spec file_use_spec = {"atmost._atmost.FileUse", sizeof(Use), 0, Py_TPFLAGS_DEFAULT,
                             use_slots};

static Use* UseNew(FileLock* self) {
  Use* use = PyObject_New(Use, types.file_use);
  if (use == NULL) return NULL;
  use->count = 0;
  use->process = 0;
  use->held = NULL;
  if (PyObject_SetAttr(self->local, names.use, (PyObject*)use) != 0) Py_CLEAR(use);
  return use;
}

/* The Use of this thread, a new reference. A fork's child drops the hold of its parent. */
static Use* Mine(PyObject* object) {
  FileLock* self = (FileLock*)object;
  Use* use = (Use*)PyObject_GetAttr(self->local, names.use);
  if (use == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Clear();
    use = UseNew(self);
  }
  if (use == NULL || use->held == NULL || use->process == getpid()) return use;
  use->count = 0;
  Py_CLEAR(use->held);
  return use;
}

static PyObject* Counter(PyObject* self, void* unused) {
  (void)unused;
  Use* mine = Mine(self);
  if (mine == NULL) return NULL;
  const unsigned long count = mine->count;
  Py_DECREF(mine);
  return PyLong_FromUnsignedLong(count);
}

/* Counts one more acquire of the thread's hold; False if it holds nothing. */
static PyObject* Again(PyObject* self, PyObject* unused) {
  (void)unused;
  Use* mine = Mine(self);
  if (mine == NULL) return NULL;
  const int again = mine->count > 0;
  if (again) ++mine->count;
  Py_DECREF(mine);
  return PyBool_FromLong(again);
}

/* Takes the Lock for this thread, which holds nothing here. */
static PyObject* Hold(PyObject* self, PyObject* lock) {
  if (!PyObject_TypeCheck(lock, types.lock)) return PyErr_Format(PyExc_TypeError, "not a Lock");
  Use* mine = Mine(self);
  if (mine == NULL) return NULL;
  Held* held = Take((Lock*)lock);
  if (held != NULL) {
    Held* before = mine->held;
    mine->held = held;
    Py_XDECREF(before);
    mine->process = getpid();
    mine->count = 1;
  }
  Py_DECREF(mine);
  if (held == NULL) return NULL;
  Py_RETURN_NONE;
}

static void End(Use* mine, int force) {
  if (mine->count == 0 || (!force && --mine->count > 0)) return;
  Held* held = mine->held;
  mine->held = NULL;
  mine->count = 0;
  HeldEnd(held, 1);
  Py_DECREF(held);
}

static PyObject* Leave(PyObject* self, int force) {
  Use* mine = Mine(self);
  if (mine == NULL) return NULL;
  End(mine, force);
  Py_DECREF(mine);
  Py_RETURN_NONE;
}

static PyObject* Release(PyObject* self, PyObject* args, PyObject* keywords) {
  static char* keys[] = {"force", NULL};
  int force = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|p:release", keys, &force)) return NULL;
  return Leave(self, force);
}

/* The handler of a signal may raise when acquire() has it already. */
static PyObject* Enter(PyObject* self, PyObject* unused) {
  (void)unused;
  Use* mine = Mine(self);
  if (mine == NULL) return NULL;
  const unsigned long before = mine->count;
  PyObject* entered = PyObject_CallMethodObjArgs(self, names.acquire, NULL);
  if (entered == NULL && mine->count > before) End(mine, 0);
  Py_DECREF(mine);
  return entered;
}

static PyObject* Exit(PyObject* self, PyObject* args) {
  (void)args;
  return Leave(self, 0);
}

static PyObject* New(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  PyObject* object = PyType_GenericNew(type, args, keywords);
  PyObject* threads = object == NULL ? NULL : PyImport_ImportModule("_thread");
  if (threads != NULL) ((FileLock*)object)->local = PyObject_CallMethod(threads, "_local", NULL);
  Py_XDECREF(threads);
  if (object != NULL && ((FileLock*)object)->local == NULL) Py_CLEAR(object);
  return object;
}

static void Dealloc(PyObject* object) {
  FileLock* self = (FileLock*)object;
  if (self->weak_references != NULL) PyObject_ClearWeakRefs(object);
  Py_CLEAR(self->local);
  Free(object);
}

static PyMethodDef methods[] = {
    {"release", (PyCFunction)(void (*)(void))Release, METH_VARARGS | METH_KEYWORDS,
     "release(force=False): undoes one acquire(), or with `force` all of them."},
    {"__enter__", Enter, METH_NOARGS, NULL},
    {"__exit__", Exit, METH_VARARGS, NULL},
    {"_again", Again, METH_NOARGS, NULL},
    {"_hold", Hold, METH_O, NULL},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef properties[] = {
    {"lock_counter", Counter, NULL,
     "The current acquires of this thread. A forked child has none of its parent's holds.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(FileLock, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, New},         {Py_tp_dealloc, Dealloc},
                              {Py_tp_methods, methods}, {Py_tp_getset, properties},
                              {Py_tp_members, members}, {0, NULL}};

PyType_Spec file_lock_spec = {"atmost._atmost.FileLock", sizeof(FileLock), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
