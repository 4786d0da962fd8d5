;;; The answers of libatmost, as exceptions and records.
(define-module (atmost answers)
  #:use-module (atmost native)
  #:use-module (ice-9 exceptions)
  #:use-module (srfi srfi-9)
  #:export (admitted refusal usage-refusal interrupted-refusal
            alist->entry make-check
            &atmost-error atmost-error? atmost-error-answer atmost-error-why
            atmost-error-retry-in
            &refused refused? &busy busy? &too-soon too-soon? &usage-error usage-error?
            entry? entry-state entry-slot entry-position entry-pid entry-kept-for entry-user
            entry-token entry-start entry-age entry-expires entry-id entry-command entry-verified?
            check? check-admitted? check-held check-why check-retry-in))

(define admitted 0)
(define interrupted 4)
(define usage 64)
(define busy 75)
(define too-soon 76)

;; Not admitted: the answer as an exit status of atmost(1), the reason in one word, and seconds.
(define-exception-type &atmost-error &error
  make-atmost-error atmost-error?
  (answer atmost-error-answer)
  (why atmost-error-why)
  (retry-in atmost-error-retry-in))

;; Answers rather than errors: held by others, and admitted too recently.
(define-exception-type &refused &atmost-error make-refused refused?)
(define-exception-type &busy &refused make-busy busy?)
(define-exception-type &too-soon &refused make-too-soon too-soon?)

;; An argument is invalid.
(define-exception-type &usage-error &atmost-error make-usage-error usage-error?)

(define (answer->exception answer message why retry-in)
  (let ((make (cond ((= answer busy) make-busy)
                    ((= answer too-soon) make-too-soon)
                    ((= answer usage) make-usage-error)
                    (else make-atmost-error))))
    (make-exception (make answer why retry-in) (make-exception-with-message message))))

(define (refusal answer)
  "Return an exception about the last call of this thread; to be called before any other."
  (answer->exception answer (atmost-message) (atmost-why) (atmost-retry-in)))

(define (usage-refusal . words)
  "Return an exception for arguments that make no sense; WORDS are displayed."
  (answer->exception usage (string-concatenate (map (lambda (one) (format #f "~a" one)) words))
                     "" 0.0))

(define (interrupted-refusal)
  (answer->exception interrupted "the wait was given up" "" 0.0))

;; A holder, waiter or drained slot, as atmost list shows it; #f: not known, or none.
(define-record-type <entry>
  (make-entry state slot position pid kept-for user token start age expires id command verified?)
  entry?
  (state entry-state)
  (slot entry-slot)
  (position entry-position)
  (pid entry-pid)
  (kept-for entry-kept-for)
  (user entry-user)
  (token entry-token)
  (start entry-start)
  (age entry-age)
  (expires entry-expires)
  (id entry-id)
  (command entry-command)
  (verified? entry-verified?))

(define (alist->entry fields)
  (define (field name) (assq-ref fields name))
  (define (known name unknown)
    (let ((value (field name)))
      (and (not (= value unknown)) value)))
  (make-entry (string->symbol (field 'state)) (known 'slot 0) (known 'position 0) (known 'pid 0)
              (known 'kept_for 0) (known 'user -1) (known 'token 0) (known 'start -1)
              (known 'age -1) (field 'expires) (field 'id) (field 'command)
              (not (zero? (field 'verified)))))

;; The answer that acquire would give now if it did not wait.
(define-record-type <check>
  (make-check admitted? held why retry-in)
  check?
  (admitted? check-admitted?)
  (held check-held)
  (why check-why)
  (retry-in check-retry-in))
