package atmost;

import java.time.Duration;

/** An argument is invalid. */
public final class UsageException extends AtmostException {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message, USAGE, "", Duration.ZERO);
    }
}
