#include "atmost_tcl.h"

/* Leaving by return, break or continue is a normal end; return -code error, and codes that only the
 * caller understands, are not. */
static int IsSuccess(Tcl_Interp* interp, int code) {
  if (code == TCL_RETURN) {
    Tcl_Obj* options = Tcl_GetReturnOptions(interp, code);
    Tcl_Obj* key = Tcl_NewStringObj("-code", -1);
    Tcl_Obj* value = NULL;
    Tcl_IncrRefCount(options);
    Tcl_IncrRefCount(key);
    Tcl_DictObjGet(NULL, options, key, &value);
    if (value == NULL || Tcl_GetIntFromObj(NULL, value, &code) != TCL_OK) code = TCL_ERROR;
    Tcl_DecrRefCount(key);
    Tcl_DecrRefCount(options);
  }
  return code == TCL_OK || code == TCL_RETURN || code == TCL_BREAK || code == TCL_CONTINUE;
}

/* Runs in every case, also when a coroutine ends within the script. */
static int BlockDone(ClientData data[], Tcl_Interp* interp, int code) {
  Held* held = data[0];
  HeldEnd(held, IsSuccess(interp, code));
  HeldDrop(held);
  if (code == TCL_ERROR)
    Tcl_AppendObjToErrorInfo(
        interp, Tcl_ObjPrintf("\n    (\"atmost::with\" body line %d)", Tcl_GetErrorLine(interp)));
  return code;
}

int With(Tcl_Interp* interp, Spec* spec, const CallOptions* call, Tcl_Obj* script) {
  Held* held;
  const int code = Take(interp, spec, &held);
  if (code != TCL_OK) return code;
  if (call->as != NULL && Tcl_ObjSetVar2(interp, call->as, NULL, HeldCommand(interp, held),
                                         TCL_LEAVE_ERR_MSG) == NULL) {
    HeldEnd(held, 0);
    HeldDrop(held);
    return TCL_ERROR;
  }
  Tcl_NRAddCallback(interp, BlockDone, held, NULL, NULL, NULL);
  return Tcl_NREvalObj(interp, script, 0);
}
