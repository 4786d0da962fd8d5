package atmost;

import java.time.Duration;

/**
 * The answer that {@link Lock#tryAcquire()} would give now.
 *
 * @param admitted true if it would be admitted
 * @param held the number of holders
 * @param why the reason of a refusal in one word; otherwise empty
 * @param retryIn the time after which it is no longer too soon
 */
public record Check(boolean admitted, int held, String why, Duration retryIn) {}
