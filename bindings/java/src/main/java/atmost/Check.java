package atmost;

import java.time.Duration;

/**
 * The answer that {@link Lock#tryAcquire()} would give now.
 *
 * @param admitted whether it would be admitted
 * @param held how many hold the lock
 * @param why the reason of a refusal in one word; otherwise empty
 * @param retryIn if it is too soon, after which time it is not
 */
public record Check(boolean admitted, int held, String why, Duration retryIn) {}
