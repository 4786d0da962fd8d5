package atmost;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * How a lock is taken: what atmost(1) calls by the same names. Options do not change: each method
 * gives new ones. Whether they make sense together is said when a lock is taken, by a
 * {@link UsageException}.
 */
public final class Options {
    /** For ever. */
    public static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

    /** For ifElapsed, expireAfter and maxHold: a limit that is learned from earlier holds. */
    public static final Duration AUTO = Duration.ofSeconds(-1);

    /** One at a time, without waiting. */
    public static final Options DEFAULTS = new Options(new OptionValues());

    private final OptionValues values;

    private Options(OptionValues values) {
        this.values = values;
    }

    private Options with(Consumer<OptionValues> change) {
        OptionValues next = values.copy();
        change.accept(next);
        return new Options(next);
    }

    /**
     * At most so many at a time.
     *
     * @param n N, from 1
     * @return these options with that one
     */
    public Options max(int n) {
        return with(next -> next.max = n);
    }

    /**
     * How many slots to take, all or none.
     *
     * @param k K, from 1
     * @return these options with that one
     */
    public Options take(int k) {
        return with(next -> next.take = k);
    }

    /**
     * How long to wait for admission.
     *
     * @param time zero: not at all; or {@link #FOREVER}
     * @return these options with that one
     */
    public Options waitFor(Duration time) {
        double seconds = Seconds.of(time);
        return with(next -> next.wait = seconds);
    }

    /**
     * It is too soon if the last admission is more recent.
     *
     * @param time zero: never too soon; {@link #FOREVER}: once only; or {@link #AUTO}
     * @return these options with that one
     */
    public Options ifElapsed(Duration time) {
        double seconds = Seconds.of(time);
        return with(next -> next.ifElapsed = seconds);
    }

    /**
     * Holders that are older are stopped if they stand in the way and agreed to that.
     *
     * @param time zero: always; {@link #FOREVER}: never; or {@link #AUTO}
     * @return these options with that one
     */
    public Options expireAfter(Duration time) {
        double seconds = Seconds.of(time);
        return with(next -> next.expireAfter = seconds);
    }

    /**
     * The pause after each of INT, TERM and KILL when a holder is stopped.
     *
     * @param time the pause
     * @return these options with that one
     */
    public Options killGrace(Duration time) {
        double seconds = Seconds.of(time);
        return with(next -> next.killGrace = seconds);
    }

    /**
     * The time to decide with, in place of the clocks.
     *
     * @param time the time
     * @return these options with that one
     */
    public Options now(Instant time) {
        double seconds = Seconds.of(time);
        return with(next -> next.now = seconds);
    }

    /**
     * Where named locks and atoms are.
     *
     * @param folder the folder
     * @return these options with that one
     */
    public Options directory(Path folder) {
        return directory(Text.encode(folder.toString()));
    }

    /**
     * The same, with a path that is no UTF-8.
     *
     * @param folder the path
     * @return these options with that one
     */
    public Options directory(byte[] folder) {
        byte[] bytes = folder.clone();
        return with(next -> next.directory = bytes);
    }

    /**
     * What atmost list shows.
     *
     * @param text the text
     * @return these options with that one
     */
    public Options id(String text) {
        return id(Text.encode(text));
    }

    /**
     * The same, with a text that is no UTF-8.
     *
     * @param text the text
     * @return these options with that one
     */
    public Options id(byte[] text) {
        byte[] bytes = text.clone();
        return with(next -> next.id = bytes);
    }

    /**
     * Permissions of a lock file that is created.
     *
     * @param permissions as for chmod(2)
     * @return these options with that one
     */
    public Options mode(int permissions) {
        return with(next -> next.mode = permissions);
    }

    /**
     * Whether a taker may stop this whole program when this lock is overdue; if nothing is said,
     * what {@link Lock#mayBeKilled} or onLost agreed to.
     *
     * @param agreed whether it may
     * @return these options with that one
     */
    public Options mayBeKilled(boolean agreed) {
        return with(next -> next.mayBeKilled = agreed ? 1 : -1);
    }

