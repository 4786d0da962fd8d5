#include "atmost_tcl.h"

static int Acquire(Tcl_Interp* interp, Spec* spec, const CallOptions* call) {
  Held* held;
  if (call->command != NULL) return TakeInLoop(interp, spec, call);
  const int code = Take(interp, spec, &held);
  if (code != TCL_OK) return code;
  HeldBy(held, spec);
  Tcl_SetObjResult(interp, HeldCommand(interp, held));
  HeldDrop(held);
  return TCL_OK;
}

static int WrongArguments(Tcl_Interp* interp, int count, Tcl_Obj* const objv[], const char* usage) {
  Tcl_WrongNumArgs(interp, count, objv, usage);
  return TCL_ERROR;
}

static int AcquireObjCmd(ClientData data, Tcl_Interp* interp, int objc, Tcl_Obj* const objv[]) {
  (void)data;
  CallOptions call = {NULL, NULL};
  if (objc < 2) return WrongArguments(interp, 1, objv, "name ?-option value ...?");
  Spec* spec = SpecNew(interp, objv + 1, 1, objc - 2, objv + 2, ALLOW_COMMAND, &call);
  if (spec == NULL) return TCL_ERROR;
  const int code = Acquire(interp, spec, &call);
  SpecDrop(spec);
  return code;
}

static int WithNRCmd(ClientData data, Tcl_Interp* interp, int objc, Tcl_Obj* const objv[]) {
  (void)data;
  CallOptions call = {NULL, NULL};
  if (objc < 3) return WrongArguments(interp, 1, objv, "name ?-option value ...? script");
  Spec* spec = SpecNew(interp, objv + 1, 1, objc - 3, objv + 2, ALLOW_AS, &call);
  if (spec == NULL) return TCL_ERROR;
  const int code = With(interp, spec, &call, objv[objc - 1]);
  SpecDrop(spec);
  return code;
}

static int WithObjCmd(ClientData data, Tcl_Interp* interp, int objc, Tcl_Obj* const objv[]) {
  return Tcl_NRCallObjProc(interp, WithNRCmd, data, objc, objv);
}

/* atmost::list, atmost::check: `data` is the function that looks. */
static int LookObjCmd(ClientData data, Tcl_Interp* interp, int objc, Tcl_Obj* const objv[]) {
  CallOptions call = {NULL, NULL};
  if (objc < 2) return WrongArguments(interp, 1, objv, "name ?-option value ...?");
  Spec* spec = SpecNew(interp, objv + 1, 1, objc - 2, objv + 2, 0, &call);
  if (spec == NULL) return TCL_ERROR;
  const int code = data == NULL ? ListEntries(interp, spec) : Check(interp, spec);
  SpecDrop(spec);
  return code;
}

static int MayBeKilledObjCmd(ClientData data, Tcl_Interp* interp, int objc, Tcl_Obj* const objv[]) {
  (void)data;
  int agreed;
  if (objc != 2) return WrongArguments(interp, 1, objv, "agreed");
  if (Tcl_GetBooleanFromObj(interp, objv[1], &agreed) != TCL_OK) return TCL_ERROR;
  Tcl_SetObjResult(interp, Tcl_NewBooleanObj(atmost_may_be_killed(agreed)));
  return TCL_OK;
}

