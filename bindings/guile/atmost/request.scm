;;; Asking for a lock; every decision is libatmost's.
(define-module (atmost request)
  #:use-module (atmost answers)
  #:use-module ((atmost held) #:renamer (lambda (name) (if (eq? name 'release) 'release-held name)))
  #:use-module (atmost native)
  #:use-module (atmost options)
  #:use-module (ice-9 exceptions)
  #:use-module (rnrs bytevectors)
  #:use-module (ice-9 threads)
  #:use-module ((srfi srfi-1) #:select (remove))
  #:use-module (srfi srfi-9)
  #:use-module (system foreign)
  #:export (acquire release call-with-lock with-lock lock-entries lock-check may-be-killed!))

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
         (when (held? result) (release-held result #f)))))))

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

(define (ask lock call notice out)
  (let* ((request (lock-request lock (and notice (notice-descriptor notice))))
         (answer (call request (bytevector->pointer out))))
    (keep-alive! lock request)
    answer))

(define (answers-at-once? lock)
  (let ((waits (atmost-waits (lock-request lock #f))))
    (keep-alive! lock #f)
    (zero? waits)))

(define (take lock)
  "Return a held lock, or a refusal; asyncs are blocked. Only a call that answers at once is made
directly: asyncs do not run during a call of C."
  (let ((at-once? (answers-at-once? lock))
        (notice (and (lock-on-lost lock) (start-notice (lock-on-lost lock))))
        (out (make-out)))
    (if at-once?
        (admission (ask lock atmost-get notice out) out notice)
        (let ((answer (ask lock atmost-begin notice out)))
          (if (= answer admitted)
              (let ((request (make-request (out-ref out) notice (getpid))))
                (await request)
                (finish! request))
              (admission answer out notice))))))

;;; A hold that acquire takes of a lock is the lock's, too, until it is released.

(define holds-mutex (make-mutex))

(define (forget! lock held)
  (with-mutex holds-mutex
    (set-lock-holds! lock (remove (lambda (one) (eq? (cdr one) held)) (lock-holds lock)))))

(define (keep! lock held)
  (with-mutex holds-mutex
    (set-lock-holds! lock (acons (current-thread) held (lock-holds lock))))
  (set-held-forget! held (lambda () (forget! lock held))))

(define (last-hold lock)
  "Return what this thread acquired last of LOCK, else the only one that is acquired."
  (let ((holds (lock-holds lock)))
    (cond ((assq (current-thread) holds) => cdr)
          ((null? holds) (misuse "the lock is not held"))
          ((null? (cdr holds)) (cdar holds))
          (else (misuse "other threads hold the lock: release what acquire returned")))))

(define* (release what #:optional (success? #t))
  "Free WHAT, a lock or what acquire returned; SUCCESS? says whether the work succeeded. Of a lock,
what this thread acquired last, else the only one. A second release: nothing. In a forked
child: the parent's lock stays."
  (release-held (if (lock? what) (last-hold what) what) success?))

(define (held-or-raise result)
  (if (exception? result) (raise-exception result) result))

(define (acquire what . options)
  "Take WHAT, a lock, or a name with OPTIONS as for make-lock, and return what is held; release of
that, or of the lock, frees it. Raises &busy or &too-soon. Other threads and signal handlers run
while it waits; an exception that leaves a handler ends the wait."
  (let ((lock (lock-of what options)))
    (held-or-raise (undisturbed
                    (let ((result (take lock)))
                      (when (held? result) (keep! lock result))
                      result)))))

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
        (when held (release-held held success?))))))

(define-syntax-rule (with-lock what body0 body1 ...)
  "Evaluate the body while WHAT, a lock or a name, is held, as by call-with-lock."
  (call-with-lock what (lambda (held) body0 body1 ...)))

(define (look lock ask)
  "Call ASK with the request of LOCK. Return a refusal, or #f."
  (undisturbed
   (let* ((request (lock-request lock #f)) (answer (ask request)))
     (keep-alive! lock request)
     (and (not (= answer admitted)) (refusal answer)))))

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
                         (lambda (request) (atmost-list request each %null-pointer)))))
      (when refused (raise-exception refused))
      (reverse (map alist->entry (fluid-ref entries))))))

(define (lock-check what . options)
  "Return whether acquire would be admitted now without a wait, as a check. Takes nothing."
  (let* ((out (make-bytevector (sizeof unsigned-int) 0))
         (refused (look (lock-of what options)
                        (lambda (request) (atmost-check request (bytevector->pointer out)))))
         (count (bytevector-uint-ref out 0 (native-endianness) (sizeof unsigned-int))))
    (cond ((not refused) (make-check #t count "" 0.0))
          ((refused? refused) (make-check #f count (atmost-error-why refused)
                                          (atmost-error-retry-in refused)))
          (else (raise-exception refused)))))

(define (may-be-killed! agreed?)
  "Say whether a taker may stop this program when a lock that it takes from now on is overdue;
return what was said before."
  (not (zero? (atmost-may-be-killed (if agreed? 1 0)))))
