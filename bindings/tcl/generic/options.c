#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "atmost_tcl.h"

struct Text {
  Text* next;
  Tcl_DString bytes;
};

typedef enum Kind {
  UNSIGNED,
  INTEGER,
  AGREEMENT, /* a boolean, or a negative number */
  BOOLEAN,
  SECONDS,
  LIMIT, /* seconds, or auto */
  TEXT,
  TEXTS,
  SHARING,
  ON_BUSY,
  ELAPSED_FROM,
  ON_LOST,
  ENCODING,
  HOST,
  AS,
  COMMAND
} Kind;

typedef struct Option {
  const char* name;
  Kind kind;
  size_t offset; /* in atmost_options */
} Option;

#define FIELD(field) offsetof(atmost_options, field)
static const Option kOptions[] = {{"-also", TEXTS, FIELD(also)},
                                  {"-as", AS, 0},
                                  {"-command", COMMAND, 0},
                                  {"-directory", TEXT, FIELD(directory)},
                                  {"-elapsedfrom", ELAPSED_FROM, FIELD(elapsed_from)},
                                  {"-encoding", ENCODING, 0},
                                  {"-expireafter", LIMIT, FIELD(expire_after)},
                                  {"-host", HOST, 0},
                                  {"-id", TEXT, FIELD(id)},
                                  {"-ifelapsed", LIMIT, FIELD(if_elapsed)},
                                  {"-killgrace", SECONDS, FIELD(kill_grace)},
                                  {"-log", TEXT, FIELD(log)},
                                  {"-max", UNSIGNED, FIELD(max)},
                                  {"-maxhold", LIMIT, FIELD(max_hold)},
                                  {"-maybekilled", AGREEMENT, FIELD(may_be_killed)},
                                  {"-mode", UNSIGNED, FIELD(mode)},
                                  {"-nohistory", BOOLEAN, FIELD(no_history)},
                                  {"-nolearn", BOOLEAN, FIELD(no_learn)},
                                  {"-now", SECONDS, FIELD(now)},
                                  {"-onbusy", ON_BUSY, FIELD(on_busy)},
                                  {"-onlost", ON_LOST, 0},
                                  {"-queuemax", INTEGER, FIELD(queue_max)},
                                  {"-rate", TEXT, FIELD(rate)},
                                  {"-sharing", SHARING, FIELD(sharing)},
                                  {"-store", TEXT, FIELD(store)},
                                  {"-take", UNSIGNED, FIELD(take)},
                                  {"-trustfs", BOOLEAN, FIELD(trust_fs)},
                                  {"-wait", SECONDS, FIELD(wait)},
                                  {"-waittoosoon", BOOLEAN, FIELD(wait_too_soon)},
                                  {NULL, TEXT, 0}};

/* In the order of the constants, which begin with 0. */
static const char* const kSharing[] = {"plain", "shared", "exclusive", NULL};
static const char* const kOnBusy[] = {"fail", "replace", "join", "supersede", NULL};
static const char* const kElapsedFrom[] = {"start", "finish", "success", NULL};

static int FindOption(Tcl_Interp* interp, Tcl_Obj* word, const Option** option) {
  int index;
  if (Tcl_GetIndexFromObjStruct(interp, word, kOptions, sizeof(Option), "option", TCL_EXACT,
                                &index) != TCL_OK)
    return TCL_ERROR;
  *option = &kOptions[index];
  return TCL_OK;
}

/* Characters that the encoding does not have would be replaced, so that two names might become one
 * lock: they are refused, as are NUL bytes, which would cut the text. */
static const char* KeepText(Tcl_Interp* interp, Spec* spec, Tcl_Obj* value) {
  int length;
  const char* utf = Tcl_GetStringFromObj(value, &length);
  Text* text = (Text*)ckalloc(sizeof(Text));
  text->next = spec->texts;
  spec->texts = text;
  const char* bytes = Tcl_UtfToExternalDString(spec->encoding, utf, length, &text->bytes);
  const int byte_count = Tcl_DStringLength(&text->bytes);
  if (memchr(bytes, 0, (size_t)byte_count) != NULL) {
    RefuseArgument(interp, Tcl_NewStringObj("a text with a NUL byte", -1));
    return NULL;
  }
  Tcl_DString again;
  const char* back = Tcl_ExternalToUtfDString(spec->encoding, bytes, byte_count, &again);
  const int same = Tcl_DStringLength(&again) == length && memcmp(back, utf, (size_t)length) == 0;
  Tcl_DStringFree(&again);
  if (same) return bytes;
  RefuseArgument(interp, Tcl_ObjPrintf("a text that the encoding \"%s\" does not have",
                                       Tcl_GetEncodingName(spec->encoding)));
  return NULL;
}

static int KeepTexts(Tcl_Interp* interp, Spec* spec, Tcl_Obj* value) {
  int count;
  Tcl_Obj** words;
  if (Tcl_ListObjGetElements(interp, value, &count, &words) != TCL_OK) return TCL_ERROR;
  spec->also = (const char**)ckrealloc((char*)spec->also, sizeof(char*) * ((size_t)count + 1));
  for (int at = 0; at < count; ++at)
    if ((spec->also[at] = KeepText(interp, spec, words[at])) == NULL) return TCL_ERROR;
  spec->also[count] = NULL;
  spec->options.also = spec->also;
  return TCL_OK;
}

static int GetPrefix(Tcl_Interp* interp, Tcl_Obj* value, Tcl_Obj** prefix) {
  int length;
  if (Tcl_ListObjLength(interp, value, &length) != TCL_OK) return TCL_ERROR;
  if (length == 0) return RefuseArgument(interp, Tcl_NewStringObj("a command without words", -1));
  *prefix = value;
  return TCL_OK;
}

