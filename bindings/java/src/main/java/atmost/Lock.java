package atmost;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A lock with its options. Each use takes the lock anew, so that threads may share one. */
public final class Lock {
    /**
     * Work with a result.
     *
     * @param <T> the result
     * @param <E> the exception that it throws
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
     * @param <E> the exception that it throws
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

    /** A hold that a thread acquired, and did not release. */
    private record Hold(Thread thread, Held held) {}

    private final Request request;
    private final Request atOnce; // the same without a wait
    private final boolean waits;
    private final Deque<Hold> holds = new ArrayDeque<>(); // the last one first; locked by itself

    private Lock(Options options, byte[]... name) {
        request = new Request(options, name);
        waits = request.waits();
        atOnce = waits ? new Request(options.waitFor(Duration.ZERO), name) : request;
    }

    /**
     * A lock with {@link Options#DEFAULTS}.
     *
     * @param name a name, or a path with a slash, as for atmost(1)
     */
    public Lock(String name) {
        this(name, Options.DEFAULTS);
    }

    /**
     * A lock with options.
     *
     * @param name a name, or a path with a slash, as for atmost(1)
     * @param options its options
     */
    public Lock(String name, Options options) {
        this(options, Text.encode(name));
    }

    /**
     * A lock whose name is not UTF-8.
     *
     * @param name a name, or a path with a slash, as for atmost(1)
     * @param options its options
     */
    public Lock(byte[] name, Options options) {
        this(options, Objects.requireNonNull(name));
    }

    /**
     * A lock file.
     *
     * @param file its path, also without a slash
     * @param options its options
     */
    public Lock(Path file, Options options) {
        this(options, Text.encode(file.toAbsolutePath().toString()));
    }

    /**
     * An atom.
     *
     * @param atom the atom
     * @param options its options
     */
    public Lock(Atom atom, Options options) {
        this(options, Text.encode(atom.operator()), Text.encode(atom.operand()),
                atom.host() == null ? null : Text.encode(atom.host()));
    }

    /**
     * Agrees, or no longer agrees, that a taker may stop this whole program when a lock that it
     * takes from now on is overdue.
     *
     * @param agreed true if it may
     * @return the previous value, at first false
     */
    public static boolean mayBeKilled(boolean agreed) {
        return LibAtmost.atmost_may_be_killed(agreed ? 1 : 0) != 0;
    }

    /**
     * Takes the lock, and waits for it as long as the options allow. This object is the holder
     * until {@link #release()}, or until the returned object is closed. An interrupt gives up the
     * place in the queue at once, unless a takeover has begun, which is finished first.
     *
     * @return the lock, to be closed
     * @throws InterruptedException if the thread is interrupted before or while it waits; nothing
     *     is held then
     * @throws BusyException if it is held by others
     * @throws TooSoonException if it was admitted too recently
     * @throws AtmostException if something is wrong
     */
    public Held acquire() throws InterruptedException {
        return keep(take());
    }

    private Held take() throws InterruptedException {
        if (Thread.interrupted()) throw new InterruptedException();
        if (!waits) return request.take();
        Pending pending = request.begin();
        pending.awaitInterruptibly();
        return pending.finish();
    }

    private Held keep(Held held) {
        Hold hold = new Hold(Thread.currentThread(), held);
        synchronized (holds) {
            holds.addFirst(hold);
        }
        return held.forgottenBy(() -> {
            synchronized (holds) {
                holds.remove(hold);
            }
        });
    }

    private Held lastHeld() {
        synchronized (holds) {
            for (Hold hold : holds) {
                if (hold.thread() == Thread.currentThread()) return hold.held();
            }
            if (holds.size() == 1) return holds.getFirst().held();
        }
        throw new UsageException("release: this thread does not hold the lock");
    }

    /**
     * Releases what this thread acquired last, else the only one, as a success.
     *
     * @throws UsageException if there is none
     */
    public void release() {
        release(true);
    }

    /**
     * Releases what this thread acquired last, else the only one.
     *
     * @param success true if the work succeeded
     * @throws UsageException if there is none
     */
    public void release(boolean success) {
        Held held = lastHeld();
        if (success) held.succeeded();
        held.close();
    }

    /**
     * Takes the lock without waiting, also if the options allow a wait.
     *
     * @return the lock, to be closed; empty if it is busy or too soon
     * @throws AtmostException if something is wrong
     */
    public Optional<Held> tryAcquire() {
        try {
            return Optional.of(keep(atOnce.take()));
        } catch (RefusedException refused) {
            return Optional.empty();
        }
    }

    /**
     * Takes the lock on a daemon thread, which ends with the answer. A future that is cancelled, or
     * completed otherwise, gives its place in the queue up; an admission that came meanwhile is
     * closed. Work that depends on the future without an executor runs on that thread.
     *
     * @return the lock, to be closed; or one of the exceptions of {@link #acquire()}
     */
    public CompletableFuture<Held> acquireAsync() {
        CompletableFuture<Held> future = new CompletableFuture<>();
        Pending pending;
        try {
            pending = request.begin();
        } catch (AtmostException wrong) {
            future.completeExceptionally(wrong);
            return future;
        }
        future.whenComplete((held, thrown) -> pending.cancel());
        Thread thread = new Thread(() -> complete(future, pending), "atmost");
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (OutOfMemoryError noThread) {
            pending.abandon();
            throw noThread;
        }
        return future;
    }

    private void complete(CompletableFuture<Held> future, Pending pending) {
        pending.await();
        try {
            Held held = keep(pending.finish());
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
     * @param <E> the exception that it throws
     * @return its result
     * @throws E when the work fails
     * @throws InterruptedException as {@link #acquire()}, like its other exceptions
     */
    public <T, E extends Exception> T call(Work<T, E> work) throws E, InterruptedException {
        try (Held held = take()) {
            T result = work.call(held);
            held.succeeded();
            return result;
        }
    }

    /**
     * Does work without a result that holds the lock. It is a success unless it throws.
     *
     * @param task the work
     * @param <E> the exception that it throws
     * @throws E when the work fails
     * @throws InterruptedException as {@link #acquire()}, like its other exceptions
     */
    public <E extends Exception> void run(Task<E> task) throws E, InterruptedException {
        try (Held held = take()) {
            task.run(held);
            held.succeeded();
        }
    }

    /**
     * Lists the holders and waiters of the lock. Takes nothing; only the options that name the
     * place of the lock count.
     *
     * @return drained slots, holders by slot, waiters in the order of their queues
     * @throws AtmostException if something is wrong
     */
    public List<Entry> list() {
        return request.list();
    }

    /**
     * Tests if {@link #tryAcquire()} would be admitted now. Takes nothing.
     *
     * @return the answer that it would get
     * @throws AtmostException if something is wrong
     */
    public Check check() {
        return atOnce.check();
    }
}
