;;; Asking for a lock; every decision is libatmost's.
(define-module (atmost request)
  #:use-module (atmost answers)
  #:use-module (atmost held)
  #:use-module (atmost native)
  #:use-module (atmost options)
  #:use-module (ice-9 exceptions)
  #:use-module (rnrs bytevectors)
  #:use-module (srfi srfi-9)
  #:use-module (system foreign)
  #:export (acquire call-with-lock with-lock lock-entries lock-check may-be-killed!))

(define (misuse . words) (raise-exception (apply usage-refusal words)))

(define (lock-of what options)
  (cond ((not (lock? what)) (apply make-lock what options))
        ((null? options) what)
        (else (misuse "options belong to make-lock, or to a name"))))

;;; A request that waits. POINTER is #f when it was finished.
(define-record-type <request>
  (make-request pointer notice owner)
  request?
  (pointer request-pointer set-request-pointer!)
  (notice request-notice)
  (owner request-owner))

(define (finish! request)
  "Return the held lock, or a refusal."
  (let ((pointer (request-pointer request)) (out (make-out)))
    (set-request-pointer! request #f)
    (if pointer
        (let ((answer (atmost-finish pointer (bytevector->pointer out))))
          (admission answer out (request-notice request)))
        (interrupted-refusal))))

(define (wait-for-answer pointer)
  "Return when the library's finish will not block."
  (when (zero? (atmost-answered pointer)) (wait-readable (atmost-descriptor pointer))))

(define (give-up! request)
  "Give the place in the queue up. A takeover that has begun is finished first; an admission that
came first is released."
  (undisturbed
   (let ((pointer (request-pointer request)))
     (when pointer
       (atmost-cancel pointer)
       (when (= (getpid) (request-owner request)) (wait-for-answer pointer))
       (let ((result (finish! request)))
         (when (held? result) (release result #f)))))))

(define (await request)
  "Return when finish! will not block. Asyncs are blocked, except while it waits. The place is
given up as soon as an exception leaves a signal handler, before any debugger starts; and when the
wait is left by a continuation, or a thread is cancelled."
  (let ((ready? #f))
    (dynamic-wind
      (lambda ()
        (unless (request-pointer request) (misuse "a wait cannot be entered again")))
      (lambda ()
        (with-exception-handler
            (lambda (exception)
              (give-up! request)
              (raise-continuable exception))
          (lambda ()
            (let ((pointer (request-pointer request)))
              (call-with-unblocked-asyncs (lambda () (wait-for-answer pointer))))))
        (set! ready? #t))
      (lambda ()
        (unless ready? (give-up! request))))))

(define (admission answer out notice)
  "Return a held lock for what a C function answered, or a refusal."
  (cond ((= answer admitted) (make-held (out-ref out) notice))
        (else (let ((refused (refusal answer)))
                (when notice (end-notice! notice))
                refused))))

(define (ask lock plain of-atom notice out)
  (let* ((options (lock-options lock (and notice (notice-descriptor notice))))
         (answer (apply (if (lock-atom? lock) of-atom plain)
                        (append (lock-parts lock) (list options (bytevector->pointer out))))))
    (keep-alive! lock options)
    answer))

(define (take lock)
  "Return a held lock, or a refusal; asyncs are blocked. Only a call that answers at once is made
directly: asyncs do not run during a call of C."
  (let ((notice (and (lock-on-lost lock) (start-notice (lock-on-lost lock))))
        (out (make-out)))
    (if (lock-answers-at-once? lock)
        (admission (ask lock atmost-get atmost-get-atom notice out) out notice)
        (let ((answer (ask lock atmost-begin atmost-begin-atom notice out)))
          (if (= answer admitted)
              (let ((request (make-request (out-ref out) notice (getpid))))
                (await request)
                (finish! request))
              (admission answer out notice))))))

(define (held-or-raise result)
  (if (exception? result) (raise-exception result) result))

(define (acquire what . options)
  "Take WHAT, a lock, or a name with OPTIONS as for make-lock, and return what is held; release
frees it. Raises &busy or &too-soon. Other threads and signal handlers run while it waits; an
exception that leaves a handler ends the wait."
  (let ((lock (lock-of what options)))
    (held-or-raise (undisturbed (take lock)))))

(define (call-with-lock what work)
  "Call WORK with what is held of WHAT, a lock or a name, and return its values. The lock is free
when WORK is left. Only if WORK returns was it a success. It cannot be entered again."
  (let ((lock (lock-of what '())) (held #f) (entered? #f) (success? #f))
    (dynamic-wind
      (lambda ()
        (when entered? (misuse "work that holds a lock cannot be entered again"))
        (set! entered? #t))
      (lambda ()
        (held-or-raise (undisturbed
                        (let ((result (take lock)))
                          (when (held? result) (set! held result))
                          result)))
        (call-with-values (lambda () (work held))
          (lambda results
            (set! success? #t)
            (apply values results))))
      (lambda ()
        (when held (release held success?))))))

(define-syntax-rule (with-lock what body0 body1 ...)
  "Evaluate the body while WHAT, a lock or a name, is held, as by call-with-lock."
  (call-with-lock what (lambda (held) body0 body1 ...)))

(define (look lock ask)
  "Call ASK with the name and the atmost_options of LOCK. Return a refusal, or #f."
  (let ((name (named-lock-part lock)) (options (lock-options lock #f)))
    (undisturbed
     (let ((answer (ask name options)))
       (keep-alive! lock options)
       (and (not (= answer admitted)) (refusal answer))))))

;; A procedure that is made for one call might be collected during it; so there is one, and a fluid.
(define entries (make-fluid '()))
(define each
  (procedure->pointer int
                      (lambda (context one)
                        (fluid-set! entries (cons (pointer->entry one) (fluid-ref entries)))
                        0)
                      '(* *)))

(define (lock-entries what . options)
  "Return a list of entries: drained slots, holders by slot, waiters in the order of their queues.
Takes nothing."
  (with-fluids ((entries '()))
    (let ((refused (look (lock-of what options)
                         (lambda (name options) (atmost-list name options each %null-pointer)))))
      (when refused (raise-exception refused))
      (reverse (map alist->entry (fluid-ref entries))))))

(define (lock-check what . options)
  "Return whether acquire would be admitted now without a wait, as a check. Takes nothing."
  (let* ((out (make-bytevector (sizeof unsigned-int) 0))
         (refused (look (lock-of what options)
                        (lambda (name options)
                          (atmost-check name options (bytevector->pointer out)))))
         (count (bytevector-uint-ref out 0 (native-endianness) (sizeof unsigned-int))))
    (cond ((not refused) (make-check #t count "" 0.0))
          ((refused? refused) (make-check #f count (atmost-error-why refused)
                                          (atmost-error-retry-in refused)))
          (else (raise-exception refused)))))

(define (may-be-killed! agreed?)
  "Say whether a taker may stop this program when a lock that it takes from now on is overdue;
return what was said before."
  (not (zero? (atmost-may-be-killed (if agreed? 1 0)))))
