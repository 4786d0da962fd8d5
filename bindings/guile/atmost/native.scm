;;; The functions of libatmost, and the few of the C library that the binding needs.
(define-module (atmost native)
  #:use-module (ice-9 iconv)
  #:use-module (ice-9 i18n)
  #:use-module (rnrs bytevectors)
  #:use-module (srfi srfi-1)
  #:use-module (system foreign)
  #:use-module (system foreign-library)
  #:export (undisturbed
            entry-fields pointer->entry bytes->pointer pointer->text make-out out-ref
            new-request new-atom-request atmost-set atmost-set-seconds atmost-set-number
            atmost-set-on-lost atmost-waits atmost-get atmost-begin
            atmost-answered atmost-descriptor atmost-cancel atmost-finish
            atmost-release atmost-token atmost-slot atmost-held atmost-may-be-killed
            atmost-list atmost-check atmost-message atmost-retry-in atmost-why
            eventfd-write-address make-eventfd eventfd-add! eventfd-take! close-descriptor))

;; ATMOST_API_VERSION of the header that this file was written from.
(define needed-version 1)
(define library-name "libatmost.so.1")

;; In the prefix that this module is installed in; else where the dynamic linker looks.
(define (library-place)
  (let* ((file (%search-load-path "atmost/native.scm"))
         (end (and file (string-contains file "/share/guile/"))))
    (or (and end
             (find file-exists?
                   (map (lambda (lib) (string-append (substring file 0 end) lib library-name))
                        '("/lib/" "/lib64/"))))
        library-name)))

(define library
  (catch #t
    (lambda () (load-foreign-library (library-place)))
    (lambda _
      (error (string-append library-name " cannot be loaded: is it installed? Then run ldconfig "
                            "as root, or name its folder in LD_LIBRARY_PATH")))))
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

;;; The struct of atmost.h.

(define entry-fields
  `((size ,size_t) (state *) (slot ,unsigned-int) (position ,unsigned-int) (max ,unsigned-int)
    (pid ,int64) (kept_for ,int64) (user ,int64) (token ,uint64) (start ,double) (age ,double)
    (expires ,double) (id *) (command *) (verified ,int)))

(define entry-types (map cadr entry-fields))

(define (pointer->entry pointer)
  "Return the fields of an atmost_entry as an alist, its texts as strings."
  (map (lambda (field value)
         (cons (car field) (if (eq? (cadr field) '*) (pointer->text value) value)))
       entry-fields (parse-c-struct pointer entry-types)))

;;; Texts. A pointer object keeps its memory; a pointer stored in memory does not.

(define (bytes->pointer bytes)
  "Return a pointer to a copy of the bytevector BYTES that ends with NUL, as C reads it."
  (let ((text (make-bytevector (+ 1 (bytevector-length bytes)) 0)))
    (bytevector-copy! bytes 0 text 0 (bytevector-length bytes))
    (bytevector->pointer text)))

(define (pointer->text pointer)
  "Return what POINTER points to as a string; bytes that are no text in the locale are replaced."
  (let ((bytes (string->bytevector (pointer->string pointer -1 "ISO-8859-1") "ISO-8859-1")))
    (bytevector->string bytes (locale-encoding) 'substitute)))

;;; The place at which a function stores a pointer.

(define (make-out) (make-bytevector (sizeof '*) 0))
(define (out-ref out) (dereference-pointer (bytevector->pointer out)))

;; A request is freed after its last reference.
(define-foreign atmost-new library '* "atmost_new" '*)
(define-foreign atmost-new-atom library '* "atmost_new_atom" '* '*)
(define free-address (foreign-library-pointer library "atmost_free"))
(define (new-request name)
  (make-pointer (pointer-address (atmost-new name)) free-address))
(define (new-atom-request operator operand)
  (make-pointer (pointer-address (atmost-new-atom operator operand)) free-address))

(define-foreign atmost-set library int "atmost_set" '* '* '*)
(define-foreign atmost-set-seconds library int "atmost_set_seconds" '* '* double)
(define-foreign atmost-set-number library int "atmost_set_number" '* '* int64)
(define-foreign atmost-set-on-lost library int "atmost_set_on_lost" '* '* '*)
(define-foreign atmost-waits library int "atmost_waits" '*)
(define-foreign atmost-get library int "atmost_get" '* '*)
(define-foreign atmost-begin library int "atmost_begin" '* '*)
(define-foreign atmost-answered library int "atmost_answered" '*)
(define-foreign atmost-descriptor library int "atmost_descriptor" '*)
(define-foreign atmost-cancel library void "atmost_cancel" '*)
(define-foreign atmost-finish library int "atmost_finish" '* '*)
(define-foreign atmost-release library void "atmost_release" '* int)
(define-foreign atmost-token library uint64 "atmost_token" '*)
(define-foreign atmost-slot library unsigned-int "atmost_slot" '*)
(define-foreign atmost-held library int "atmost_held" '*)
(define-foreign atmost-may-be-killed library int "atmost_may_be_killed" int)
(define-foreign atmost-list library int "atmost_list" '* '* '*)
(define-foreign atmost-check library int "atmost_check" '* '*)
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
