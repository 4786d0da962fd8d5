;;; Other processes, which show a lock from outside; and the helpers that tests share.
(define-module (outside)
  #:use-module (atmost)
  #:use-module (ice-9 exceptions)
  #:use-module (ice-9 popen)
  #:use-module (ice-9 rdelim)
  #:use-module (ice-9 threads)
  #:use-module (srfi srfi-1)
  #:use-module (srfi srfi-64)
  #:export (busy too-soon fresh! status run succeeded? holder end! program waiters eventually
            answer situation forked run-tests finalizers-run!))

(define busy 75)
(define too-soon 76)
(define atmost "atmost") ; which is installed with the library
(for-each (lambda (one)                  ; no lock around the tests counts
            (when (string-prefix? "ATMOST_" one) (unsetenv (car (string-split one #\=)))))
          (environ))
(define guile (or (getenv "GUILE") "guile"))
(define scratch (or (getenv "TMPDIR") "/tmp"))

(define (fresh!)
  "Make a new folder of locks, which this process and those it starts use from now on."
  (let ((folder (mkdtemp (string-append scratch "/locks.XXXXXX"))))
    (setenv "ATMOST_DIR" folder)
    folder))

(define (status . command)
  "Return what COMMAND ends with."
  (status:exit-val (apply system* command)))

(define (run . options)
  "Return what `atmost run' of the lock \"a\" ends with."
  (apply status `(,atmost "run" "-q" ,@options "a" "--" "true")))

(define (succeeded?)
  "Return whether the last work on the lock \"a\" was a success, as others see it."
  (= too-soon (status atmost "run" "-q" "--if-elapsed=900" "--elapsed-from=success" "a" "--"
                      "false")))

(define (started commands)
  "Start COMMANDS; return a list of a port to read from, one to write to, and a process."
  (call-with-values (lambda () (pipeline commands))
    (lambda (from to pids)
      (list from to (car pids)))))

(define (holder)
  "Start a process that holds the lock \"a\" until end! is called on the result."
  (let ((one (started (list (list atmost "run" "a" "--" "sh" "-c" "echo in; read line")))))
    (unless (equal? (read-line (car one)) "in") (error "no holder"))
    one))

(define (program text . before)
  "Start a process of Guile that runs TEXT, by the command BEFORE; return a list as started does. In
TEXT, (stay) returns when this process ends or calls end!."
  (let ((text (format #f "~s" `(begin
                                 (use-modules (atmost) (ice-9 threads))
                                 (define (stay)
                                   (when (null? (car (select '(0) '() '())))
                                     (stay)))
                                 ;; Finding a name for the first time may load a module, which
                                 ;; catches what a handler throws (Guile 3.0.8).
                                 (null? (car (select '() '() '() 0)))
                                 ,text))))
    (started (list (append before (list guile "--no-auto-compile" "-c" text))))))

(define (end! one)
  "End a process by end of file, and return its status."
  (close-port (second one))
  (let ((status (cdr (waitpid (third one)))))
    (close-port (first one))
    status))

(define (waiters)
  (count (lambda (one) (eq? (entry-state one) 'waiting)) (lock-entries "a")))

(define-syntax-rule (eventually condition)
  (let ((end (+ 300 (current-time))))
    (let loop ()
      (unless condition
        (when (> (current-time) end) (error "not within 300 seconds:" 'condition))
        (usleep 5000)
        (loop)))))

;; Evaluates to the body's value, or to a list of the kind and the reason of its refusal.
(define-syntax-rule (answer body ...)
  (guard (refusal ((atmost-error? refusal)
                   (list (cond ((busy? refusal) 'busy)
                               ((too-soon? refusal) 'too-soon)
                               ((usage-error? refusal) 'usage)
                               (else (atmost-error-answer refusal)))
                         (atmost-error-why refusal))))
    body ...))

(define (forked work)
  "Run WORK in a forked child; return the child's process id."
  (force-output (current-output-port))
  (let ((child (primitive-fork)))
    (when (zero? child)
      (dynamic-wind
        (const #t)
        (lambda ()
          (work)
          (primitive-_exit 0))
        (lambda () (primitive-_exit 1))))
    child))

;; Guile has a thread of its own for finalizers. A fork ends it; the next collection that finds work
;; for it starts another, which may be among all-threads (Guile 3.0.8). Tests that count threads
;; or descriptors start it first, so that it does not come between two counts.
(define (finalizers-run!)
  "Return when that thread has done work, and so is there until the next fork."
  (let ((guarded (make-guardian)))
    (eventually (begin (guarded (list 'nobody-refers-to-it)) (gc) (guarded)))))

;; A test whose body must be true, in a folder of its own.
(define-syntax-rule (situation name body ...)
  (let ((folder (fresh!)))
    (test-assert name (let () body ...))
    (system* "rm" "-r" folder)))

(define (run-tests files)
  "Load FILES with a runner that reports only what fails; exit."
  (let ((runner (test-runner-null)))
    (define (report)
      (unless (memq (test-result-kind runner) '(pass skip))
        (format #t "FAILED: ~a: ~s~%" (test-runner-test-name runner)
                (test-result-alist runner))))
    (test-runner-on-test-end! runner (lambda (runner) (report)))
    (test-runner-current runner)
    (test-with-runner runner
      (for-each (lambda (file)
                  (save-module-excursion
                   (lambda ()
                     (set-current-module (make-fresh-user-module))
                     (primitive-load file))))
                files))
    (format #t "~a passed, ~a failed~%" (test-runner-pass-count runner)
            (test-runner-fail-count runner))
    (exit (and (zero? (test-runner-fail-count runner)) (> (test-runner-pass-count runner) 0)))))
