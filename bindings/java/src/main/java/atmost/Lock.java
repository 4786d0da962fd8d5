package atmost;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What to take and how. Each use takes the lock anew, so that threads may share one. */
public final class Lock {
    /**
     * Work with a result.
     *
     * @param <T> the result
     * @param <E> what it throws
     */
    @FunctionalInterface
    public interface Work<T, E extends Exception> {
        /**
         * Does the work.
         *
         * @param held the lock
         * @return its result
         * @throws E when it fails
         */
        T call(Held held) throws E;
    }

    /**
     * Work without a result.
     *
     * @param <E> what it throws
     */
    @FunctionalInterface
    public interface Task<E extends Exception> {
        /**
         * Does the work.
         *
         * @param held the lock
         * @throws E when it fails
         */
        void run(Held held) throws E;
    }

    private final Target target;
    private final boolean waits;
    private final Target atOnce; // the same without a wait

    private Lock(Options options, byte[]... name) {
        OptionValues values = options.values();
        target = Target.of(values, name);
        waits = values.wait != 0;
        atOnce = waits ? target.with(options.waitFor(Duration.ZERO).values()) : target;
    }

    /**
     * With {@link Options#DEFAULTS}.
     *
     * @param name a name, or a path with a slash, as for atmost(1)
     */
    public Lock(String name) {
        this(name, Options.DEFAULTS);
    }

    /**
     * With options.
     *
     * @param name a name, or a path with a slash, as for atmost(1)
     * @param options how it is taken
     */
    public Lock(String name, Options options) {
        this(options, Text.encode(name));
    }

    /**
     * With a name that is no UTF-8.
     *
     * @param name a name, or a path with a slash, as for atmost(1)
     * @param options how it is taken
     */
    public Lock(byte[] name, Options options) {
        this(options, Objects.requireNonNull(name));
    }

    /**
     * A lock file.
     *
     * @param file its path, also without a slash
     * @param options how it is taken
     */
    public Lock(Path file, Options options) {
        this(options, Text.encode(file.toAbsolutePath().toString()));
    }

    /**
     * An atom.
     *
     * @param atom the atom
     * @param options how it is taken
     */
    public Lock(Atom atom, Options options) {
        this(options, Text.encode(atom.operator()), Text.encode(atom.operand()),
                atom.host() == null ? null : Text.encode(atom.host()));
    }

    /**
     * Agrees, or no longer agrees, that a taker may stop this whole program when a lock that it
     * takes from now on is overdue.
     *
     * @param agreed whether it may
     * @return the previous value, at first false
     */
    public static boolean mayBeKilled(boolean agreed) {
        return LibAtmost.atmost_may_be_killed(agreed ? 1 : 0) != 0;
    }

    /**
     * Takes the lock, and waits for it if the options say so. An interrupt is heard at once and
     * gives the place in the queue up, unless a takeover has begun, which is finished first.
     *
     * @return the lock, to be closed
     * @throws InterruptedException if the thread is interrupted before or while it waits; nothing
     *     is held then
     * @throws BusyException if it is held by others
     * @throws TooSoonException if it was admitted too recently
     * @throws AtmostException if something is wrong
     */
    public Held acquire() throws InterruptedException {
        if (Thread.interrupted()) throw new InterruptedException();
        if (!waits) return target.take();
        Request request = target.begin();
        request.awaitInterruptibly();
        return request.finish();
    }

    /**
     * Takes the lock without waiting, whatever the options say.
     *
     * @return the lock, to be closed; empty if it is busy or too soon
     * @throws AtmostException if something is wrong
     */
    public Optional<Held> tryAcquire() {
        try {
            return Optional.of(atOnce.take());
        } catch (RefusedException refused) {
            return Optional.empty();
        }
    }

    /**
     * Takes the lock on a daemon thread, which ends with the answer. A future that is cancelled, or
     * completed otherwise, gives its place in the queue up; what was admitted meanwhile is closed.
     * What depends on the future without an executor runs on that thread.
     *
     * @return the lock, to be closed; or one of the exceptions of {@link #acquire()}
     */
    public CompletableFuture<Held> acquireAsync() {
        CompletableFuture<Held> future = new CompletableFuture<>();
        Request request;
        try {
            request = target.begin();
        } catch (AtmostException wrong) {
            future.completeExceptionally(wrong);
            return future;
        }
        future.whenComplete((held, thrown) -> request.cancel());
        Thread thread = new Thread(() -> complete(future, request), "atmost");
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (OutOfMemoryError noThread) {
            request.abandon();
            throw noThread;
        }
        return future;
    }

    private static void complete(CompletableFuture<Held> future, Request request) {
        request.await();
        try {
            Held held = request.finish();
            if (!future.complete(held)) held.close();
        } catch (Throwable thrown) {
            future.completeExceptionally(thrown);
        }
    }

    /**
     * Does work that holds the lock. It is a success unless it throws.
     *
     * @param work the work
     * @param <T> its result
     * @param <E> what it throws
     * @return its result
     * @throws E when the work fails
     * @throws InterruptedException as {@link #acquire()}, like its other exceptions
     */
    public <T, E extends Exception> T call(Work<T, E> work) throws E, InterruptedException {
        try (Held held = acquire()) {
            T result = work.call(held);
            held.succeeded();
            return result;
        }
    }

    /**
     * The same without a result.
     *
     * @param task the work
     * @param <E> what it throws
     * @throws E when the work fails
     * @throws InterruptedException as {@link #acquire()}, like its other exceptions
     */
    public <E extends Exception> void run(Task<E> task) throws E, InterruptedException {
        try (Held held = acquire()) {
            task.run(held);
            held.succeeded();
        }
    }

    /**
     * Looks who holds the lock, and who waits. Takes nothing; of the options only the directory is
     * used.
     *
     * @return drained slots, holders by slot, waiters in the order of their queues
     * @throws AtmostException if something is wrong
     */
    public List<Entry> list() {
        return target.list();
    }

    /**
     * Looks whether {@link #tryAcquire()} would be admitted now. Takes nothing.
     *
     * @return what it would answer
     * @throws AtmostException if something is wrong
     */
    public Check check() {
        return atOnce.check();
    }
}
