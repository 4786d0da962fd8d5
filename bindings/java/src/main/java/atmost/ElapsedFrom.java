package atmost;

/** What ifElapsed counts from. */
public enum ElapsedFrom {
    /** The last admission. */
    START,
    /** The last end. */
    FINISH,
    /** The last end after {@link Held#succeeded()}. */
    SUCCESS
}
