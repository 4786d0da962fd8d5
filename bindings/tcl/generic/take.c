#include <poll.h>
#include <sys/select.h>

#include "atmost_tcl.h"

enum { HEAR_MS = 20 };

/* Gives the place in the queue up; an admission that came first ends as unsuccessful. */
static void Abandon(atmost_pending* pending, Notice* notice) {
  atmost_lock* lock;
  atmost_cancel(pending);
  if (atmost_finish(pending, &lock) == ATMOST_ADMITTED) atmost_release(lock, 0);
  NoticeEnd(notice, 1);
}

/* Handlers are asked for at intervals, too: a signal may be delivered to another thread, or just
 * before poll(). */
static int Await(Tcl_Interp* interp, const atmost_pending* pending) {
  if (atmost_answered(pending)) return TCL_OK;
  struct pollfd answer = {atmost_descriptor(pending), POLLIN, 0};
  for (;;) {
    const int ready = poll(&answer, 1, HEAR_MS);
    if (Tcl_AsyncReady()) {
      const int code = Tcl_AsyncInvoke(interp, TCL_OK);
      if (code != TCL_OK) return code;
    }
    if (Tcl_InterpDeleted(interp)) return TCL_ERROR;
    if (Tcl_Canceled(interp, TCL_LEAVE_ERR_MSG) != TCL_OK) return TCL_ERROR;
    if (ready == 1) return TCL_OK;
  }
}

static int TakeOrWait(Tcl_Interp* interp, const Spec* spec, Notice* notice, Held** held) {
  atmost_lock* lock = NULL;
  int answer;
  if (atmost_waits(spec->request) == 0) {
    answer = atmost_get(spec->request, &lock);
  } else {
    atmost_pending* pending;
    answer = atmost_begin(spec->request, &pending);
    if (answer == ATMOST_ADMITTED) {
      const int code = Await(interp, pending);
      if (code != TCL_OK) {
        Abandon(pending, notice);
        return code;
      }
      answer = atmost_finish(pending, &lock);
    }
  }
  if (answer == ATMOST_ADMITTED) {
    *held = HeldNew(lock, notice);
    return TCL_OK;
  }
  NoticeEnd(notice, 1);
  return Refuse(interp, spec->encoding, answer);
}

int Take(Tcl_Interp* interp, Spec* spec, Held** held) {
  Notice* notice = NoticeNew(interp, spec);
  SpecKeep(spec);
  const int code = TakeOrWait(interp, spec, notice, held);
  SpecDrop(spec);
  return code;
}

/* A request beside the event loop. Its command has it; deleted, it ends. */
typedef struct Request {
  atmost_pending* pending; /* NULL once it is finished */
  int descriptor;
  Tcl_Interp* interp;
  Tcl_Command command;
  Spec* spec;
  Notice* notice;
  Tcl_Obj* prefix;
  struct Request* next; /* of the thread's requests */
  struct Request** link;
} Request;

typedef struct Requests {
  Request* first;
} Requests;

static Tcl_ThreadDataKey requests_key;

static Requests* OfThread(void) { return Tcl_GetThreadData(&requests_key, sizeof(Requests)); }

static atmost_pending* Detach(Request* request) {
  atmost_pending* asked = request->pending;
  if (asked == NULL) return NULL;
  request->pending = NULL;
  *request->link = request->next;
  if (request->next != NULL) request->next->link = request->link;
  Tcl_DeleteFileHandler(request->descriptor);
  return asked;
}

static void End(Request* request) {
  atmost_pending* asked = Detach(request);
  if (asked != NULL) Abandon(asked, request->notice);
}

void EndAllRequests(void) {
  Requests* requests = OfThread();
  while (requests->first != NULL) End(requests->first);
}

static void CommandDeleted(ClientData data) {
  Request* request = data;
  End(request);
  Tcl_DecrRefCount(request->prefix);
  SpecDrop(request->spec);
  ckfree((char*)request);
}

