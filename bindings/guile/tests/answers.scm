;;; Blocks, refusals, arguments, texts, lists.
(use-modules (atmost) (outside) (ice-9 control) (ice-9 exceptions) (rnrs bytevectors)
             (srfi srfi-1) (srfi srfi-64))

(test-begin "answers")

(situation "a block holds the lock, returns its values, and is a success"
  (and (equal? '(1 2 75)
               (call-with-values (lambda () (with-lock "a" (values 1 2 (run)))) list))
       (zero? (run))
       (with-lock "a" #t)
       (succeeded?)))

(situation "work that fails is no success, and the exception goes on"
  (and (eq? 'failed (catch 'failure
                      (lambda () (with-lock "a" (throw 'failure)))
                      (const 'failed)))
       (not (succeeded?))))

(situation "work that is left by a continuation is no success"
  (and (= 1 (let/ec leave (with-lock "a" (leave 1))))
       (not (succeeded?))))

(situation "work cannot be entered again"
  (let ((again #f) (entered 0))
    (and (equal? '(usage "")
                 (answer (with-lock "a"
                           (call/cc (lambda (k) (set! again k)))
                           (set! entered (+ 1 entered)))
                         (again #f)))
         (= 1 entered)
         (zero? (run)))))

(situation "work that is suspended frees the lock, and cannot be resumed"
  (let ((rest (call-with-prompt 'suspended
                (lambda () (with-lock "a" (abort-to-prompt 'suspended)))
                (lambda (rest) rest))))
    (and (equal? '(usage "") (answer (rest)))
         (not (succeeded?)))))

(situation "refusals say why"
  (let* ((once (make-lock "a" #:if-elapsed 900))
         (seen (with-lock once
                 (guard (refused ((refused? refused)
                                  (list (busy? refused) (error? refused)
                                        (atmost-error-answer refused)
                                        (atmost-error-why refused)
                                        (exception-message refused))))
                   (acquire "a"))))
         (soon (guard (refused ((too-soon? refused) refused)) (acquire once))))
    (and (equal? seen '(#t #t 75 "no_slot" "a: busy: 1 of 1 slots held"))
         (refused? soon)
         (not (busy? soon))
         (< 890 (atmost-error-retry-in soon) 900.01))))

(situation "arguments that make no sense"
  (every (lambda (wrong) (equal? '(usage "") (answer (wrong))))
         (list (lambda () (make-lock 'a))
               (lambda () (make-lock "a" #:max -1))
               (lambda () (make-lock "a" #:max 1.5))
               (lambda () (make-lock "a" #:mode (expt 2 32)))
               (lambda () (make-lock "a" #:wait "soon"))
               (lambda () (make-lock "a" #:if-elapsed -1))
               (lambda () (make-lock "a" #:wait +nan.0))
               (lambda () (make-lock "a" #:on-busy 'no))
               (lambda () (make-lock "a" #:no-history 'no))
               (lambda () (make-lock "a" #:id (list->string '(#\a #\nul))))
               (lambda () (make-lock "a" #:on-lost 'no))
               (lambda () (make-lock "a" #:max))
               (lambda () (make-lock "a" 1))
               (lambda () (acquire "a" #:waitt 1))
               (lambda () (with-lock (make-lock "a" #:now +nan.0) #t))
               (lambda () (acquire (make-lock "a") #:wait 1))
               (lambda () (acquire "a" #:max-runtime 1))
               (lambda () (lock-check "a" #:max 0)))))

(situation "an unknown option is refused by its name"
  (equal? "waitt: no option of the library; did you mean wait?"
          (guard (refused ((usage-error? refused) (exception-message refused)))
            (acquire "a" #:waitt 1))))

(situation "texts are bytes"
  (define (outside format)
    (status "sh" "-c" (string-append "exec atmost run -q \"$(printf '" format
                                     "')\" -- true")))
  (define bytes (u8-list->bytevector '(108 111 99 107 255 254)))
  (and (zero? (outside "lock\\377\\376"))
       (= busy (with-lock bytes (outside "lock\\377\\376")))
       (= busy (with-lock "a\nb" (outside "a\\nb")))
       (= busy (with-lock "ä" (outside "\\303\\244")))
       (= busy (with-lock (make-lock "b" #:also (list bytes)) (outside "lock\\377\\376")))
       (with-lock (make-lock "a" #:id (u8-list->bytevector '(97 255)))
         (string-prefix? "a" (entry-id (car (lock-entries "a")))))))

(situation "texts that would be cut or changed are refused"
  (and (equal? '(usage "") (answer (make-lock "a\0b")))
       (equal? '(usage "") (answer (make-lock #vu8(97 0 98))))
       (equal? '(usage "") (answer (make-lock "a" #:id "a\0b")))
       (equal? '(usage "") (answer (make-lock (make-atom "a" "b\0"))))
       (let ((locale (setlocale LC_ALL)))
         (setlocale LC_ALL "C")
         (let ((refused (answer (make-lock "ä"))))
           (setlocale LC_ALL locale)
           (equal? '(usage "") refused)))))

(situation "lists and checks"
  (and (null? (lock-entries "a"))
       (check-admitted? (lock-check "a"))
       (let ((other (holder)))
         (let ((entry (car (lock-entries "a"))) (check (lock-check "a")))
           (end! other)
           (and (equal? '(held 1 #f #t)
                        (map (lambda (one) (one entry))
                             (list entry-state entry-slot entry-position entry-verified?)))
                (not (= (getpid) (entry-pid entry)))
                (equal? '(#f 1 "no_slot")
                        (map (lambda (one) (one check))
                             (list check-admitted? check-held check-why))))))))

(situation "agreement to be killed"
  (equal? '(#f #t #f) (list (may-be-killed! #t) (may-be-killed! #f) (may-be-killed! #f))))

(test-assert "every exported procedure has a docstring, or is an accessor"
  (every (lambda (name)
           (let ((value (module-ref (resolve-interface '(atmost)) name)))
             (or (not (procedure? value))
                 (procedure-documentation value)
                 (string-suffix? "?" (symbol->string name))
                 (any (lambda (record) (string-prefix? record (symbol->string name)))
                      '("entry-" "check-" "held-" "atmost-error-")))))
         (module-map (lambda (name variable) name) (resolve-interface '(atmost)))))

(test-end)
