/* Shared by the parts of the package. Everything here belongs to the thread of the interpreter
 * that it was made for; only on_lost comes from another thread, and lost.c hands it over.
 *
 * A function that returns TCL_OK or TCL_ERROR leaves a message and an errorCode in the interpreter
 * when it fails. */
#ifndef ATMOST_TCL_H
#define ATMOST_TCL_H

#include <atmost/atmost.h>
#include <tcl.h>

/* OPTIONS (options.c). A lock with its options. Counted references, since a script that runs
 * while a lock is waited for may delete the command that has the request. */
typedef struct Spec {
  int references;
  atmost_request* request;
  Tcl_Encoding encoding; /* of every text; NULL: the system's */
  Tcl_Obj* on_lost;      /* a command prefix, or NULL */
} Spec;

/* Options of one call, which the library does not have. Borrowed. */
typedef struct CallOptions {
  Tcl_Obj* as;      /* a variable's name, or NULL */
  Tcl_Obj* command; /* a command prefix, or NULL */
} CallOptions;

/* The options that are allowed. */
enum { ALLOW_AS = 1, ALLOW_COMMAND = 2 };

/* A Spec with one reference, or NULL. `names`: the name, or an atom's operator and operand. */
Spec* SpecNew(Tcl_Interp* interp, Tcl_Obj* const names[], int name_count, int objc,
              Tcl_Obj* const objv[], int allowed, CallOptions* call);
void SpecKeep(Spec* spec);
void SpecDrop(Spec* spec);
/* The options of one call only: -as, -command. */
int ParseCallOptions(Tcl_Interp* interp, int objc, Tcl_Obj* const objv[], int allowed,
                     CallOptions* call);

/* ANSWERS (answers.c) */

/* Leaves the message and errorCode of the thread's last call, which gave `answer`; TCL_ERROR. */
int Refuse(Tcl_Interp* interp, Tcl_Encoding encoding, int answer);
/* The same for an argument that this package refuses itself. Takes the message. */
int RefuseArgument(Tcl_Interp* interp, Tcl_Obj* message);
int ListEntries(Tcl_Interp* interp, const Spec* spec);
int Check(Tcl_Interp* interp, const Spec* spec);

/* LOSSES (lost.c). The script to be called when a lock is lost. */
typedef struct Notice Notice;
/* Stands in a Spec's request for its on_lost, where nothing is taken. */
void NotLost(void* context, uint64_t token);
/* NULL if the Spec has no on_lost; otherwise its request has it, too. */
Notice* NoticeNew(Tcl_Interp* interp, const Spec* spec);
/* To be called when the library no longer calls it: the lock is released, or was not admitted. A
 * loss that is on its way is reported unless `silent`. NULL is allowed. */
void NoticeEnd(Notice* notice, int silent);
/* Drops the thread's losses that were not reported. */
void DropLosses(void);

/* HELD LOCKS (held.c). Counted references: the command, if there is one, and a block or callback
 * that runs have one each. The lock ends as unsuccessful with the last one, with the command, with
 * the interpreter and with the thread. */
typedef struct Held Held;
/* With one reference, which is the caller's. */
Held* HeldNew(atmost_lock* lock, Notice* notice);
/* Notes that it was acquired from this Spec. */
void HeldBy(Held* held, Spec* spec);
/* The hold that the thread acquired last of the Spec and still has, or NULL. */
Held* LastHeldBy(const Spec* spec);
/* release ?success? */
int ReleaseCommand(Tcl_Interp* interp, Held* held, int objc, Tcl_Obj* const objv[]);
/* Makes its command, which has a reference of its own; the name, without a reference. */
Tcl_Obj* HeldCommand(Tcl_Interp* interp, Held* held);
/* Releases the lock, if it still is held, and deletes the command. */
void HeldEnd(Held* held, int success);
void HeldDrop(Held* held);
void EndAllHeld(void);
/* A new name of a command in the namespace atmost: its stem and a number. */
Tcl_Obj* NewName(Tcl_Interp* interp, const char* stem);

/* TAKING (take.c) */

/* Waits as long as the options allow. No events are processed. A signal's handler of Tcl
 * (Tcl_AsyncMark) and a cancelled interpreter end it within 20 ms. */
int Take(Tcl_Interp* interp, Spec* spec, Held** held);
/* Takes beside the event loop: `call->command` gets a result and options, as from catch. The result
 * is the name of the request's command. */
int TakeInLoop(Tcl_Interp* interp, Spec* spec, const CallOptions* call);
void EndAllRequests(void);

/* BLOCKS (with.c) */

/* Takes, evaluates the script (as a part of the caller's, for coroutines) and releases. */
int With(Tcl_Interp* interp, Spec* spec, const CallOptions* call, Tcl_Obj* script);

#endif
