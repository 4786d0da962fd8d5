package atmost;

/** Readers and writers. */
public enum Sharing {
    /** Neither. */
    PLAIN,
    /** Together with other readers while no writer holds the lock. */
    SHARED,
    /** A writer alone. */
    EXCLUSIVE
}
