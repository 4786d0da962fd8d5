package atmost;

import java.time.Duration;
import java.time.Instant;

/** Conversions between seconds of the C library and java.time. */
final class Seconds {
    private static final double NANOS = 1e9;

    private Seconds() {}

    static double of(Duration duration) {
        if (duration.equals(Options.FOREVER)) return Double.POSITIVE_INFINITY;
        return duration.getSeconds() + duration.getNano() / NANOS;
    }

    static double of(Instant time) {
        return time.getEpochSecond() + time.getNano() / NANOS;
    }

    static Duration toDuration(double seconds) {
        if (seconds >= Long.MAX_VALUE) return Options.FOREVER;
        long whole = (long) Math.floor(seconds);
        return Duration.ofSeconds(whole, Math.round((seconds - whole) * NANOS));
    }

    static Instant toInstant(double seconds) {
        long whole = (long) Math.floor(seconds);
        return Instant.ofEpochSecond(whole, Math.round((seconds - whole) * NANOS));
    }
}
