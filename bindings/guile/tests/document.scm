;;; Runs every example of the document, each in a process of its own.
(use-modules (outside) (ice-9 regex) (ice-9 textual-ports) (srfi srfi-64))

(define examples
  (let ((text (call-with-input-file "../README.md" get-string-all)))
    (let loop ((start 0) (found '()))
      (let* ((begin (string-contains text "\n```scheme\n" start))
             (end (and begin (string-contains text "\n```\n" (+ begin 4)))))
        (if end
            (loop end (cons (substring text (+ begin 11) end) found))
            (reverse found))))))

(test-begin "document")
(test-assert "there are examples" (>= (length examples) 7))
(for-each (lambda (example)
            (situation example
              (zero? (status "sh" "-c" "exec \"${GUILE:-guile}\" --no-auto-compile -c \"$0\" >&2"
                             example))))
          examples)
(test-end)
