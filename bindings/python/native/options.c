#include <string.h>

#include "atmost_python.h"

static int Set(Lock* lock, const char* name, PyObject* value);

/* On a thread of the library. A Held keeps on_lost until its release, which waits for this. At the
 * end of the interpreter no code is called. */
static void Lost(void* context, uint64_t token) {
#if PY_VERSION_HEX >= 0x030D0000
  if (Py_IsFinalizing()) return;
#else
  if (_Py_IsFinalizing()) return;
#endif
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
  Py_XSETREF(lock->on_lost, value);
  return atmost_set_on_lost(lock->request, Lost, value);
}

static int SetEach(Lock* lock, const char* name, PyObject* values) {
  int answer = ATMOST_ADMITTED;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(values);
  for (Py_ssize_t at = 0; at < count && answer == ATMOST_ADMITTED; ++at)
    answer = Set(lock, name, PySequence_Fast_GET_ITEM(values, at));
  return answer;
}

static int SetText(Lock* lock, const char* name, PyObject* value) {
  PyObject* bytes = NULL;
  if (!PyUnicode_FSConverter(value, &bytes)) return -1;
  const int answer = atmost_set(lock->request, name, PyBytes_AS_STRING(bytes));
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
  if (PyFloat_Check(value))
    return atmost_set_seconds(lock->request, name, PyFloat_AS_DOUBLE(value));
  if (PyList_Check(value) || PyTuple_Check(value)) return SetEach(lock, name, value);
  return SetText(lock, name, value);
}

PyObject* SetOption(Lock* lock, PyObject* const* args, Py_ssize_t count) {
  const char* name = count == 2 ? PyUnicode_AsUTF8(args[0]) : NULL;
  if (name == NULL) return PyErr_Format(PyExc_TypeError, "a name and a value are needed");
  if (args[1] == Py_None) Py_RETURN_NONE;
  const int answer = Set(lock, name, args[1]);
  if (answer == ATMOST_ADMITTED) Py_RETURN_NONE;
  if (answer > 0) RaiseRefusal(answer);
  return NULL;
}
