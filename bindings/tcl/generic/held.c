#include <stdio.h>

#include "atmost_tcl.h"

struct Held {
  int references;
  atmost_lock* lock; /* NULL once it is released */
  Notice* notice;
  Spec* by;           /* or NULL */
  Tcl_Interp* interp; /* of the command */
  Tcl_Command command;
  Held* next; /* of the thread's locks */
  Held** link;
};

typedef struct Locks {
  Held* first;
  unsigned long names;
} Locks;

static Tcl_ThreadDataKey locks_key;

static Locks* OfThread(void) { return Tcl_GetThreadData(&locks_key, sizeof(Locks)); }

Held* HeldNew(atmost_lock* lock, Notice* notice) {
  Locks* locks = OfThread();
  Held* held = (Held*)ckalloc(sizeof(Held));
  held->references = 1;
  held->lock = lock;
  held->notice = notice;
  held->by = NULL;
  held->interp = NULL;
  held->command = NULL;
  held->next = locks->first;
  held->link = &locks->first;
  if (held->next != NULL) held->next->link = &held->next;
  locks->first = held;
  return held;
}

static void Release(Held* held, int success) {
  atmost_lock* lock = held->lock;
  if (lock == NULL) return;
  held->lock = NULL;
  *held->link = held->next;
  if (held->next != NULL) held->next->link = held->link;
  atmost_release(lock, success);
  NoticeEnd(held->notice, 0);
}

void HeldEnd(Held* held, int success) {
  Release(held, success);
  if (held->command != NULL) Tcl_DeleteCommandFromToken(held->interp, held->command);
}

void HeldBy(Held* held, Spec* spec) {
  SpecKeep(spec);
  held->by = spec;
}

Held* LastHeldBy(const Spec* spec) {
  Held* held = OfThread()->first;
  while (held != NULL && held->by != spec) held = held->next;
  return held;
}

void HeldDrop(Held* held) {
  if (--held->references > 0) return;
  Release(held, 0);
  if (held->by != NULL) SpecDrop(held->by);
  ckfree((char*)held);
}

void EndAllHeld(void) {
  Locks* locks = OfThread();
  while (locks->first != NULL) Release(locks->first, 0);
}

static void CommandDeleted(ClientData data) {
  Held* held = data;
  held->command = NULL;
  Release(held, 0);
  HeldDrop(held);
}

int ReleaseCommand(Tcl_Interp* interp, Held* held, int objc, Tcl_Obj* const objv[]) {
  int success = 1;
  if (objc > 3) {
    Tcl_WrongNumArgs(interp, 2, objv, "?success?");
    return TCL_ERROR;
  }
  if (objc == 3 && Tcl_GetBooleanFromObj(interp, objv[2], &success) != TCL_OK) return TCL_ERROR;
  HeldEnd(held, success);
  return TCL_OK;
}

static int HeldObjCmd(ClientData data, Tcl_Interp* interp, int objc, Tcl_Obj* const objv[]) {
  static const char* const kSubcommands[] = {"held", "release", "slot", "token", NULL};
  enum { HELD, RELEASE, SLOT, TOKEN };
  Held* held = data;
  int index;
  if (objc < 2) {
    Tcl_WrongNumArgs(interp, 1, objv, "subcommand");
    return TCL_ERROR;
  }
  if (Tcl_GetIndexFromObj(interp, objv[1], kSubcommands, "subcommand", TCL_EXACT, &index) != TCL_OK)
    return TCL_ERROR;
  if (index == RELEASE) return ReleaseCommand(interp, held, objc, objv);
  if (objc != 2) {
    Tcl_WrongNumArgs(interp, 2, objv, "");
    return TCL_ERROR;
  }
  /* Without a lock: the thread is about to end. */
  const atmost_lock* lock = held->lock;
  Tcl_WideInt number = 0;
  if (lock != NULL && index == SLOT) number = atmost_slot(lock);
  if (lock != NULL && index == TOKEN) number = (Tcl_WideInt)atmost_token(lock);
  if (lock != NULL && index == HELD) number = atmost_held(lock);
  Tcl_SetObjResult(interp, Tcl_NewWideIntObj(number));
  return TCL_OK;
}

Tcl_Obj* NewName(Tcl_Interp* interp, const char* stem) {
  Locks* locks = OfThread();
  Tcl_CmdInfo info;
  char name[64];
  do {
    snprintf(name, sizeof(name), "::atmost::%s%lu", stem, ++locks->names);
  } while (Tcl_GetCommandInfo(interp, name, &info) != 0);
  return Tcl_NewStringObj(name, -1);
}

Tcl_Obj* HeldCommand(Tcl_Interp* interp, Held* held) {
  Tcl_Obj* name = NewName(interp, "held");
  ++held->references;
  held->interp = interp;
  held->command =
      Tcl_CreateObjCommand(interp, Tcl_GetString(name), HeldObjCmd, held, CommandDeleted);
  return name;
}
