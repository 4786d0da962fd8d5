;;; An admission, and the notice that it was lost.
(define-module (atmost held)
  #:use-module (atmost native)
  #:use-module (ice-9 poll)
  #:use-module (ice-9 threads)
  #:use-module (srfi srfi-9)
  #:export (wait-readable
            start-notice notice-descriptor end-notice!
            make-held held? held-token held-slot set-held-forget! still-held? release))

;; select(2) cannot take a descriptor above that.
(define select-size 1024)
(define look-again-ms 10)

(define (wait-readable descriptor)
  "Return when DESCRIPTOR is readable. Asyncs run meanwhile unless they are blocked, and so do other
threads and the collector."
  (if (< descriptor select-size)
      (let loop ()
        (when (null? (car (select (list descriptor) '() '())))
          (loop)))
      (let ((set (make-empty-poll-set)))
        (poll-set-add! set descriptor POLLIN)
        (let loop ()
          (when (zero? (poll set look-again-ms))
            (loop))))))

;;; The library calls on_lost on a thread of its own, on which no code of Guile can run. The
;;; library calls eventfd_write(), with a descriptor in place of the context: it takes an int and
;;; a uint64_t where on_lost has a pointer and a uint64_t, which every ABI of Linux passes alike.
;;; A thread of Guile waits for the counter, which becomes the token, or `ended', which no token
;;; reaches, or their sum.
(define ended (ash 1 63))

(define-record-type <notice>
  (make-notice descriptor owner)
  notice?
  (descriptor notice-descriptor)
  (owner notice-owner))

(define (start-notice on-lost)
  "Start a thread that calls ON-LOST with the token that is written to the notice's descriptor."
  (let ((descriptor (make-eventfd)) (ended? #f))
    (define (take!)
      (let ((value (eventfd-take! descriptor)))
        (when (>= value ended) (set! ended? #t))
        (logand value (- ended 1))))
    (call-with-new-thread
     (lambda ()
       (dynamic-wind
         (const #t)
         (lambda ()
           (let ((token (take!)))
             (unless (zero? token) (on-lost token))))
         (lambda ()
           (unless ended? (take!))
           (close-descriptor descriptor)))))
    (make-notice descriptor (getpid))))

(define (end-notice! notice)
  "End the thread. Only when the library no longer writes: after atmost_release(), or without an
admission. A forked child has no such thread, and shares the counter with its parent."
  (if (= (getpid) (notice-owner notice))
      (eventfd-add! (notice-descriptor notice) ended)
      (close-descriptor (notice-descriptor notice))))

;; One thread at a time may use a lock value: the mutex, with asyncs blocked.
(define-record-type <held>
  (%make-held pointer notice mutex token slot forget)
  held?
  (pointer held-pointer set-held-pointer!) ; #f once it is released
  (notice held-notice)
  (mutex held-mutex)
  (token held-token)
  (slot held-slot)
  (forget held-forget set-held-forget!)) ; called at the release; or #f

;; Holds without a reference. Asyncs run the hook after a collection, in some thread.
(define collected (make-guardian))
(define (release-collected)
  (let ((held (collected)))
    (when held
      (release held #f)
      (release-collected))))
(add-hook! after-gc-hook release-collected)

(define (make-held pointer notice)
  (let ((held (%make-held pointer notice (make-mutex) (atmost-token pointer)
                          (atmost-slot pointer) #f)))
    (collected held)
    held))

(define (still-held? held)
  "Return #f once HELD is released, or a taker has it."
  (undisturbed
   (with-mutex (held-mutex held)
     (let ((pointer (held-pointer held)))
       (and pointer (not (zero? (atmost-held pointer))))))))

(define* (release held #:optional (success? #t))
  "Free the lock; SUCCESS? says whether the work succeeded. Again: nothing. In a forked child: the
parent's lock stays."
  (undisturbed
   (with-mutex (held-mutex held)
     (let ((pointer (held-pointer held)) (notice (held-notice held)))
       (when pointer
         (set-held-pointer! held #f)
         (atmost-release pointer (if success? 1 0))
         (when notice (end-notice! notice)))))
   (when (held-forget held) ((held-forget held)))))
