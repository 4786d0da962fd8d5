package atmost;

import java.time.Duration;

/** An answer, not an error: busy or too soon. */
public abstract class RefusedException extends AtmostException {
    private static final long serialVersionUID = 1L;

    RefusedException(String message, int answer, String why, Duration retryIn) {
        super(message, answer, why, retryIn);
    }
}
