#include "atmost_python.h"

typedef struct Listing {
  PyThreadState* state; /* while the library runs */
  PyObject* entries;
  int failed;
} Listing;

static PyObject* Text(const char* bytes) {
  return PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)strlen(bytes), "replace");
}

static PyObject* Known(long long value, long long unknown) {
  if (value == unknown) Py_RETURN_NONE;
  return PyLong_FromLongLong(value);
}

static PyObject* KnownToken(uint64_t token) {
  if (token == 0) Py_RETURN_NONE;
  return PyLong_FromUnsignedLongLong(token);
}

static PyObject* KnownTime(double seconds) {
  if (seconds == -1) Py_RETURN_NONE;
  return PyFloat_FromDouble(seconds);
}

/* The fields of an Entry (_answers.py), in its order. */
static PyObject* Fields(const atmost_entry* entry) {
  return Py_BuildValue("(NNNNNNNNNdNNN)", Text(entry->state), Known(entry->slot, 0),
                       Known(entry->position, 0), Known(entry->pid, 0), Known(entry->kept_for, 0),
                       Known(entry->user, -1), KnownToken(entry->token), KnownTime(entry->start),
                       KnownTime(entry->age), entry->expires, Text(entry->id), Text(entry->command),
                       PyBool_FromLong(entry->verified));
}

static int Each(void* context, const atmost_entry* entry) {
  Listing* listing = context;
  PyEval_RestoreThread(listing->state);
  PyObject* fields = Fields(entry);
  listing->failed = fields == NULL || PyList_Append(listing->entries, fields) != 0;
  Py_XDECREF(fields);
  listing->state = PyEval_SaveThread();
  return listing->failed;
}

PyObject* List(Lock* lock, PyObject* unused) {
  (void)unused;
  Listing listing = {NULL, PyList_New(0), 0};
  if (listing.entries == NULL) return NULL;
  listing.state = PyEval_SaveThread();
  const int answer = atmost_list(lock->request, Each, &listing);
  PyEval_RestoreThread(listing.state);
  if (answer == ATMOST_ADMITTED && !listing.failed) return listing.entries;
  Py_DECREF(listing.entries);
  if (!listing.failed) RaiseRefusal(answer);
  return NULL;
}

PyObject* Check(Lock* lock, PyObject* unused) {
  (void)unused;
  unsigned held = 0;
  int answer;
  Py_BEGIN_ALLOW_THREADS answer = atmost_check(lock->request, &held);
  Py_END_ALLOW_THREADS if (answer == ATMOST_ADMITTED) return Py_BuildValue("(IO)", held, Py_None);
  PyObject* refusal = Refusal(answer);
  return refusal == NULL ? NULL : Py_BuildValue("(IN)", held, refusal);
}
