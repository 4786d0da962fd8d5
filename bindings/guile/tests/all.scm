;;; Every test: guile -L tests tests/all.scm
(use-modules (outside))
(let ((folder (dirname (car (command-line)))))
  (run-tests (map (lambda (one) (string-append folder "/" one ".scm"))
                  '("answers" "conformance" "document" "held" "layout" "lost" "wait"))))
