package atmost;

/** What follows when the wait is over and the lock is still held. */
public enum OnBusy {
    /** A {@link BusyException}. */
    FAIL,
    /** The oldest holder is stopped as if it were overdue. */
    REPLACE,
    /** One waiter is enough: a later caller gets a {@link BusyException} at once. */
    JOIN,
    /** The newest waiter alone goes on; earlier ones that said so too get a {@link BusyException}. */
    SUPERSEDE
}
