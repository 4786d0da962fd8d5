;;; The functions of libatmost, and the few of the C library that the binding needs.
(define-module (atmost native)
  #:use-module (ice-9 iconv)
  #:use-module (ice-9 i18n)
  #:use-module (rnrs bytevectors)
  #:use-module (system foreign)
  #:use-module (system foreign-library)
  #:export (undisturbed
            options-fields entry-fields options->pointer pointer->entry
            bytes->pointer texts->pointer pointer->text make-out out-ref
            atmost-get atmost-get-atom atmost-begin atmost-begin-atom
            atmost-answered atmost-descriptor atmost-cancel atmost-finish
            atmost-release atmost-token atmost-slot atmost-held atmost-may-be-killed
            atmost-list atmost-check atmost-message atmost-retry-in atmost-why
            eventfd-write-address make-eventfd eventfd-add! eventfd-take! close-descriptor))

;; ATMOST_API_VERSION of the header that this file was written from.
(define needed-version 5)
(define library-name "libatmost.so.1")

(define library (load-foreign-library library-name))
(define libc (load-foreign-library #f))

(define-syntax-rule (define-foreign name library result c-name argument ...)
  (define name
    (foreign-library-function library c-name #:return-type result
                              #:arg-types (list argument ...))))

;; Runs BODY without asyncs: no signal handler, and no other thread's async, gets in between.
(define-syntax-rule (undisturbed body ...)
  (call-with-blocked-asyncs (lambda () body ...)))

(let ((version ((foreign-library-function library "atmost_api_version" #:return-type int))))
  (when (< version needed-version)
    (error (format #f "~a has API version ~a; needed is" library-name version) needed-version)))

;;; Both structs as atmost.h has them, with ATMOST_DEFAULTS.

(define options-fields
  `((size ,size_t) (max ,unsigned-int) (take ,unsigned-int) (wait ,double) (if_elapsed ,double)
    (expire_after ,double) (kill_grace ,double) (now ,double) (directory *) (id *)
    (mode ,unsigned-int) (may_be_killed ,int) (on_lost *) (context *) (log *) (no_history ,int)
    (interruptible ,int) (wait_mask *) (sharing ,int) (on_busy ,int) (elapsed_from ,int)
    (wait_too_soon ,int) (max_hold ,double) (also *) (trust_fs ,int) (no_learn ,int)
    (rate *) (queue_max ,int) (store *)))

(define entry-fields
  `((size ,size_t) (state *) (slot ,unsigned-int) (position ,unsigned-int) (max ,unsigned-int)
    (pid ,int64) (kept_for ,int64) (user ,int64) (token ,uint64) (start ,double) (age ,double)
    (expires ,double) (id *) (command *) (verified ,int)))

(define options-types (map cadr options-fields))
(define entry-types (map cadr entry-fields))

(define defaults
  `((size . ,(sizeof options-types)) (max . 1) (take . 1) (expire_after . ,(inf))
    (kill_grace . 2.0) (now . -1.0) (mode . #o600) (max_hold . ,(inf)) (queue_max . -1)))

(define (options->pointer values)
  "Return a pointer to an atmost_options; VALUES is an alist of fields that are not the defaults."
  (define (value field)
    (cond ((or (assq (car field) values) (assq (car field) defaults)) => cdr)
          ((eq? (cadr field) '*) %null-pointer)
          (else 0)))
  (make-c-struct options-types (map value options-fields)))

(define (pointer->entry pointer)
  "Return the fields of an atmost_entry as an alist, its texts as strings."
  (map (lambda (field value)
         (cons (car field) (if (eq? (cadr field) '*) (pointer->text value) value)))
       entry-fields (parse-c-struct pointer entry-types)))

;;; Texts. A pointer keeps what it points to; pointers within memory do not.

(define (bytes->pointer bytes)
  "Return a pointer to a copy of the bytevector BYTES that ends with NUL, as C reads it."
  (let ((text (make-bytevector (+ 1 (bytevector-length bytes)) 0)))
    (bytevector-copy! bytes 0 text 0 (bytevector-length bytes))
    (bytevector->pointer text)))

(define (texts->pointer pointers)
  "Return a pointer to an array of POINTERS with NULL after the last."
  (let ((count (+ 1 (length pointers))))
    (make-c-struct (make-list count '*) (append pointers (list %null-pointer)))))

(define (pointer->text pointer)
  "Return what POINTER points to as a string; bytes that are no text in the locale are replaced."
  (let ((bytes (string->bytevector (pointer->string pointer -1 "ISO-8859-1") "ISO-8859-1")))
    (bytevector->string bytes (locale-encoding) 'substitute)))

;;; Where a function stores a pointer.

(define (make-out) (make-bytevector (sizeof '*) 0))
(define (out-ref out) (dereference-pointer (bytevector->pointer out)))

(define-foreign atmost-get library int "atmost_get" '* '* '*)
(define-foreign atmost-get-atom library int "atmost_get_atom" '* '* '* '* '*)
(define-foreign atmost-begin library int "atmost_begin" '* '* '*)
(define-foreign atmost-begin-atom library int "atmost_begin_atom" '* '* '* '* '*)
(define-foreign atmost-answered library int "atmost_answered" '*)
(define-foreign atmost-descriptor library int "atmost_descriptor" '*)
(define-foreign atmost-cancel library void "atmost_cancel" '*)
(define-foreign atmost-finish library int "atmost_finish" '* '*)
(define-foreign atmost-release library void "atmost_release" '* int)
(define-foreign atmost-token library uint64 "atmost_token" '*)
(define-foreign atmost-slot library unsigned-int "atmost_slot" '*)
(define-foreign atmost-held library int "atmost_held" '*)
(define-foreign atmost-may-be-killed library int "atmost_may_be_killed" int)
(define-foreign atmost-list library int "atmost_list" '* '* '* '*)
(define-foreign atmost-check library int "atmost_check" '* '* '*)
(define-foreign message library '* "atmost_message")
(define-foreign atmost-retry-in library double "atmost_retry_in")
(define-foreign why library '* "atmost_why")

(define (atmost-message) (pointer->text (message)))
(define (atmost-why) (pointer->text (why)))

;;; An eventfd(2): a counter behind a descriptor, readable while it is not 0. Linux only.

(define EFD_CLOEXEC #o2000000)
(define eventfd
  (foreign-library-function libc "eventfd" #:return-type int
                            #:arg-types (list unsigned-int int) #:return-errno? #t))
(define-foreign eventfd-write libc int "eventfd_write" int uint64)
(define-foreign eventfd-read libc int "eventfd_read" int '*)
(define-foreign close-descriptor libc int "close" int)
(define eventfd-write-address (foreign-library-pointer libc "eventfd_write"))

(define (make-eventfd)
  (call-with-values (lambda () (eventfd 0 EFD_CLOEXEC))
    (lambda (descriptor errno)
      (when (< descriptor 0) (error "no eventfd for on-lost:" (strerror errno)))
      descriptor)))

(define (eventfd-add! descriptor value)
  "Add VALUE to the counter."
  (eventfd-write descriptor value))

(define (eventfd-take! descriptor)
  "Return the counter, which is 0 afterwards; blocks while it is 0. Asyncs of this thread do not run
meanwhile; other threads do, and the collector."
  (let ((value (make-bytevector 8 0)))
    (if (zero? (eventfd-read descriptor (bytevector->pointer value)))
        (bytevector-u64-native-ref value 0)
        (eventfd-take! descriptor))))   ; a signal
