;;; What a program says, as the fields of atmost_options.
(define-module (atmost options)
  #:use-module (atmost answers)
  #:use-module (atmost native)
  #:use-module (ice-9 exceptions)
  #:use-module (ice-9 i18n)
  #:use-module (ice-9 iconv)
  #:use-module (rnrs bytevectors)
  #:use-module ((srfi srfi-1) #:select (list-index))
  #:use-module (srfi srfi-9)
  #:use-module (system foreign)
  #:export (make-atom atom? make-lock lock? lock-parts lock-atom? lock-on-lost lock-answers-at-once?
            lock-options keep-alive! named-lock-part))

(define-record-type <atom>
  (%make-atom operator operand host)
  atom?
  (operator atom-operator)
  (operand atom-operand)
  (host atom-host))

(define* (make-atom operator operand #:optional host)
  "Return the atom OPERATOR:OPERAND of Burgess and Skipitaris, on HOST or this host; it can take the
place of a lock's name. Each is a string or a bytevector."
  (%make-atom operator operand host))

(define-record-type <lock>
  (%make-lock parts atom? fields others pointer on-lost answers-at-once? used)
  lock?
  (parts lock-parts)                    ; pointers: the name, or the three parts of an atom
  (atom? lock-atom?)
  (fields lock-fields)
  (others lock-others)                  ; what the array `also' points to
  (pointer lock-pointer)                ; to an atmost_options
  (on-lost lock-on-lost)
  (answers-at-once? lock-answers-at-once?)
  (used lock-used set-lock-used!))

(define (misuse . words) (raise-exception (apply usage-refusal words)))

;;; How each kind of value is converted. C would cut integers that do not fit.

(define (encoded what value)
  (with-exception-handler
      (lambda (error) (misuse what ": a character that " (locale-encoding) " does not have"))
    (lambda () (string->bytevector value (locale-encoding) 'error))
    #:unwind? #t))

(define (text what value)
  (let ((bytes (cond ((bytevector? value) value)
                     ((string? value) (encoded what value))
                     (else (misuse what " must be a string or a bytevector")))))
    (when (memv 0 (bytevector->u8-list bytes)) (misuse what ": a text with a NUL byte"))
    (bytes->pointer bytes)))

(define (text-or-none what value) (if value (text what value) %null-pointer))

(define (texts what value)
  (unless (list? value) (misuse what " must be a list"))
  (map (lambda (one) (text what one)) value))

(define (seconds what value)
  (cond ((eq? value 'auto) -1.0)
        ((and (real? value) (not (nan? value))) (exact->inexact value))
        (else (misuse what " must be a number of seconds"))))

(define (integer lowest highest)
  (lambda (what value)
    (unless (and (exact-integer? value) (<= lowest value highest))
      (misuse what " must be a whole number"))
    value))
(define count (integer 0 #xffffffff))
(define signed (integer (- #x80000000) #x7fffffff))

(define (flag what value)
  (unless (boolean? value) (misuse what " must be #t or #f"))
  (if value 1 0))

;; The values of each count from 0, as in atmost.h.
(define (one-of . names)
  (lambda (what value)
    (or (list-index (lambda (name) (eq? name value)) names)
        (misuse what " must be one of " names))))

(define-syntax-rule (fields-of (field convert option) ...)
  (list (cons 'field (convert 'option option)) ...))

(define (parts-of name)
  (if (atom? name)
      (list (text "the operator" (atom-operator name)) (text "the operand" (atom-operand name))
            (text-or-none "the host" (atom-host name)))
      (list (text "the name" name))))

(define* (new-lock name #:key (max 1) (take 1) (wait 0) (if-elapsed 0) (expire-after +inf.0)
                   (kill-grace 2) (now -1) directory id (mode #o600) (may-be-killed 0) on-lost
                   log no-history (sharing 'plain) (on-busy 'fail) (elapsed-from 'start)
                   wait-too-soon (max-hold +inf.0) (also '()) trust-fs no-learn rate
                   (queue-max -1) store)
  (unless (or (not on-lost) (procedure? on-lost)) (misuse "on-lost must be a procedure"))
  (let* ((others (texts 'also also))
         (fields (append
                  (fields-of (max count max) (take count take) (wait seconds wait)
                             (if_elapsed seconds if-elapsed) (expire_after seconds expire-after)
                             (kill_grace seconds kill-grace) (now seconds now)
                             (directory text-or-none directory) (id text-or-none id)
                             (mode count mode) (may_be_killed signed may-be-killed)
                             (log text-or-none log) (no_history flag no-history)
                             (sharing (one-of 'plain 'shared 'exclusive) sharing)
                             (on_busy (one-of 'fail 'replace 'join 'supersede) on-busy)
                             (elapsed_from (one-of 'start 'finish 'success) elapsed-from)
                             (wait_too_soon flag wait-too-soon) (max_hold seconds max-hold)
                             (trust_fs flag trust-fs) (no_learn flag no-learn)
                             (rate text-or-none rate) (queue_max signed queue-max)
                             (store text-or-none store))
                  `((also . ,(if (null? others) %null-pointer (texts->pointer others)))
                    (on_lost . ,(if on-lost eventfd-write-address %null-pointer))))))
    (%make-lock (parts-of name) (atom? name) fields others (options->pointer fields) on-lost
                (and (zero? (assq-ref fields 'wait)) (eqv? +inf.0 (assq-ref fields 'expire_after))
                     (not (eq? on-busy 'replace)))
                #f)))

(define (make-lock name . options)
  "Return a lock: what to take, and how. NAME is a string or a bytevector, a name or a path as for
atmost(1), or an atom. The options are those of `atmost run'; durations are seconds, +inf.0 is for
ever, and auto is a limit that is learned. Each acquire takes the lock anew; threads may share it.

MAX and TAKE are N and K. SHARING is plain, shared or exclusive; ON-BUSY is fail, replace, join
or supersede; RATE is a string such as \"5/1m\"; ELAPSED-FROM is start, finish or success. ALSO is a
list of other locks, each \"[N@]LOCK\". ON-LOST is called with the token on a thread of its own when
the lock is lost. Raises &usage-error."
  (catch 'keyword-argument-error
    (lambda () (apply new-lock name options))
    (lambda (key who message arguments irritants)
      (apply misuse message ":" (map (lambda (one) (format #f " ~s" one)) irritants)))))

(define (lock-options lock context)
  "Return a pointer to the atmost_options of LOCK, with CONTEXT for on_lost unless it is #f."
  (if context
      (options->pointer (acons 'context (make-pointer context) (lock-fields lock)))
      (lock-pointer lock)))

(define (keep-alive! lock options)
  "To be called after a C function that reads memory of LOCK and OPTIONS: it might be collected
during the call if nobody used them afterwards. No compiler leaves this assignment out."
  (set-lock-used! lock options))

(define (named-lock-part lock)
  "Return the name of LOCK; an atom cannot be looked at."
  (when (lock-atom? lock) (misuse "an atom cannot be looked at"))
  (car (lock-parts lock)))
