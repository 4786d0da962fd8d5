;;; A held lock: its end, forks, the collector, threads.
(use-modules (atmost) (outside) (ice-9 threads) (srfi srfi-1) (srfi srfi-64))

(test-begin "held")

(situation "released again: nothing; a failure is no success"
  (let ((held (acquire "a")))
    (and (still-held? held)
         (= busy (run))
         (begin (release held #f) #t)
         (not (still-held? held))
         (let ((other (acquire "a")))
           (release held)
           (= busy (run))
           (begin (release other #f) #t))
         (not (succeeded?)))))

(situation "a lock is the holder of what its acquire took"
  (let ((lock (make-lock "a" #:max 2)))
    (acquire lock)
    (acquire lock)
    (gc)
    (and (= 2 (check-held (lock-check lock)))
         (begin (release lock) #t)
         (= 1 (check-held (lock-check lock)))
         (begin (release lock #f) #t)
         (check-admitted? (lock-check "a"))
         (equal? '(usage "") (answer (release lock))))))

(situation "a forked child frees nothing"
  (with-lock "a"
    (let ((held (acquire "b")))
      (and (zero? (cdr (waitpid (forked (lambda () (release held))))))
           (still-held? held)
           (= busy (run))))))

(situation "what nobody refers to is released, and no success"
  (define (drop) (acquire "a") #t)
  (drop)
  (eventually (begin (gc) (check-admitted? (lock-check "a"))))
  (and (not (succeeded?)) (zero? (run))))

(situation "a holder that is killed leaves nothing"
  (let ((other (program '(begin (define held (acquire "a")) (stay)))))
    (eventually (not (check-admitted? (lock-check "a"))))
    (kill (third other) SIGKILL)
    (end! other)
    (zero? (run))))

(situation "threads exclude each other, and wait side by side"
  (let* ((lock (make-lock "a" #:wait +inf.0))
         (inside 0)
         (most 0)
         (threads (map (lambda (number)
                         (call-with-new-thread
                          (lambda ()
                            (call-with-lock lock
                              (lambda (held)
                                (set! inside (+ inside 1))
                                (set! most (max most inside))
                                (usleep 1000)
                                (set! inside (- inside 1))
                                (held-token held))))))
                       (iota 8)))
         (tokens (map join-thread threads)))
    (and (= most 1) (= 8 (length (delete-duplicates tokens))) (zero? (run)))))

(test-end)
