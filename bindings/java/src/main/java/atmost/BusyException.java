package atmost;

import java.time.Duration;

/** Held by others. */
public final class BusyException extends RefusedException {
    private static final long serialVersionUID = 1L;

    BusyException(String message, int answer, String why, Duration retryIn) {
        super(message, answer, why, retryIn);
    }
}
