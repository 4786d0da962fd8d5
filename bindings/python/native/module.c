#include "atmost_python.h"

/* Functions of _answers.py. */
static PyObject* refusal_of = NULL; /* the exception for (answer, message, why, retry_in) */
static PyObject* nothing = NULL;    /* a coroutine function that does nothing */

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
  return PyObject_CallNoArgs(nothing);
}

static PyObject* SetUp(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *refusal, *coroutine;
  if (!PyArg_ParseTuple(args, "OO", &refusal, &coroutine)) return NULL;
  Py_INCREF(refusal);
  Py_XSETREF(refusal_of, refusal);
  Py_INCREF(coroutine);
  Py_XSETREF(nothing, coroutine);
  Py_RETURN_NONE;
}

static PyObject* MayBeKilled(PyObject* module, PyObject* agreed) {
  (void)module;
  const int agrees = PyObject_IsTrue(agreed);
  return agrees < 0 ? NULL : PyBool_FromLong(atmost_may_be_killed(agrees));
}

static PyMethodDef functions[] = {{"set_up", SetUp, METH_VARARGS, NULL},
                                  {"may_be_killed", MayBeKilled, METH_O, NULL},
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

PyMODINIT_FUNC PyInit__atmost(void) {
  PyObject* module = PyModule_Create(&definition);
  if (module == NULL) return NULL;
  if (MakeNames() && PyType_Ready(&FileUseType) == 0 && PyModule_AddType(module, &HeldType) == 0 &&
      PyModule_AddType(module, &LockType) == 0 && PyModule_AddType(module, &WaitingType) == 0 &&
      PyModule_AddType(module, &FileLockType) == 0 &&
      PyModule_AddIntConstant(module, "ADMITTED", ATMOST_ADMITTED) == 0 &&
      PyModule_AddIntConstant(module, "BUSY", ATMOST_BUSY) == 0 &&
      PyModule_AddIntConstant(module, "TOO_SOON", ATMOST_TOO_SOON) == 0 &&
      PyModule_AddIntConstant(module, "USAGE", ATMOST_USAGE) == 0)
    return module;
  Py_DECREF(module);
  return NULL;
}
