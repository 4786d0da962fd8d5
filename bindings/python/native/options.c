#include <string.h>

#include "atmost_python.h"

static int Set(Lock* lock, const char* name, PyObject* value);

/* On a thread of the library. A Held keeps on_lost until its release, which waits for this. At the
 * end of the interpreter no code is called. */
static void Lost(void* context, uint64_t token) {
  if (IsEnding()) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject* on_lost = context;
  Py_INCREF(on_lost);
  PyObject* result = PyObject_CallFunction(on_lost, "K", (unsigned long long)token);
  if (result == NULL) PyErr_WriteUnraisable(on_lost);
  Py_XDECREF(result);
  Py_DECREF(on_lost);
  PyGILState_Release(state);
}

static int SetOnLost(Lock* lock, PyObject* value) {
  if (!PyCallable_Check(value)) {
    PyErr_SetString(PyExc_TypeError, "on_lost must be callable");
    return -1;
  }
  Py_INCREF(value);
  Replace(&lock->on_lost, value);
  return atmost_set_on_lost(lock->request, Lost, value);
}

static int SetEach(Lock* lock, const char* name, PyObject* values) {
  int answer = ATMOST_ADMITTED;
  const Py_ssize_t count = PySequence_Size(values);
  for (Py_ssize_t at = 0; at < count && answer == ATMOST_ADMITTED; ++at) {
    PyObject* value = PySequence_GetItem(values, at);
    answer = value == NULL ? -1 : Set(lock, name, value);
    Py_XDECREF(value);
  }
  return answer;
}

static int SetText(Lock* lock, const char* name, PyObject* value) {
  PyObject* bytes = NULL;
  if (!PyUnicode_FSConverter(value, &bytes)) return -1;
  const int answer = atmost_set(lock->request, name, PyBytes_AsString(bytes));
  Py_DECREF(bytes);
  return answer;
}

static int SetNumber(Lock* lock, const char* name, PyObject* value) {
  const long long number = PyLong_AsLongLong(value);
  if (number == -1 && PyErr_Occurred() != NULL) return -1;
  return atmost_set_number(lock->request, name, number);
}

/* An answer, or -1 and an exception. */
static int Set(Lock* lock, const char* name, PyObject* value) {
  if (strcmp(name, "on_lost") == 0) return SetOnLost(lock, value);
  if (PyBool_Check(value))
    return atmost_set(lock->request, name, value == Py_True ? "true" : "false");
  if (PyLong_Check(value)) return SetNumber(lock, name, value);
  if (PyFloat_Check(value)) return atmost_set_seconds(lock->request, name, PyFloat_AsDouble(value));
  if (PyList_Check(value) || PyTuple_Check(value)) return SetEach(lock, name, value);
  return SetText(lock, name, value);
}

PyObject* SetOption(Lock* lock, PyObject* args) {
  const char* name;
  PyObject* value;
  if (!PyArg_ParseTuple(args, "sO", &name, &value)) return NULL;
  if (value == Py_None) Py_RETURN_NONE;
  const int answer = Set(lock, name, value);
  if (answer == ATMOST_ADMITTED) Py_RETURN_NONE;
  if (answer > 0) RaiseRefusal(answer);
  return NULL;
}
