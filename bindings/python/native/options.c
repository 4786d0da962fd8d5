#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "atmost_python.h"

typedef enum Kind { UNSIGNED, INTEGER, SECONDS, TEXT, TEXTS, ON_LOST } Kind;

typedef struct Option {
  const char* name;
  Kind kind;
  size_t offset;
} Option;

#define OPTION(field, kind) \
  { #field, kind, offsetof(atmost_options, field) }
static const Option kOptions[] = {
    OPTION(max, UNSIGNED),
    OPTION(take, UNSIGNED),
    OPTION(wait, SECONDS),
    OPTION(if_elapsed, SECONDS),
    OPTION(expire_after, SECONDS),
    OPTION(kill_grace, SECONDS),
    OPTION(now, SECONDS),
    OPTION(directory, TEXT),
    OPTION(id, TEXT),
    OPTION(mode, UNSIGNED),
    OPTION(may_be_killed, INTEGER),
    OPTION(on_lost, ON_LOST),
    OPTION(log, TEXT),
    OPTION(no_history, INTEGER),
    OPTION(sharing, INTEGER),
    OPTION(on_busy, INTEGER),
    OPTION(elapsed_from, INTEGER),
    OPTION(wait_too_soon, INTEGER),
    OPTION(max_hold, SECONDS),
    OPTION(also, TEXTS),
    OPTION(trust_fs, INTEGER),
    OPTION(no_learn, INTEGER),
    OPTION(rate, TEXT),
    OPTION(queue_max, INTEGER),
    OPTION(store, TEXT),
};

static int SetInteger(PyObject* value, long long lowest, long long highest, void* to) {
  PyObject* index = PyNumber_Index(value);
  if (index == NULL) return -1;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index, &overflow);
  Py_DECREF(index);
  if (number == -1 && PyErr_Occurred() != NULL) return -1;
  if (overflow != 0 || number < lowest || number > highest) {
    PyErr_Format(PyExc_OverflowError, "%R is out of range", value);
    return -1;
  }
  const unsigned bits = (unsigned)number; /* an int and an unsigned have the same bits */
  memcpy(to, &bits, sizeof bits);
  return 0;
}

/* `value` is bytes without a NUL, or None. */
static int SetText(Lock* lock, PyObject* value, const char** to) {
  if (value == Py_None) {
    *to = NULL;
    return 0;
  }
  const char* text = PyBytes_AsString(value);
  if (text == NULL || PyList_Append(lock->texts, value) != 0) return -1;
  *to = text;
  return 0;
}

/* `value` is a tuple of such bytes. The array is kept as bytes, too. */
static int SetTexts(Lock* lock, PyObject* value, const char* const** to) {
  if (!PyTuple_Check(value)) {
    PyErr_SetString(PyExc_TypeError, "a tuple is needed");
    return -1;
  }
  const Py_ssize_t count = PyTuple_GET_SIZE(value);
  PyObject* array = PyBytes_FromStringAndSize(NULL, (count + 1) * (Py_ssize_t)sizeof(char*));
  if (array == NULL) return -1;
  const char** texts = (const char**)(void*)PyBytes_AS_STRING(array);
  int failed = PyList_Append(lock->texts, array);
  Py_DECREF(array);
  for (Py_ssize_t at = 0; at < count && failed == 0; ++at)
    failed = SetText(lock, PyTuple_GET_ITEM(value, at), &texts[at]);
  if (failed != 0) return -1;
  texts[count] = NULL;
  *to = texts;
  return 0;
}

/* On a thread of the library. A Held keeps on_lost until its release, which waits for this. When
 * the interpreter ends there is nobody to be told. */
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
  Py_INCREF(value);
  Py_XSETREF(lock->on_lost, value);
  lock->options.on_lost = Lost;
  lock->options.context = value;
  return 0;
}

static int Set(Lock* lock, const Option* option, PyObject* value) {
  void* field = (char*)&lock->options + option->offset;
  double seconds;
  switch (option->kind) {
    case UNSIGNED:
      return SetInteger(value, 0, UINT_MAX, field);
    case INTEGER:
      return SetInteger(value, INT_MIN, INT_MAX, field);
    case SECONDS:
      seconds = PyFloat_AsDouble(value);
      if (seconds == -1.0 && PyErr_Occurred() != NULL) return -1;
      memcpy(field, &seconds, sizeof seconds);
      return 0;
    case TEXT:
      return SetText(lock, value, field);
    case TEXTS:
      return SetTexts(lock, value, field);
    default:
      return SetOnLost(lock, value);
  }
}

PyObject* SetOption(Lock* lock, PyObject* const* args, Py_ssize_t count) {
  const char* name = count == 2 ? PyUnicode_AsUTF8(args[0]) : NULL;
  if (name == NULL || lock->texts == NULL)
    return PyErr_Format(PyExc_TypeError, "a name and a value are needed, after __init__()");
  for (size_t at = 0; at < sizeof kOptions / sizeof *kOptions; ++at) {
    if (strcmp(kOptions[at].name, name) != 0) continue;
    if (Set(lock, &kOptions[at], args[1]) != 0) return NULL;
    Py_RETURN_NONE;
  }
  return PyErr_Format(PyExc_TypeError, "there is no option %s", name);
}
