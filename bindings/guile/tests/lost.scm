;;; Locks that are lost.
(use-modules (atmost) (outside) (ice-9 ftw) (ice-9 threads) (srfi srfi-1) (srfi srfi-64))

;; The process from outside, with threads of the library, too.
(define (tasks) (length (scandir "/proc/self/task" string->number)))
(define (descriptors) (length (scandir "/proc/self/fd" string->number)))

(define (noting)
  "Return a procedure for #:on-lost, and one that waits until it was called and returns the tokens."
  (let ((tokens '()))
    (values (lambda (token) (set! tokens (cons token tokens)))
            (lambda () (eventually (pair? tokens)) tokens))))

(define-values (first-note first-tokens) (noting))
(release (acquire "warm" #:on-lost first-note #:dir (or (getenv "TMPDIR") "/tmp")))

(test-begin "lost")

(situation "to another process"
  (define-values (note tokens) (noting))
  (let ((held (acquire "a" #:on-lost note)))
    (and (= busy (run))
         (zero? (run "--expire-after=0" "--wait=300"))
         (equal? (tokens) (list (held-token held)))
         (not (still-held? held))
         (begin (release held) #t)
         (equal? (tokens) (list (held-token held))))))

(situation "after max-runtime, and the thread and the descriptor end with the release"
  (define-values (note tokens) (noting))
  (finalizers-run!)
  (let* ((before (cons (tasks) (descriptors)))
         (held (acquire "a" #:max-runtime 0.05 #:on-lost note)))
    (and (equal? (tokens) (list (held-token held)))
         (not (still-held? held))
         (zero? (run))
         (begin (release held) #t)
         (begin (eventually (<= (tasks) (car before))) #t)
         (<= (descriptors) (+ 2 (cdr before))))))

(situation "nothing is left of those that are not lost, and of refusals"
  (define lock (make-lock "a" #:on-lost (const #t)))
  (define waiting (make-lock "a" #:on-lost (const #t) #:wait 0.01))
  (define threads (begin (finalizers-run!) (all-threads)))
  (define (alone) (eventually (every (lambda (one) (memq one threads)) (all-threads))))
  (with-lock waiting #t)
  (alone)
  (let ((before (descriptors)))
    (for-each (lambda (round)
                (with-lock lock (answer (acquire lock)))
                (with-lock waiting (answer (acquire waiting))))
              (iota 10))
    (alone)
    (<= (descriptors) before)))

(situation "it may release what was lost, or take it again"
  (let* ((mutex (make-mutex)) (again #f)
         (held (with-mutex mutex
                 (acquire "a" #:max-runtime 0.05
                          #:on-lost (lambda (token)
                                      (with-mutex mutex (set! again (acquire "a"))))))))
    (eventually (with-mutex mutex again))
    (release held)
    (and (= busy (run))
         (begin (release again) #t)
         (zero? (run)))))

(situation "a procedure that fails is reported, and nothing else happens"
  (finalizers-run!)
  (let* ((before (tasks))
         (held (with-error-to-port (%make-void-port "w")
                 (lambda ()
                   (acquire "a" #:max-runtime 0.05 #:on-lost (lambda (token) (throw 'no)))))))
    (eventually (not (still-held? held)))
    (release held)
    (eventually (<= (tasks) before))
    (zero? (run))))

(situation "a forked child that releases leaves its parent's notice alone"
  (define-values (note tokens) (noting))
  (let ((held (acquire "a" #:on-lost note)))
    (and (zero? (cdr (waitpid (parameterize ((current-warning-port (%make-void-port "w")))
                                (forked (lambda () (release held)))))))
         (zero? (run "--expire-after=0" "--wait=300"))
         (equal? (tokens) (list (held-token held)))
         (begin (release held) #t))))

(test-end)
