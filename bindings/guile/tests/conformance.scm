;;; The table that every binding runs.
(use-modules (atmost) (outside) (ice-9 match) (json) (srfi srfi-1) (srfi srfi-64))

(define situations
  (vector->list (assoc-ref (call-with-input-file "conformance.json" json->scm)
                           "situations")))

;; Of the situation that runs: what was admitted, its tokens, and processes, by name.
(define held (make-hash-table))
(define tokens (make-hash-table))
(define processes (make-hash-table))

(define (wrong . words) (error "not as in the table:" words))

(define (value of)
  (cond ((equal? of "infinity") +inf.0)
        ((vector? of) (vector->list of))
        (else of)))

(define (options step)
  (append-map (match-lambda
                ((name . of)
                 (list (symbol->keyword
                        (string->symbol (string-map (lambda (c) (if (eqv? c #\_) #\- c)) name)))
                       (value of))))
              (or (assoc-ref step "options") '())))

(define (expect step key seen)
  (let ((expected (assoc key step)))
    (unless (or (not expected) (equal? seen (cdr expected))) (wrong key seen step))))

(define (refused step refusal)
  (unless (string=? (assoc-ref step "answer")
                    (cond ((busy? refusal) "busy")
                          ((too-soon? refusal) "too_soon")
                          ((usage-error? refusal) "usage")
                          (else "other")))
    (wrong refusal step))
  (expect step "why" (atmost-error-why refusal))
  (let ((seconds (atmost-error-retry-in refusal)) (expected (assoc-ref step "retry_in")))
    (unless (or (not expected) (equal? seconds (value expected))
                (< -0.01 (- seconds (value expected)) 0.01))
      (wrong seconds step))))

(define (name-of step)
  (match (assoc-ref step "atom")
    (#(operator operand) (make-atom operator operand))
    (_ (assoc-ref step "lock"))))

(define (check step)
  (let ((seen (apply lock-check (name-of step) (options step)))
        (entries (apply lock-entries (name-of step) (options step))))
    (expect step "held" (check-held seen))
    (expect step "held" (length entries))
    (unless (eq? (check-admitted? seen) (string=? (assoc-ref step "answer") "admitted"))
      (wrong seen step))))

(define (get step)
  (let ((name (name-of step))
        (expected (assoc-ref step "answer")))
    (match (with-exception-handler identity
             (lambda () (apply acquire name (options step)))
             #:unwind? #t #:unwind-for-type &atmost-error)
      ((? atmost-error? refusal) (refused step refusal))
      (one
       (unless (string=? expected "admitted") (wrong "admitted" step))
       (hash-set! held (assoc-ref step "as") one)
       (hash-set! tokens (assoc-ref step "as") (held-token one))
       (expect step "slot" (held-slot one))
       (let ((earlier (hash-ref tokens (assoc-ref step "token_above") 0)))
         (unless (> (held-token one) earlier) (wrong "old token" step)))))))

(define (fork step)
  (unless (zero? (cdr (waitpid (forked (lambda () (run-steps (assoc-ref step "steps")))))))
    (wrong "a child that failed" step)))

(define (start step)
  (match (pipe)
    ((readable . writable)
     (hash-set! processes (assoc-ref step "as")
                (forked (lambda ()
                          (run-steps (assoc-ref step "steps"))
                          (display "in" writable)
                          (force-output writable)
                          (let loop () (sleep 1000) (loop)))))
     (close-port writable)
     (unless (eqv? #\i (read-char readable)) (wrong "a process that did not start" step))
     (close-port readable))))

(define (killed step)
  (let ((pid (hash-ref processes (assoc-ref step "process"))) (end (+ 10 (current-time))))
    (hash-remove! processes (assoc-ref step "process"))
    (let loop ((ended (waitpid pid WNOHANG)))
      (cond ((zero? (car ended))
             (when (> (current-time) end) (wrong "still there" step))
             (usleep 10000)
             (loop (waitpid pid WNOHANG)))
            ((not (status:term-sig (cdr ended))) (wrong "not killed" step))))))

(define (run-step step)
  (match (assoc-ref step "do")
    ("get" (get step))
    ("check" (check step))
    ("release" (release (hash-ref held (assoc-ref step "lock")) (assoc-ref step "success")))
    ("fork" (fork step))
    ("start" (start step))
    ("kill" (kill (hash-ref processes (assoc-ref step "process")) SIGKILL) (killed step))
    ("killed" (killed step))))

(define (run-steps steps) (vector-for-each run-step steps))
(define (vector-for-each do vector) (for-each do (vector->list vector)))

(define (run-situation steps)
  (dynamic-wind
    (lambda () (for-each hash-clear! (list held tokens processes)))
    (lambda () (run-steps steps) #t)
    (lambda ()
      (hash-for-each (lambda (name pid) (kill pid SIGKILL) (waitpid pid)) processes)
      (hash-for-each (lambda (name one) (release one)) held))))

(test-begin "conformance")
(test-assert "there are situations" (>= (length situations) 17))
(for-each (lambda (one)
            (situation (assoc-ref one "name") (run-situation (assoc-ref one "steps"))))
          situations)
(test-end)
