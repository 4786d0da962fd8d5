;;; Compares the struct with the compiler's.
(use-modules (atmost native) (outside) (ice-9 popen) (ice-9 textual-ports) (srfi srfi-64)
             (system foreign))

(define (offsets fields)
  "Return where FIELDS begin, and the size, as make-c-struct has them."
  (let loop ((types (map cadr fields)) (end 0) (found '()))
    (if (null? types)
        (reverse (cons (sizeof (map cadr fields)) found))
        (let* ((alignment (alignof (car types)))
               (start (* alignment (ceiling-quotient end alignment))))
          (loop (cdr types) (+ start (sizeof (car types))) (cons start found))))))

(define (prints type fields)
  (string-append (string-concatenate
                  (map (lambda (field)
                         (format #f "printf(\"%zu\\n\", offsetof(~a, ~a));" type (car field)))
                       fields))
                 (format #f "printf(\"%zu\\n\", sizeof(~a));" type)))

(test-begin "layout")
(situation "the struct is that of the header"
  (let ((source (string-append (getenv "ATMOST_DIR") "/print.c")))
    (call-with-output-file source
      (lambda (port)
        (format port "#include <atmost/atmost.h>\n#include <stdio.h>\nint main(void) {~a}"
                (prints "atmost_entry" entry-fields))))
    (and (zero? (status "sh" "-c" "cc $(pkg-config --cflags atmost) -o \"$0.out\" \"$0\"" source))
         (let* ((printed (open-pipe* OPEN_READ (string-append source ".out")))
                (text (get-string-all printed)))
           (close-pipe printed)
           (equal? (map string->number (string-split (string-trim-right text) #\newline))
                   (offsets entry-fields))))))
(test-end)
