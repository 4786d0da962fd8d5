;;; At most N at a time, at most once every T, for at most D: libatmost for Guile.
;;;
;;;     (with-lock (make-lock "nightly" #:wait 30) ...)
;;;
;;; Durations are seconds; +inf.0 means for ever.
(define-module (atmost)
  #:version (0 1 0)
  #:use-module (atmost answers)
  #:use-module ((atmost held) #:hide (release))
  #:use-module (atmost options)
  #:use-module (atmost request)
  #:re-export (make-lock lock? make-atom atom?
               acquire call-with-lock with-lock
               held? held-token held-slot still-held? release
               lock-entries lock-check may-be-killed!
               &atmost-error atmost-error? atmost-error-answer atmost-error-why
               atmost-error-retry-in
               &refused refused? &busy busy? &too-soon too-soon? &usage-error usage-error?
               entry? entry-state entry-slot entry-position entry-pid entry-kept-for entry-user
               entry-token entry-start entry-age entry-expires entry-id entry-command
               entry-verified?
               check? check-admitted? check-held check-why check-retry-in))
