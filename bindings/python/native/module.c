#include "atmost_python.h"

Types types;

/* Functions of _answers.py. */
static PyObject* refusal_of = NULL; /* the exception for (answer, message, why, retry_in) */
static PyObject* nothing = NULL;    /* a coroutine function that does nothing */

static volatile int is_ending = 0;

int IsEnding(void) { return is_ending; }

void Replace(PyObject** place, PyObject* value) {
  PyObject* before = *place;
  *place = value;
  Py_XDECREF(before);
}

PyObject* RefuseNew(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  (void)args;
  (void)keywords;
  return PyErr_Format(PyExc_TypeError, "cannot create '%R' instances", type);
}

void Free(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

PyObject* Refusal(int answer) {
  const char* message = atmost_message();
  PyObject* text = PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
  if (text == NULL) return NULL;
  if (refusal_of == NULL) return PyErr_Format(PyExc_RuntimeError, "%U", text);
  return PyObject_CallFunction(refusal_of, "iNsd", answer, text, atmost_why(), atmost_retry_in());
}

void RaiseRefusal(int answer) {
  PyObject* refusal = Refusal(answer);
  if (refusal != NULL) PyErr_SetObject((PyObject*)Py_TYPE(refusal), refusal);
  Py_XDECREF(refusal);
}

PyObject* Nothing(void) {
  if (nothing == NULL) return PyErr_Format(PyExc_RuntimeError, "set_up() comes first");
  return PyObject_CallObject(nothing, NULL);
}

static PyObject* SetUp(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *refusal, *coroutine;
  if (!PyArg_ParseTuple(args, "OO", &refusal, &coroutine)) return NULL;
  Py_INCREF(refusal);
  Replace(&refusal_of, refusal);
  Py_INCREF(coroutine);
  Replace(&nothing, coroutine);
  Py_RETURN_NONE;
}

/* For atexit. */
static PyObject* End(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  is_ending = 1;
  Py_RETURN_NONE;
}

static PyObject* MayBeKilled(PyObject* module, PyObject* agreed) {
  (void)module;
  const int agrees = PyObject_IsTrue(agreed);
  return agrees < 0 ? NULL : PyBool_FromLong(atmost_may_be_killed(agrees));
}

static PyMethodDef functions[] = {{"set_up", SetUp, METH_VARARGS, NULL},
                                  {"may_be_killed", MayBeKilled, METH_O, NULL},
                                  {"end", End, METH_NOARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "atmost._atmost", .m_size = -1,
                                 .m_methods = functions};

Names names;

static int MakeNames(void) {
  names.asyncio = PyUnicode_InternFromString("asyncio");
  names.get_running_loop = PyUnicode_InternFromString("_get_running_loop");
  names.current_task = PyUnicode_InternFromString("current_task");
  names.acquire = PyUnicode_InternFromString("acquire");
  names.use = PyUnicode_InternFromString("use");
  return names.asyncio != NULL && names.get_running_loop != NULL && names.current_task != NULL &&
         names.acquire != NULL && names.use != NULL;
}

static int MakeType(PyTypeObject** type, PyType_Spec* spec, PyObject* module, const char* name) {
  *type = (PyTypeObject*)PyType_FromSpec(spec);
  if (*type == NULL) return 0;
  Py_INCREF(*type);
  return PyModule_AddObject(module, name, (PyObject*)*type) == 0;
}

PyMODINIT_FUNC PyInit__atmost(void) {
  PyObject* module = PyModule_Create(&definition);
  if (module == NULL) return NULL;
  if (MakeNames() && MakeType(&types.file_use, &file_use_spec, module, "FileUse") &&
      MakeType(&types.held, &held_spec, module, "Held") &&
      MakeType(&types.lock, &lock_spec, module, "Lock") &&
      MakeType(&types.waiting, &waiting_spec, module, "Waiting") &&
      MakeType(&types.file_lock, &file_lock_spec, module, "FileLock") &&
      PyModule_AddIntConstant(module, "ADMITTED", ATMOST_ADMITTED) == 0 &&
      PyModule_AddIntConstant(module, "BUSY", ATMOST_BUSY) == 0 &&
      PyModule_AddIntConstant(module, "TOO_SOON", ATMOST_TOO_SOON) == 0 &&
      PyModule_AddIntConstant(module, "USAGE", ATMOST_USAGE) == 0)
    return module;
  Py_DECREF(module);
  return NULL;
}
