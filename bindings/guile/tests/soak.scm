;;; Takes of one lock by processes that are killed all the while.
;;;
;;; Each worker that is in also takes a POSIX record lock of another file (lockf(3) is fcntl's),
;;; which atmost does not use: if that fails, two were in at once. When a process is killed, the
;;; kernel frees this lock before atmost's, which ends with its file: files are freed after all of
;;; them were closed, the last one first, so that flock(2) would be freed too late. Bytes through
;;; a pipe count the takes, as killed workers cannot report them.
(use-modules (atmost) (outside) (ice-9 exceptions) (ice-9 textual-ports) (srfi srfi-1)
             (system foreign) (system foreign-library))

(define takes-wanted 10000)
(define kills-wanted 300)
(define workers 4)
(define F_ULOCK 0)
(define F_TLOCK 2)
(define lockf
  (foreign-library-function #f "lockf" #:return-type int #:arg-types (list int int long)))

(define (work folder which counter)
  (let ((witness (open-fdes (string-append folder "/witness") (logior O_RDWR O_CREAT)))
        (lock (make-lock "a" #:wait (if (even? which) +inf.0 0)))
        (counter (fileno counter)))
    (define write-byte
      (let ((write (foreign-library-function #f "write" #:return-type long
                                             #:arg-types (list int '* size_t))))
        (lambda (char) (write counter (string->pointer (string char)) 1))))
    (let loop ()
      (guard (refused ((busy? refused) (usleep 1000)))
        (with-lock lock
          (cond ((zero? (lockf witness F_TLOCK 0))
                 (write-byte #\t)
                 (lockf witness F_ULOCK 0))
                (else (write-byte #\o)))))
      (loop))))

(define (start folder which counter)
  (forked (lambda () (work folder which counter))))

(define (end-by-kill pid)
  (kill pid SIGKILL)
  (unless (eqv? SIGKILL (status:term-sig (cdr (waitpid pid))))
    (error "a worker ended by itself")))

(define folder (fresh!))
(define began (current-time))
(define-values (readable writable) (let ((ends (pipe))) (values (car ends) (cdr ends))))
(define running (make-vector workers #f))
(set! *random-state* (random-state-from-platform))

(define (start! which)
  (vector-set! running which (start folder which writable)))
(for-each start! (iota workers))

(define-values (takes overlaps kills)
  (let loop ((takes 0) (overlaps 0) (kills 0))
    (if (and (>= takes takes-wanted) (>= kills kills-wanted))
        (values takes overlaps kills)
        (let* ((seen (get-string-n readable (+ 1 (random 60))))
               (takes (+ takes (string-count seen #\t)))
               (overlaps (+ overlaps (string-count seen #\o)))
               (which (random workers)))
          (cond ((<= (* kills takes-wanted) (* takes (+ kills-wanted 10)))
                 (usleep (random 1000))
                 (end-by-kill (vector-ref running which))
                 (start! which)
                 (loop takes overlaps (+ kills 1)))
                (else (loop takes overlaps kills)))))))

(for-each end-by-kill (vector->list running))
(define left (length (lock-entries "a")))
(define outsider (run))
(format #t (string-append "guile soak: ~a takes, ~a killed, ~a overlaps, ~a left, "
                          "another process then ends with ~a, ~a s~%")
        takes kills overlaps left outsider (- (current-time) began))
(system* "rm" "-r" folder)
(exit (and (zero? overlaps) (zero? left) (zero? outsider)))