static int GetUnsigned(Tcl_Interp* interp, Tcl_Obj* value, unsigned* to) {
  Tcl_WideInt wide;
  if (Tcl_GetWideIntFromObj(interp, value, &wide) != TCL_OK) return TCL_ERROR;
  if (wide < 0 || wide > UINT_MAX)
    return RefuseArgument(interp, Tcl_ObjPrintf("%s is out of range", Tcl_GetString(value)));
  *to = (unsigned)wide;
  return TCL_OK;
}

static int GetLimit(Tcl_Interp* interp, Tcl_Obj* value, double* to) {
  if (strcmp(Tcl_GetString(value), "auto") != 0) return Tcl_GetDoubleFromObj(interp, value, to);
  *to = ATMOST_AUTO;
  return TCL_OK;
}

static int GetAgreement(Tcl_Interp* interp, Tcl_Obj* value, int* to) {
  if (Tcl_GetIntFromObj(NULL, value, to) == TCL_OK) return TCL_OK;
  return Tcl_GetBooleanFromObj(interp, value, to);
}

static int SetText(Tcl_Interp* interp, Spec* spec, Tcl_Obj* value, const char** to) {
  *to = KeepText(interp, spec, value);
  return *to != NULL ? TCL_OK : TCL_ERROR;
}

static int SetOnLost(Tcl_Interp* interp, Spec* spec, Tcl_Obj* value) {
  Tcl_Obj* prefix;
  if (GetPrefix(interp, value, &prefix) != TCL_OK) return TCL_ERROR;
  Tcl_IncrRefCount(prefix);
  if (spec->on_lost != NULL) Tcl_DecrRefCount(spec->on_lost);
  spec->on_lost = prefix;
  spec->options.on_lost = NotLost;
  return TCL_OK;
}

static int SetOption(Tcl_Interp* interp, Spec* spec, const Option* option, Tcl_Obj* value) {
  void* field = (char*)&spec->options + option->offset;
  switch (option->kind) {
    case UNSIGNED:
      return GetUnsigned(interp, value, field);
    case INTEGER:
      return Tcl_GetIntFromObj(interp, value, field);
    case AGREEMENT:
      return GetAgreement(interp, value, field);
    case BOOLEAN:
      return Tcl_GetBooleanFromObj(interp, value, field);
    case SECONDS:
      return Tcl_GetDoubleFromObj(interp, value, field);
    case LIMIT:
      return GetLimit(interp, value, field);
    case TEXT:
      return SetText(interp, spec, value, field);
    case HOST:
      return SetText(interp, spec, value, &spec->host);
    case TEXTS:
      return KeepTexts(interp, spec, value);
    case SHARING:
      return Tcl_GetIndexFromObj(interp, value, kSharing, "sharing", TCL_EXACT, field);
    case ON_BUSY:
      return Tcl_GetIndexFromObj(interp, value, kOnBusy, "onbusy", TCL_EXACT, field);
    case ELAPSED_FROM:
      return Tcl_GetIndexFromObj(interp, value, kElapsedFrom, "elapsedfrom", TCL_EXACT, field);
    case ON_LOST:
      return SetOnLost(interp, spec, value);
    default: /* AS, COMMAND, ENCODING: of the call, or done before */
      return TCL_OK;
  }
}

static int Parse(Tcl_Interp* interp, Spec* spec, int objc, Tcl_Obj* const objv[], int allowed,
                 CallOptions* call) {
  if (objc % 2 != 0)
    return RefuseArgument(interp, Tcl_ObjPrintf("%s is an option without a value, or no option",
                                                Tcl_GetString(objv[objc - 1])));
  for (int at = 0; at < objc; at += 2) {
    const Option* option;
    if (FindOption(interp, objv[at], &option) != TCL_OK) return TCL_ERROR;
    const int needs = option->kind == AS        ? ALLOW_AS
                      : option->kind == COMMAND ? ALLOW_COMMAND
                      : option->kind == HOST    ? ALLOW_HOST
                                                : ALLOW_TAKE;
    if ((allowed & needs) == 0)
      return RefuseArgument(interp, Tcl_ObjPrintf("%s is no option here", option->name));
    if (option->kind == AS) call->as = objv[at + 1];
    if (option->kind == COMMAND && GetPrefix(interp, objv[at + 1], &call->command) != TCL_OK)
      return TCL_ERROR;
    if (spec != NULL && SetOption(interp, spec, option, objv[at + 1]) != TCL_OK) return TCL_ERROR;
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

Spec* SpecNew(Tcl_Interp* interp, Tcl_Obj* const names[], int name_count, int objc,
              Tcl_Obj* const objv[], int allowed, CallOptions* call) {
  static const atmost_options kDefaults = ATMOST_DEFAULTS;
  Spec* spec = (Spec*)ckalloc(sizeof(Spec));
  memset(spec, 0, sizeof(Spec));
  spec->references = 1;
  spec->options = kDefaults;
  if (FindEncoding(interp, spec, objc, objv) == TCL_OK &&
      (spec->name = KeepText(interp, spec, names[0])) != NULL &&
      (name_count == 1 || (spec->operand = KeepText(interp, spec, names[1])) != NULL) &&
      Parse(interp, spec, objc, objv, allowed | ALLOW_TAKE, call) == TCL_OK)
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
  while (spec->texts != NULL) {
    Text* text = spec->texts;
    spec->texts = text->next;
    Tcl_DStringFree(&text->bytes);
    ckfree((char*)text);
  }
  if (spec->encoding != NULL) Tcl_FreeEncoding(spec->encoding);
  if (spec->on_lost != NULL) Tcl_DecrRefCount(spec->on_lost);
  if (spec->also != NULL) ckfree((char*)spec->also);
  ckfree((char*)spec);
}
