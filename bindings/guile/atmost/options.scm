;;; A program's locks and options, as words for the library.
(define-module (atmost options)
  #:use-module (atmost answers)
  #:use-module (atmost native)
  #:use-module (ice-9 exceptions)
  #:use-module (ice-9 i18n)
  #:use-module (ice-9 iconv)
  #:use-module (ice-9 match)
  #:use-module (rnrs bytevectors)
  #:use-module (srfi srfi-9)
  #:use-module (system foreign)
  #:export (make-atom atom? make-lock lock? lock-on-lost lock-holds set-lock-holds! lock-request
            keep-alive!))

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
  (%make-lock name options request on-lost holds used)
  lock?
  (name lock-name)
  (options lock-options)
  (request lock-own-request)            ; a pointer to an atmost_request
  (on-lost lock-on-lost)
  (holds lock-holds set-lock-holds!)    ; the holds of acquire: pairs of a thread and a hold
  (used lock-used set-lock-used!))

(define (misuse . words) (raise-exception (apply usage-refusal words)))

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

(define (c-name option)
  "Return the name of the keyword OPTION in C: if_elapsed of #:if-elapsed."
  (string-map (lambda (c) (if (eqv? c #\-) #\_ c)) (symbol->string (keyword->symbol option))))

(define (set-one request name value)
  (let ((option (text "an option" name)))
    (cond ((eq? value #t) (atmost-set request option (text name "true")))
          ((symbol? value) (atmost-set request option (text name (symbol->string value))))
          ((and (exact-integer? value) (< (abs value) (expt 2 62)))
           (atmost-set-number request option value))
          ((real? value) (atmost-set-seconds request option (exact->inexact value)))
          (else (atmost-set request option (text name value))))))

(define (set request name value)
  "Set the option NAME of REQUEST, or nothing if VALUE is #f; raise a refusal."
  (for-each (lambda (one)
              (let ((answer (set-one request name one)))
                (unless (= answer admitted) (raise-exception (refusal answer)))))
            (cond ((list? value) value)
                  (value (list value))
                  (else '()))))

(define (set-all request options)
  "Set OPTIONS, keywords and values; return the value of #:on-lost, or #f."
  (let loop ((options options) (on-lost #f))
    (match options
      (() on-lost)
      ((#:on-lost #f . rest) (loop rest on-lost))
      ((#:on-lost (? procedure? called) . rest) (loop rest called))
      ((#:on-lost _ . _) (misuse "on-lost must be a procedure"))
      (((? keyword? option) value . rest)
       (set request (c-name option) value)
       (loop rest on-lost))
      (((? keyword? option)) (misuse "the keyword " option " has no value"))
      (_ (misuse "options are keywords, with a value each")))))

(define (request-for name)
  (match name
    (($ <atom> operator operand host)
     (let ((request (new-atom-request (text "the operator" operator)
                                      (text "the operand" operand))))
       (set request "host" host)
       request))
    (_ (new-request (text "the name" name)))))

(define (make-lock name . options)
  "Return a lock: what to take, and how. NAME is a string or a bytevector, a name or a path as for
atmost(1), or an atom. OPTIONS are keywords and values: those of atmost_set() in C, which
README.md lists. Numbers are counts and seconds, +inf.0 is for ever, words are symbols or
strings, #t sets an option without a value, and a list sets one several times; #f is as if it was
not given. ON-LOST is called with the token on a thread of its own when the lock is lost. Each
acquire takes the lock anew; threads may share it. Raises &usage-error."
  (undisturbed
   (let* ((request (request-for name)) (on-lost (set-all request options)))
     (when on-lost (atmost-set-on-lost request eventfd-write-address %null-pointer))
     (%make-lock name options request on-lost '() #f))))

(define (lock-request lock context)
  "Return a pointer to an atmost_request: that of LOCK or, if CONTEXT is not #f, one of its own, which
has CONTEXT for on_lost."
  (if context
      (let ((request (request-for (lock-name lock))))
        (set-all request (lock-options lock))
        (atmost-set-on-lost request eventfd-write-address (make-pointer context))
        request)
      (lock-own-request lock)))

(define (keep-alive! lock request)
  "To be called after a C function that reads REQUEST of LOCK: it might be collected during the call
if nobody used it afterwards. No compiler leaves this assignment out."
  (set-lock-used! lock request))
