#include <string.h>

#include "atmost_tcl.h"

/* Characters that the encoding does not have would be replaced, so that two names might become one
 * lock: they are refused, as are NUL bytes, which would cut the text. `to` is to be freed in every
 * case. */
static const char* Encoded(Tcl_Interp* interp, Tcl_Encoding encoding, Tcl_Obj* value,
                           Tcl_DString* to) {
  int length;
  const char* utf = Tcl_GetStringFromObj(value, &length);
  const char* bytes = Tcl_UtfToExternalDString(encoding, utf, length, to);
  const int byte_count = Tcl_DStringLength(to);
  if (memchr(bytes, 0, (size_t)byte_count) != NULL) {
    RefuseArgument(interp, Tcl_NewStringObj("a text with a NUL byte", -1));
    return NULL;
  }
  Tcl_DString again;
  const char* back = Tcl_ExternalToUtfDString(encoding, bytes, byte_count, &again);
  const int same = Tcl_DStringLength(&again) == length && memcmp(back, utf, (size_t)length) == 0;
  Tcl_DStringFree(&again);
  if (same) return bytes;
  RefuseArgument(interp, Tcl_ObjPrintf("a text that the encoding \"%s\" does not have",
                                       Tcl_GetEncodingName(encoding)));
  return NULL;
}

static int GetPrefix(Tcl_Interp* interp, Tcl_Obj* value, Tcl_Obj** prefix) {
  int length;
  if (Tcl_ListObjLength(interp, value, &length) != TCL_OK) return TCL_ERROR;
  if (length == 0) return RefuseArgument(interp, Tcl_NewStringObj("a command without words", -1));
  *prefix = value;
  return TCL_OK;
}

static int SetOnLost(Tcl_Interp* interp, Spec* spec, Tcl_Obj* value) {
  Tcl_Obj* prefix;
  if (GetPrefix(interp, value, &prefix) != TCL_OK) return TCL_ERROR;
  Tcl_IncrRefCount(prefix);
  if (spec->on_lost != NULL) Tcl_DecrRefCount(spec->on_lost);
  spec->on_lost = prefix;
  atmost_set_on_lost(spec->request, NotLost, NULL);
  return TCL_OK;
}

static int SetOption(Tcl_Interp* interp, Spec* spec, const char* name, Tcl_Obj* value) {
  if (strcmp(name, "encoding") == 0) return TCL_OK; /* it was found before */
  if (strcmp(name, "on_lost") == 0) return SetOnLost(interp, spec, value);
  Tcl_DString bytes;
  const char* text = Encoded(interp, spec->encoding, value, &bytes);
  const int answer = text == NULL ? ATMOST_ADMITTED : atmost_set(spec->request, name, text);
  Tcl_DStringFree(&bytes);
  if (text == NULL) return TCL_ERROR;
  return answer == ATMOST_ADMITTED ? TCL_OK : Refuse(interp, spec->encoding, answer);
}

/* `spec`: NULL if only options of the call are allowed. */
static int Parse(Tcl_Interp* interp, Spec* spec, int objc, Tcl_Obj* const objv[], int allowed,
                 CallOptions* call) {
  if (objc % 2 != 0)
    return RefuseArgument(interp, Tcl_ObjPrintf("%s is an option without a value, or no option",
                                                Tcl_GetString(objv[objc - 1])));
  for (int at = 0; at < objc; at += 2) {
    const char* word = Tcl_GetString(objv[at]);
    const int is_as = strcmp(word, "-as") == 0;
    const int is_command = strcmp(word, "-command") == 0;
    if (is_as && (allowed & ALLOW_AS) != 0) {
      call->as = objv[at + 1];
    } else if (is_command && (allowed & ALLOW_COMMAND) != 0) {
      if (GetPrefix(interp, objv[at + 1], &call->command) != TCL_OK) return TCL_ERROR;
    } else if (is_as || is_command || spec == NULL || word[0] != '-') {
      return RefuseArgument(interp, Tcl_ObjPrintf("%s is not an option here", word));
    } else if (SetOption(interp, spec, word + 1, objv[at + 1]) != TCL_OK) {
      return TCL_ERROR;
    }
  }
  return TCL_OK;
}

/* Before every text, wherever the option stands. */
static int FindEncoding(Tcl_Interp* interp, Spec* spec, int objc, Tcl_Obj* const objv[]) {
  for (int at = 0; at + 1 < objc; at += 2) {
    if (strcmp(Tcl_GetString(objv[at]), "-encoding") != 0) continue;
    if (spec->encoding != NULL) Tcl_FreeEncoding(spec->encoding);
    spec->encoding = NULL;
    if (Tcl_GetEncodingFromObj(interp, objv[at + 1], &spec->encoding) != TCL_OK) return TCL_ERROR;
  }
  return TCL_OK;
}

static int Name(Tcl_Interp* interp, Spec* spec, Tcl_Obj* const names[], int count) {
  Tcl_DString bytes[2];
  const char* texts[2] = {NULL, NULL};
  int code = TCL_OK;
  for (int at = 0; at < count; ++at) {
    texts[at] = Encoded(interp, spec->encoding, names[at], &bytes[at]);
    if (texts[at] == NULL) code = TCL_ERROR;
  }
  if (code == TCL_OK)
    spec->request = count == 1 ? atmost_new(texts[0]) : atmost_new_atom(texts[0], texts[1]);
  for (int at = 0; at < count; ++at) Tcl_DStringFree(&bytes[at]);
  return code;
}

Spec* SpecNew(Tcl_Interp* interp, Tcl_Obj* const names[], int name_count, int objc,
              Tcl_Obj* const objv[], int allowed, CallOptions* call) {
  Spec* spec = (Spec*)ckalloc(sizeof(Spec));
  memset(spec, 0, sizeof(Spec));
  spec->references = 1;
  if (FindEncoding(interp, spec, objc, objv) == TCL_OK &&
      Name(interp, spec, names, name_count) == TCL_OK &&
      Parse(interp, spec, objc, objv, allowed, call) == TCL_OK)
    return spec;
  SpecDrop(spec);
  return NULL;
}

int ParseCallOptions(Tcl_Interp* interp, int objc, Tcl_Obj* const objv[], int allowed,
                     CallOptions* call) {
  return Parse(interp, NULL, objc, objv, allowed, call);
}

void SpecKeep(Spec* spec) { ++spec->references; }

void SpecDrop(Spec* spec) {
  if (--spec->references > 0) return;
  atmost_free(spec->request);
  if (spec->encoding != NULL) Tcl_FreeEncoding(spec->encoding);
  if (spec->on_lost != NULL) Tcl_DecrRefCount(spec->on_lost);
  ckfree((char*)spec);
}