static int LockNRCmd(ClientData data, Tcl_Interp* interp, int objc, Tcl_Obj* const objv[]) {
  static const char* const kSubcommands[] = {"acquire", "check", "destroy", "list",
                                             "release", "with",  NULL};
  enum { ACQUIRE, CHECK, DESTROY, LIST, RELEASE, WITH };
  Spec* spec = data;
  CallOptions call = {NULL, NULL};
  int index;
  if (objc < 2) return WrongArguments(interp, 1, objv, "subcommand ?argument ...?");
  if (Tcl_GetIndexFromObj(interp, objv[1], kSubcommands, "subcommand", TCL_EXACT, &index) != TCL_OK)
    return TCL_ERROR;
  if (index == ACQUIRE) {
    if (ParseCallOptions(interp, objc - 2, objv + 2, ALLOW_COMMAND, &call) != TCL_OK)
      return TCL_ERROR;
    return Acquire(interp, spec, &call);
  }
  if (index == WITH) {
    if (objc < 3) return WrongArguments(interp, 2, objv, "?-as variable? script");
    if (ParseCallOptions(interp, objc - 3, objv + 2, ALLOW_AS, &call) != TCL_OK) return TCL_ERROR;
    return With(interp, spec, &call, objv[objc - 1]);
  }
  if (index == RELEASE) {
    Held* held = LastHeldBy(spec);
    if (held == NULL)
      return RefuseArgument(interp, Tcl_NewStringObj("this thread does not hold the lock", -1));
    return ReleaseCommand(interp, held, objc, objv);
  }
  if (objc != 2) return WrongArguments(interp, 2, objv, NULL);
  if (index == LIST) return ListEntries(interp, spec);
  if (index == CHECK) return Check(interp, spec);
  Tcl_DeleteCommand(interp, Tcl_GetString(objv[0]));
  return TCL_OK;
}

static int LockObjCmd(ClientData data, Tcl_Interp* interp, int objc, Tcl_Obj* const objv[]) {
  return Tcl_NRCallObjProc(interp, LockNRCmd, data, objc, objv);
}

static void LockDeleted(ClientData data) { SpecDrop(data); }

/* atmost::lock create, atmost::atom create: `data` is NULL for a lock. */
static int CreateObjCmd(ClientData data, Tcl_Interp* interp, int objc, Tcl_Obj* const objv[]) {
  static const char* const kSubcommands[] = {"create", NULL};
  const int names = data == NULL ? 1 : 2;
  CallOptions call = {NULL, NULL};
  int index;
  if (objc < 2 + names)
    return WrongArguments(interp, 1, objv,
                          data == NULL ? "create name ?-option value ...?"
                                       : "create operator operand ?-option value ...?");
  if (Tcl_GetIndexFromObj(interp, objv[1], kSubcommands, "subcommand", TCL_EXACT, &index) != TCL_OK)
    return TCL_ERROR;
  Spec* spec = SpecNew(interp, objv + 2, names, objc - 2 - names, objv + 2 + names, 0, &call);
  if (spec == NULL) return TCL_ERROR;
  Tcl_Obj* name = NewName(interp, data == NULL ? "lock" : "atom");
  Tcl_NRCreateCommand(interp, Tcl_GetString(name), LockObjCmd, LockNRCmd, spec, LockDeleted);
  Tcl_SetObjResult(interp, name);
  return TCL_OK;
}

/* Requests end first, so that none of them becomes a lock any more. */
static void EndThread(ClientData data) {
  (void)data;
  EndAllRequests();
  EndAllHeld();
  DropLosses();
}

static Tcl_ThreadDataKey loaded_key;

int DLLEXPORT Atmost_Init(Tcl_Interp* interp) {
  static char atom; /* only its address matters, as LookObjCmd's and CreateObjCmd's data */
  if (Tcl_InitStubs(interp, "8.6-", 0) == NULL) return TCL_ERROR;
  int* loaded = Tcl_GetThreadData(&loaded_key, sizeof(int));
  if (!*loaded) Tcl_CreateThreadExitHandler(EndThread, NULL);
  *loaded = 1;
  Tcl_CreateObjCommand(interp, "::atmost::acquire", AcquireObjCmd, NULL, NULL);
  Tcl_NRCreateCommand(interp, "::atmost::with", WithObjCmd, WithNRCmd, NULL, NULL);
  Tcl_CreateObjCommand(interp, "::atmost::list", LookObjCmd, NULL, NULL);
  Tcl_CreateObjCommand(interp, "::atmost::check", LookObjCmd, &atom, NULL);
  Tcl_CreateObjCommand(interp, "::atmost::mayBeKilled", MayBeKilledObjCmd, NULL, NULL);
  Tcl_CreateObjCommand(interp, "::atmost::lock", CreateObjCmd, NULL, NULL);
  Tcl_CreateObjCommand(interp, "::atmost::atom", CreateObjCmd, &atom, NULL);
  return Tcl_PkgProvide(interp, "atmost", PACKAGE_VERSION);
}
