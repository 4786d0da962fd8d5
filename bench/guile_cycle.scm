;;; The cost of taking and releasing a free lock in Guile, beside its flock and a file that is
;;; created exclusively and deleted: medians of turns, so that a busy machine disturbs all alike.
;;;
;;;     bench/run guile
(use-modules (atmost) (ice-9 format) (srfi srfi-1))

(define rounds 41)
(define cycles 100)
(define folder (mkdtemp (string-append (or (getenv "TMPDIR") "/tmp") "/atmost-cycle.XXXXXX")))
(setenv "ATMOST_DIR" folder)

(define (file name) (string-append folder "/" name))

(define (bare)
  (let ((descriptor (open-fdes (file "bare") (logior O_RDWR O_CREAT))))
    (flock descriptor (logior LOCK_EX LOCK_NB))
    (close-fdes descriptor)))

(define (exclusive)
  (close-fdes (open-fdes (file "exclusive") (logior O_WRONLY O_CREAT O_EXCL)))
  (delete-file (file "exclusive")))

(define (body-of lock) (lambda () (with-lock lock #t)))

(define ways
  (list (cons "open, flock, close" bare)
        (cons "create, delete" exclusive)
        (cons "without history" (body-of (make-lock (file "plain.lock") #:no-history #t)))
        (cons "acquire, release"
              (let ((name (file "name.lock")))
                (lambda () (release (acquire name #:no-history #t)))))
        (cons "with history" (body-of (make-lock (file "logged.lock"))))
        (cons "that would wait" (body-of (make-lock (file "waits.lock") #:wait 60)))))

(define (microseconds-of cycle)
  (let ((start (get-internal-real-time)))
    (let loop ((left cycles))
      (unless (zero? left)
        (cycle)
        (loop (- left 1))))
    (/ (- (get-internal-real-time) start) internal-time-units-per-second cycles 1e-6)))

(define (median values) (list-ref (sort values <) (quotient (length values) 2)))

(define taken (map (lambda (round) (map (lambda (way) (microseconds-of (cdr way))) ways))
                   (iota rounds)))
(define medians (apply map (lambda values (median values)) taken))
(for-each (lambda (way median)
            (format #t "~24a ~7,2f us  ~5,2f x open, flock, close~%" (car way) median
                    (/ median (first medians))))
          ways medians)
(system* "rm" "-r" folder)
