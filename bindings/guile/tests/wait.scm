;;; Waiting: threads, the collector, signals. In tests of signals the lock stays held, so that
;;; only the signal can end the wait.
(use-modules (atmost) (outside) (ice-9 rdelim) (ice-9 threads) (srfi srfi-1) (srfi srfi-64))

(test-begin "wait")

(situation "threads and the collector run while one waits"
  (let* ((other (holder))
         (lock (make-lock "a" #:wait +inf.0))
         (waiter (call-with-new-thread (lambda () (with-lock lock (run))))))
    (eventually (= 1 (waiters)))
    (gc)
    (and (not (thread-exited? waiter))
         (begin (end! other) #t)
         (= busy (join-thread waiter))
         (zero? (run)))))

(situation "a thread that is cancelled gives its place up"
  (let* ((other (holder))
         (waiter (call-with-new-thread (lambda () (acquire "a" #:wait +inf.0)))))
    (eventually (= 1 (waiters)))
    (cancel-thread waiter)
    (join-thread waiter)
    (and (zero? (waiters))
         (begin (end! other) #t)
         (zero? (run)))))

(situation "INT ends a waiting program, and gives its place up"
  (let* ((other (holder))
         (waiter (program '(acquire "a" #:wait +inf.0))))
    (eventually (= 1 (waiters)))
    (kill (third waiter) SIGINT)
    (let ((ended (end! waiter)))
      (and (eqv? SIGINT (status:term-sig ended))
           (zero? (waiters))
           (begin (end! other) #t)
           (zero? (run))))))

(define interrupting
  '(sigaction SIGINT (lambda (signal) (scm-error 'signal #f "User interrupt" '() #f))))

(situation "a handler that raises ends the wait, before any debugger starts"
  (let* ((other (holder))
         (waiter (program
                  `(begin
                     ,interrupting
                     (with-exception-handler
                         (lambda (exception)
                           (write (list (exception-kind exception) (length (lock-entries "a"))))
                           (newline)
                           (primitive-exit 0))
                       (lambda () (acquire "a" #:wait +inf.0)))))))
    (eventually (= 1 (waiters)))
    (kill (third waiter) SIGINT)
    (let ((line (read-line (first waiter))))
      (and (equal? line "(signal 1)")
           (zero? (end! waiter))
           (zero? (waiters))
           (begin (end! other) #t)
           (zero? (run))))))

(situation "a handler that leaves by a continuation ends the wait"
  (let* ((other (holder))
         (waiter (program
                  '(begin
                     (define tag (make-prompt-tag))
                     (sigaction SIGINT (lambda (signal) (abort-to-prompt tag)))
                     (call-with-prompt tag
                       (lambda () (with-lock (make-lock "a" #:wait +inf.0) (display "in")))
                       (lambda (rest)
                         (write (length (lock-entries "a")))
                         (newline)))))))
    (eventually (= 1 (waiters)))
    (kill (third waiter) SIGINT)
    (let ((line (read-line (first waiter))))
      (and (equal? line "1")
           (zero? (end! waiter))
           (begin (end! other) #t)
           (zero? (run))))))

(situation "a handler that returns lets the wait go on"
  (let* ((other (holder))
         (waiter (program
                  '(begin
                     (sigaction SIGINT (lambda (signal) (display "heard\n") (force-output)))
                     (with-lock (make-lock "a" #:wait +inf.0) (display "in\n"))))))
    (eventually (= 1 (waiters)))
    (kill (third waiter) SIGINT)
    (let* ((heard (read-line (first waiter))) (place (waiters)))
      (end! other)
      (and (equal? (list heard place (read-line (first waiter))) '("heard" 1 "in"))
           (zero? (end! waiter))))))

(situation "a signal in a block that holds the lock ends it, without success"
  (let ((inside (program
                 `(begin
                    ,interrupting
                    (catch 'signal
                      (lambda ()
                        (with-lock "a"
                          (display "in\n")
                          (force-output)
                          (stay)))
                      (lambda arguments (write (lock-entries "a")) (newline)))))))
    (and (equal? "in" (read-line (first inside)))
         (begin (kill (third inside) SIGINT) #t)
         (equal? "()" (read-line (first inside)))
         (zero? (end! inside))
         (not (succeeded?)))))

(situation "a child that is forked while its parent waits takes no part"
  (let* ((other (holder))
         (waiter (program
                  '(begin
                     (sigaction SIGINT
                       (lambda (signal)
                         (let ((child (primitive-fork)))
                           (if (zero? child)
                               (throw 'child)
                               (begin (write (status:exit-val (cdr (waitpid child))))
                                      (newline)
                                      (force-output))))))
                     (catch 'child
                       (lambda () (with-lock (make-lock "a" #:wait +inf.0) (display "in\n")))
                       (lambda arguments (primitive-_exit 3)))))))
    (eventually (= 1 (waiters)))
    (kill (third waiter) SIGINT)
    (let* ((child (read-line (first waiter))) (place (waiters)))
      (end! other)
      (and (equal? (list child place (read-line (first waiter))) '("3" 1 "in"))
           (zero? (end! waiter))))))

(situation "a descriptor that select(2) has no place for is waited for, too"
  (let* ((other (holder))
         (waiter (program
                  '(begin
                     (define opened (map (lambda (number) (open "/dev/null" O_RDONLY)) (iota 1100)))
                     (sigaction SIGINT (lambda (signal) (display "heard\n") (force-output)))
                     (with-lock (make-lock "a" #:wait +inf.0 #:on-lost (const #t))
                       (display "in\n")))
                  "sh" "-c" "ulimit -n 2048 && exec \"$0\" \"$@\"")))
    (eventually (= 1 (waiters)))
    (kill (third waiter) SIGINT)
    (let ((heard (read-line (first waiter))))
      (end! other)
      (and (equal? (list heard (read-line (first waiter))) '("heard" "in"))
           (zero? (end! waiter))))))

(situation "a wait that was left cannot be entered again"
  (let* ((other (holder))
         (waiter (program
                  '(begin
                     (define again #f)
                     (sigaction SIGINT
                       (lambda (signal)
                         (call/cc (lambda (k) (set! again k)))
                         (throw 'left)))
                     (catch #t
                       (lambda () (acquire "a" #:wait +inf.0))
                       (lambda (key . rest) (write key) (newline)))
                     (when again
                       (let ((enter again))
                         (set! again #f)
                         (enter #f)))))))
    (eventually (= 1 (waiters)))
    (kill (third waiter) SIGINT)
    (let* ((left (read-line (first waiter))) (entered (read-line (first waiter))))
      (end! waiter)
      (end! other)
      (and (equal? (list left entered) '("left" "%exception")) (zero? (run))))))

(test-end)
