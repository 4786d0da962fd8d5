/**
 * At most N at a time, at most once every T, for at most D: libatmost for Java.
 *
 * <pre>{@code
 * new Lock("nightly", Options.DEFAULTS.waitFor(Duration.ofSeconds(30))).run(held -> {
 *     ...
 * });
 * }</pre>
 *
 * <p>The package decides nothing itself; it needs {@code libatmost.so.1} and JNA. A lock belongs to
 * the process: it is free when it is closed, or when the process ends, however that happens. Two
 * threads exclude each other like two processes.
 */
package atmost;