/* After a callback that fails, nothing would release the lock, so it ends, too. */
static void CallBack(Tcl_Interp* interp, Tcl_Obj* prefix, Held* held, int code) {
  Tcl_Obj* result = held != NULL ? HeldCommand(interp, held) : Tcl_GetObjResult(interp);
  Tcl_Obj* command = Tcl_DuplicateObj(prefix);
  Tcl_IncrRefCount(command);
  Tcl_ListObjAppendElement(NULL, command, result);
  Tcl_ListObjAppendElement(NULL, command, Tcl_GetReturnOptions(interp, code));
  Tcl_ResetResult(interp);
  code = Tcl_EvalObjEx(interp, command, TCL_EVAL_GLOBAL);
  if (code != TCL_OK) {
    if (held != NULL) HeldEnd(held, 0);
    if (!Tcl_InterpDeleted(interp)) Tcl_BackgroundException(interp, code);
  }
  Tcl_DecrRefCount(command);
}

static void Answered(ClientData data, int mask) {
  (void)mask;
  Request* request = data;
  Tcl_Interp* interp = request->interp;
  Tcl_Obj* prefix = request->prefix;
  Notice* notice = request->notice;
  Held* held = NULL;
  atmost_lock* lock;
  Tcl_Preserve(interp);
  Tcl_IncrRefCount(prefix);
  const int answer = atmost_finish(Detach(request), &lock);
  int code = TCL_OK;
  if (answer == ATMOST_ADMITTED) {
    held = HeldNew(lock, notice);
    HeldBy(held, request->spec);
  } else {
    NoticeEnd(notice, 1);
    code = Refuse(interp, request->spec->encoding, answer);
  }
  Tcl_DeleteCommandFromToken(interp, request->command);
  if (!Tcl_InterpDeleted(interp)) CallBack(interp, prefix, held, code);
  if (held != NULL) HeldDrop(held);
  Tcl_DecrRefCount(prefix);
  Tcl_Release(interp);
}

static int RequestObjCmd(ClientData data, Tcl_Interp* interp, int objc, Tcl_Obj* const objv[]) {
  static const char* const kSubcommands[] = {"cancel", NULL};
  const Request* request = data;
  int index;
  if (objc != 2) {
    Tcl_WrongNumArgs(interp, 1, objv, "cancel");
    return TCL_ERROR;
  }
  if (Tcl_GetIndexFromObj(interp, objv[1], kSubcommands, "subcommand", TCL_EXACT, &index) != TCL_OK)
    return TCL_ERROR;
  if (request->pending != NULL) atmost_cancel(request->pending);
  return TCL_OK;
}

static void Enlist(Request* request) {
  Requests* requests = OfThread();
  request->next = requests->first;
  request->link = &requests->first;
  if (request->next != NULL) request->next->link = &request->next;
  requests->first = request;
}

int TakeInLoop(Tcl_Interp* interp, Spec* spec, const CallOptions* call) {
  Notice* notice = NoticeNew(interp, spec);
  atmost_pending* asked;
  const int answer = atmost_begin(spec->request, &asked);
  if (answer != ATMOST_ADMITTED) {
    NoticeEnd(notice, 1);
    return Refuse(interp, spec->encoding, answer);
  }
  const int descriptor = atmost_descriptor(asked);
  if (descriptor < 0 ||
      descriptor >= FD_SETSIZE) { /* Tcl's notifier calls select() without looking */
    Abandon(asked, notice);
    Tcl_SetObjResult(interp, Tcl_NewStringObj("too many open files for Tcl's event loop", -1));
    Tcl_SetErrorCode(interp, "ATMOST", "INTERNAL", (char*)NULL);
    return TCL_ERROR;
  }
  Request* request = (Request*)ckalloc(sizeof(Request));
  request->pending = asked;
  request->descriptor = descriptor;
  request->interp = interp;
  request->spec = spec;
  SpecKeep(spec);
  request->notice = notice;
  request->prefix = call->command;
  Tcl_IncrRefCount(request->prefix);
  Enlist(request);
  Tcl_Obj* name = NewName(interp, "request");
  request->command =
      Tcl_CreateObjCommand(interp, Tcl_GetString(name), RequestObjCmd, request, CommandDeleted);
  Tcl_CreateFileHandler(descriptor, TCL_READABLE, Answered, request);
  Tcl_SetObjResult(interp, name);
  return TCL_OK;
}
