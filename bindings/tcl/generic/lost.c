#include <stdatomic.h>

#include "atmost_tcl.h"

enum { IDLE, QUEUED };

/* Made before the lock is asked for, so that the library's thread allocates nothing. */
struct Notice {
  int references;     /* the lock's and the event's; counted by the interpreter's thread only */
  Tcl_Interp* interp; /* NULL once it is deleted; to preserve it would keep its locks */
  Tcl_ThreadId thread;
  Tcl_Obj* prefix; /* NULL: to be dropped in silence */
  uint64_t token;
  atomic_int state;
  struct LostEvent* event;
};

typedef struct LostEvent {
  Tcl_Event header;
  Notice* notice;
} LostEvent;

static void InterpDeleted(ClientData data, Tcl_Interp* interp) {
  (void)interp;
  ((Notice*)data)->interp = NULL;
}

static void Unref(Notice* notice) {
  if (--notice->references > 0) return;
  if (notice->interp != NULL) Tcl_DontCallWhenDeleted(notice->interp, InterpDeleted, notice);
  if (notice->prefix != NULL) Tcl_DecrRefCount(notice->prefix);
  ckfree((char*)notice);
}

static int Report(Tcl_Event* event, int flags) {
  (void)flags;
  Notice* notice = ((LostEvent*)event)->notice;
  Tcl_Interp* interp = notice->interp;
  if (notice->prefix != NULL && interp != NULL && !Tcl_InterpDeleted(interp)) {
    Tcl_Preserve(interp);
    Tcl_Obj* command = Tcl_DuplicateObj(notice->prefix);
    Tcl_IncrRefCount(command);
    Tcl_ListObjAppendElement(NULL, command, Tcl_NewWideIntObj((Tcl_WideInt)notice->token));
    const int code = Tcl_EvalObjEx(interp, command, TCL_EVAL_GLOBAL);
    if (code != TCL_OK && !Tcl_InterpDeleted(interp)) Tcl_BackgroundException(interp, code);
    Tcl_Release(interp);
    Tcl_DecrRefCount(command);
  }
  Unref(notice);
  return 1; /* Tcl frees the event */
}

/* On a thread of the library: another one than the interpreter's, which must not be entered. The
 * interpreter's thread is there, since it releases its locks before it ends, and a release waits
 * until this has returned. */
static void QueueLoss(void* context, uint64_t token) {
  Notice* notice = context;
  const Tcl_ThreadId thread = notice->thread;
  notice->token = token;
  atomic_store(&notice->state, QUEUED);
  Tcl_ThreadQueueEvent(thread, &notice->event->header, TCL_QUEUE_TAIL);
  Tcl_ThreadAlert(thread);
}

void NotLost(void* context, uint64_t token) {
  (void)context;
  (void)token;
}

Notice* NoticeNew(Tcl_Interp* interp, const Spec* spec) {
  if (spec->on_lost == NULL) return NULL;
  Notice* notice = (Notice*)ckalloc(sizeof(Notice));
  notice->references = 2;
  notice->event = (LostEvent*)Tcl_Alloc(sizeof(LostEvent)); /* freed by Tcl, too */
  notice->event->header.proc = Report;
  notice->event->notice = notice;
  notice->interp = interp;
  Tcl_CallWhenDeleted(interp, InterpDeleted, notice);
  notice->thread = Tcl_GetCurrentThread();
  notice->prefix = spec->on_lost;
  Tcl_IncrRefCount(notice->prefix);
  atomic_init(&notice->state, IDLE);
  atmost_set_on_lost(spec->request, QueueLoss, notice);
  return notice;
}

void NoticeEnd(Notice* notice, int silent) {
  if (notice == NULL) return;
  if (atomic_load(&notice->state) == IDLE) {
    Tcl_Free((char*)notice->event);
    Unref(notice);
  } else if (silent && notice->prefix != NULL) {
    Tcl_DecrRefCount(notice->prefix);
    notice->prefix = NULL;
  }
  Unref(notice);
}

static int Drop(Tcl_Event* event, ClientData unused) {
  (void)unused;
  if (event->proc != Report) return 0;
  Unref(((LostEvent*)event)->notice);
  return 1;
}

void DropLosses(void) { Tcl_DeleteEvents(Drop, NULL); }
