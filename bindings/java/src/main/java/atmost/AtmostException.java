package atmost;

import java.time.Duration;

/** Not admitted. */
public class AtmostException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The value of {@link #answer()} if an argument is invalid. */
    static final int USAGE = 64;
    private static final int BUSY = 75;
    private static final int TOO_SOON = 76;

    /** The exit status. */
    private final int answer;
    /** The reason in one word. */
    private final String why;
    /** The time after which it is no longer too soon. */
    private final Duration retryIn;

    AtmostException(String message, int answer, String why, Duration retryIn) {
        super(message);
        this.answer = answer;
        this.why = why;
        this.retryIn = retryIn;
    }

    /** The answer of this thread's last call; to be called before any other. */
    static AtmostException ofLastCall(int answer) {
        String message = Text.decode(LibAtmost.atmost_message());
        String why = Text.decode(LibAtmost.atmost_why());
        Duration retryIn = Seconds.toDuration(LibAtmost.atmost_retry_in());
        return switch (answer) {
            case USAGE -> new UsageException(message);
            case BUSY -> new BusyException(message, answer, why, retryIn);
            case TOO_SOON -> new TooSoonException(message, answer, why, retryIn);
            default -> new AtmostException(message, answer, why, retryIn);
        };
    }

    /** {@return the exit status that atmost(1) would have} */
    public int answer() {
        return answer;
    }

    /** {@return the reason in one word, as in the history; may be empty} */
    public String why() {
        return why;
    }

    /**
     * {@return after which time it is no longer too soon, {@link Options#FOREVER} if it always will
     * be; without a meaning when it is not too soon}
     */
    public Duration retryIn() {
        return retryIn;
    }
}
