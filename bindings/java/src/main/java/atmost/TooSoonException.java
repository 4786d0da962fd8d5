package atmost;

import java.time.Duration;

/** Admitted too recently; {@link #retryIn()} has the time until it is no longer too soon. */
public final class TooSoonException extends RefusedException {
    private static final long serialVersionUID = 1L;

    TooSoonException(String message, int answer, String why, Duration retryIn) {
        super(message, answer, why, retryIn);
    }
}