    /**
     * Called with the token, at most once, when a taker has taken the lock or maxHold is over. It
     * runs on a thread of the library, which is a daemon thread of Java meanwhile. It may call
     * anything, but must not wait for a thread that closes this lock. What it throws goes to that
     * thread's handler of uncaught exceptions.
     *
     * @param listener who is called
     * @return these options with that one
     */
    public Options onLost(LongConsumer listener) {
        Objects.requireNonNull(listener);
        return with(next -> next.onLost = listener);
    }

    /**
     * The file of the history.
     *
     * @param file the file
     * @return these options with that one
     */
    public Options log(Path file) {
        return log(Text.encode(file.toString()));
    }

    /**
     * The same, with a path that is no UTF-8.
     *
     * @param file the path
     * @return these options with that one
     */
    public Options log(byte[] file) {
        byte[] bytes = file.clone();
        return with(next -> next.log = bytes);
    }

    /**
     * Whether nothing is recorded in the history.
     *
     * @param yes whether
     * @return these options with that one
     */
    public Options noHistory(boolean yes) {
        return with(next -> next.noHistory = yes);
    }

    /**
     * Readers and writers.
     *
     * @param kind which of them
     * @return these options with that one
     */
    public Options sharing(Sharing kind) {
        Objects.requireNonNull(kind);
        return with(next -> next.sharing = kind);
    }

    /**
     * What follows when the wait is over and the lock is still held.
     *
     * @param what what follows
     * @return these options with that one
     */
    public Options onBusy(OnBusy what) {
        Objects.requireNonNull(what);
        return with(next -> next.onBusy = what);
    }

    /**
     * What ifElapsed counts from.
     *
     * @param what from what
     * @return these options with that one
     */
    public Options elapsedFrom(ElapsedFrom what) {
        Objects.requireNonNull(what);
        return with(next -> next.elapsedFrom = what);
    }

    /**
     * Whether to wait also while it is too soon.
     *
     * @param yes whether
     * @return these options with that one
     */
    public Options waitTooSoon(boolean yes) {
        return with(next -> next.waitTooSoon = yes);
    }

    /**
     * After this the library releases the lock and calls onLost, which must be given and has to
     * end the work itself.
     *
     * @param time {@link #FOREVER}: never; or {@link #AUTO}
     * @return these options with that one
     */
    public Options maxHold(Duration time) {
        double seconds = Seconds.of(time);
        return with(next -> next.maxHold = seconds);
    }

    /**
     * Other locks to take at the same time, all or none.
     *
     * @param locks each as for atmost(1): [N@]LOCK
     * @return these options with that one
     */
    public Options also(String... locks) {
        byte[][] bytes = new byte[locks.length][];
        for (int at = 0; at < locks.length; at++) bytes[at] = Text.encode(locks[at]);
        return with(next -> next.also = bytes);
    }

    /**
     * The same, with names that are no UTF-8.
     *
     * @param locks each as for atmost(1): [N@]LOCK
     * @return these options with that one
     */
    public Options also(byte[]... locks) {
        byte[][] bytes = new byte[locks.length][];
        for (int at = 0; at < locks.length; at++) bytes[at] = locks[at].clone();
        return with(next -> next.also = bytes);
    }

    /**
     * Whether this filesystem is known to keep locks, though atmost does not know it.
     *
     * @param yes whether
     * @return these options with that one
     */
    public Options trustFs(boolean yes) {
        return with(next -> next.trustFs = yes);
    }

    /**
     * Whether a limit that is {@link #AUTO} does not learn from this hold.
     *
     * @param yes whether
     * @return these options with that one
     */
    public Options noLearn(boolean yes) {
        return with(next -> next.noLearn = yes);
    }

    /**
     * At most so many admissions in any window of a length, whoever they are.
     *
     * @param rate K/DUR as for atmost(1), such as 5/1m
     * @return these options with that one
     */
    public Options rate(String rate) {
        return with(next -> next.rate = Text.encode(rate));
    }

    /**
     * Do not wait if so many wait already.
     *
     * @param most how many; negative: any number
     * @return these options with that one
     */
    public Options queueMax(int most) {
        return with(next -> next.queueMax = most);
    }

    /**
     * Where locks are kept.
     *
     * @param url as for atmost(1), such as symlink: or etcd://HOST:PORT/PREFIX
     * @return these options with that one
     */
    public Options store(String url) {
        return with(next -> next.store = Text.encode(url));
    }

    /** Not to be changed. */
    OptionValues values() {
        return values;
    }
}
