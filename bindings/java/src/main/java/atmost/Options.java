package atmost;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;

/**
 * The options of a lock: those of atmost_set() in C, which README.md lists, each by {@code set};
 * those used most have methods of their own. Options do not change: each method gives new ones. An
 * invalid option is a {@link UsageException} at once; options that exclude each other are refused
 * when a lock is taken.
 */
public final class Options {
    /** For ever. */
    public static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

    /** The word for a limit that is learned, of if_elapsed, expire_after and max_runtime. */
    public static final String AUTO = "auto";

    /** One at a time, without waiting. */
    public static final Options DEFAULTS = new Options(List.of(), null);

    /** An option and its value: a text, a whole number, or a number of seconds. */
    record Word(String option, Object value) {}

    private final List<Word> words;
    private final LongConsumer listener;

    private Options(List<Word> words, LongConsumer listener) {
        this.words = words;
        this.listener = listener;
    }

    List<Word> words() {
        return words;
    }

    LongConsumer listener() {
        return listener;
    }

    private Options with(String option, Object value) {
        Word word = new Word(option, Objects.requireNonNull(value));
        Request.check(word);
        List<Word> next = new ArrayList<>(words);
        next.add(word);
        return new Options(List.copyOf(next), listener);
    }

    /**
     * Sets an option to a word in the notation of atmost(1), such as 5/1m. The later value of an
     * option counts, except for {@code also}, which adds one.
     *
     * @param option its name in C, such as if_elapsed
     * @param value the word
     * @return these options with that one
     */
    public Options set(String option, String value) {
        return with(option, Text.encode(value));
    }

    /**
     * The same with a text that is not UTF-8.
     *
     * @param option its name in C
     * @param value the text
     * @return these options with that one
     */
    public Options set(String option, byte[] value) {
        return with(option, value.clone());
    }

    /**
     * The same with a whole number, such as max, or mode, whose bits it has.
     *
     * @param option its name in C
     * @param value the number
     * @return these options with that one
     */
    public Options set(String option, long value) {
        return with(option, value);
    }

    /**
     * The same with a time; of now: since 1970.
     *
     * @param option its name in C
     * @param value the time, or {@link #FOREVER}
     * @return these options with that one
     */
    public Options set(String option, Duration value) {
        return with(option, Seconds.of(value));
    }

    /**
     * Sets an option that has no value, or no longer sets it.
     *
     * @param option its name in C, such as no_history
     * @param yes true to set it
     * @return these options with that one
     */
    public Options set(String option, boolean yes) {
        return set(option, yes ? "true" : "false");
    }

    /**
     * At most so many at a time.
     *
     * @param n N, from 1
     * @return these options with that one
     */
    public Options max(int n) {
        return set("max", n);
    }

    /**
     * The number of slots to take, all or none.
     *
     * @param k K, from 1
     * @return these options with that one
     */
    public Options take(int k) {
        return set("take", k);
    }

    /**
     * The time to wait for admission.
     *
     * @param time zero: not at all; or {@link #FOREVER}
     * @return these options with that one
     */
    public Options waitFor(Duration time) {
        return set("wait", time);
    }

    /**
     * It is too soon if the last admission is more recent.
     *
     * @param time zero: never too soon; {@link #FOREVER}: once only
     * @return these options with that one
     */
    public Options ifElapsed(Duration time) {
        return set("if_elapsed", time);
    }

    /**
     * Holders that are older are stopped if they stand in the way and agreed to that.
     *
     * @param time zero: always; {@link #FOREVER}: never
     * @return these options with that one
     */
    public Options expireAfter(Duration time) {
        return set("expire_after", time);
    }

    /**
     * The time for which the lock is held at most; it needs {@link #onLost}.
     *
     * @param time the time, or {@link #FOREVER}
     * @return these options with that one
     */
    public Options maxRuntime(Duration time) {
        return set("max_runtime", time);
    }

    /**
     * The folder of named locks and atoms.
     *
     * @param folder the folder
     * @return these options with that one
     */
    public Options dir(Path folder) {
        return set("dir", folder.toString());
    }

    /**
     * Other locks to take at the same time, all or none.
     *
     * @param locks each as LOCK or N@LOCK
     * @return these options with those
     */
    public Options also(String... locks) {
        Options next = this;
        for (String lock : locks) next = next.set("also", lock);
        return next;
    }

    /**
     * A listener for the loss of the lock: a taker has it, or {@link #maxRuntime} is over. It runs
     * on a daemon thread of its own, and must not wait for a thread that closes this lock.
     *
     * @param called gets the token
     * @return these options with that one
     */
    public Options onLost(LongConsumer called) {
        return new Options(words, Objects.requireNonNull(called));
    }
}
