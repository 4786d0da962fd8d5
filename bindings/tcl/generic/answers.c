#include <string.h>

#include "atmost_tcl.h"

static Tcl_Obj* Decoded(Tcl_Encoding encoding, const char* bytes) {
  Tcl_DString utf;
  Tcl_ExternalToUtfDString(encoding, bytes, -1, &utf);
  Tcl_Obj* text = Tcl_NewStringObj(Tcl_DStringValue(&utf), Tcl_DStringLength(&utf));
  Tcl_DStringFree(&utf);
  return text;
}

static const char* Kind(int answer) {
  switch (answer) {
    case ATMOST_BUSY:
      return "BUSY";
    case ATMOST_TOO_SOON:
      return "TOOSOON";
    case ATMOST_INTERRUPTED:
      return "INTERRUPTED";
    case ATMOST_USAGE:
      return "USAGE";
    case ATMOST_UNAVAILABLE:
      return "UNAVAILABLE";
    case ATMOST_CANNOT_CREATE:
      return "CANNOTCREATE";
    case ATMOST_IO:
      return "IO";
    case ATMOST_NOT_PERMITTED:
      return "NOTPERMITTED";
    default:
      return "INTERNAL";
  }
}

int Refuse(Tcl_Interp* interp, Tcl_Encoding encoding, int answer) {
  Tcl_Obj* code[4] = {Tcl_NewStringObj("ATMOST", -1), Tcl_NewStringObj(Kind(answer), -1)};
  int count = 2;
  if (answer == ATMOST_TOO_SOON) code[count++] = Tcl_NewDoubleObj(atmost_retry_in());
  if (answer == ATMOST_BUSY || answer == ATMOST_TOO_SOON)
    code[count++] = Tcl_NewStringObj(atmost_why(), -1);
  const char* message = answer == ATMOST_INTERRUPTED ? "the wait was cancelled" : atmost_message();
  Tcl_SetObjResult(interp, Decoded(encoding, message));
  Tcl_SetObjErrorCode(interp, Tcl_NewListObj(count, code));
  return TCL_ERROR;
}

int RefuseArgument(Tcl_Interp* interp, Tcl_Obj* message) {
  Tcl_SetObjResult(interp, message);
  Tcl_SetErrorCode(interp, "ATMOST", "USAGE", (char*)NULL);
  return TCL_ERROR;
}

static void Put(Tcl_Obj* dict, const char* key, Tcl_Obj* value) {
  Tcl_DictObjPut(NULL, dict, Tcl_NewStringObj(key, -1), value);
}

static void PutNumber(Tcl_Obj* dict, const char* key, Tcl_WideInt value, Tcl_WideInt unknown) {
  if (value != unknown) Put(dict, key, Tcl_NewWideIntObj(value));
}

static void PutTime(Tcl_Obj* dict, const char* key, double value) {
  if (value != -1) Put(dict, key, Tcl_NewDoubleObj(value));
}

typedef struct Listing {
  Tcl_Encoding encoding;
  Tcl_Obj* entries;
} Listing;

/* A value that is not known, or does not apply, is left out. */
static int AppendEntry(void* context, const atmost_entry* entry) {
  const Listing* listing = context;
  Tcl_Obj* dict = Tcl_NewDictObj();
  Put(dict, "state", Tcl_NewStringObj(entry->state, -1));
  PutNumber(dict, "slot", entry->slot, 0);
  PutNumber(dict, "position", entry->position, 0);
  PutNumber(dict, "pid", entry->pid, 0);
  PutNumber(dict, "keptfor", entry->kept_for, 0);
  PutNumber(dict, "user", entry->user, -1);
  PutNumber(dict, "token", (Tcl_WideInt)entry->token, 0);
  PutTime(dict, "start", entry->start);
  PutTime(dict, "age", entry->age);
  Put(dict, "expires", Tcl_NewDoubleObj(entry->expires));
  Put(dict, "id", Decoded(listing->encoding, entry->id));
  Put(dict, "command", Decoded(listing->encoding, entry->command));
  Put(dict, "verified", Tcl_NewBooleanObj(entry->verified));
  Tcl_ListObjAppendElement(NULL, listing->entries, dict);
  return 0;
}

int ListEntries(Tcl_Interp* interp, const Spec* spec) {
  Listing listing = {spec->encoding, Tcl_NewListObj(0, NULL)};
  const int answer = atmost_list(spec->request, AppendEntry, &listing);
  if (answer == ATMOST_ADMITTED) {
    Tcl_SetObjResult(interp, listing.entries);
    return TCL_OK;
  }
  Tcl_DecrRefCount(listing.entries);
  return Refuse(interp, spec->encoding, answer);
}

int Check(Tcl_Interp* interp, const Spec* spec) {
  unsigned held = 0;
  const int answer = atmost_check(spec->request, &held);
  if (answer != ATMOST_ADMITTED && answer != ATMOST_BUSY && answer != ATMOST_TOO_SOON)
    return Refuse(interp, spec->encoding, answer);
  const int admitted = answer == ATMOST_ADMITTED;
  Tcl_Obj* dict = Tcl_NewDictObj();
  Put(dict, "admitted", Tcl_NewBooleanObj(admitted));
  Put(dict, "held", Tcl_NewWideIntObj(held));
  Put(dict, "why", Tcl_NewStringObj(admitted ? "" : atmost_why(), -1));
  Put(dict, "retryin", Tcl_NewDoubleObj(admitted ? 0.0 : atmost_retry_in()));
  Tcl_SetObjResult(interp, dict);
  return TCL_OK;
}
