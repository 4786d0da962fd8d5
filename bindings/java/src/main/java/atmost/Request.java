package atmost;

import com.sun.jna.Pointer;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A request of the library: a name and options. Any number of threads may ask at a time. */
final class Request {
    private final Pointer request;

    /** The name, or the operator, operand and host (null: this one) of an atom. */
    Request(Options options, byte[]... name) {
        Pointer made =
                name.length == 1
                        ? LibAtmost.atmost_new(Text.inC(name[0]))
                        : LibAtmost.atmost_new_atom(Text.inC(name[0]), Text.inC(name[1]));
        request = made;
        Held.CLEANER.register(this, () -> LibAtmost.atmost_free(made));
        if (name.length > 1 && name[2] != null) set(made, new Options.Word("host", name[2]));
        for (Options.Word word : options.words()) set(made, word);
        if (options.listener() == null) return;
        Pointer context = Notices.contextOf(options.listener(), this);
        LibAtmost.atmost_set_on_lost(made, Notices.CALLED, context);
    }

    private static void set(Pointer request, Options.Word word) {
        Pointer option = Text.inC(Text.encode(word.option()));
        int answer;
        if (word.value() instanceof Double seconds) {
            answer = LibAtmost.atmost_set_seconds(request, option, seconds);
        } else if (word.value() instanceof Long number) {
            answer = LibAtmost.atmost_set_number(request, option, number);
        } else {
            answer = LibAtmost.atmost_set(request, option, Text.inC((byte[]) word.value()));
        }
        Reference.reachabilityFence(option);
        if (answer != LibAtmost.ADMITTED) throw AtmostException.ofLastCall(answer);
    }

    /** True if the option can have that value. */
    static void check(Options.Word word) {
        Pointer request = LibAtmost.atmost_new(Text.inC(new byte[] {'a'}));
        try {
            set(request, word);
        } finally {
            LibAtmost.atmost_free(request);
        }
    }

    /** True if take() may block. */
    boolean waits() {
        boolean waits = LibAtmost.atmost_waits(request) != 0;
        Reference.reachabilityFence(this);
        return waits;
    }

    Held take() {
        int answer = LibAtmost.atmost_get(request, LibAtmost.out());
        Held held = new Held(LibAtmost.written(answer), this);
        Reference.reachabilityFence(this);
        return held;
    }

    Pending begin() {
        int answer = LibAtmost.atmost_begin(request, LibAtmost.out());
        Pending pending = new Pending(LibAtmost.written(answer), this);
        Reference.reachabilityFence(this);
        return pending;
    }

    List<Entry> list() {
        List<Entry> entries = new ArrayList<>();
        LibAtmost.Each each =
                (context, entry) -> {
                    entries.add(Entry.of(new Structs.NativeEntry(entry)));
                    return 0;
                };
        int answer = LibAtmost.atmost_list(request, each, null);
        Reference.reachabilityFence(this);
        if (answer != LibAtmost.ADMITTED) throw AtmostException.ofLastCall(answer);
        return entries;
    }

    Check check() {
        int[] held = new int[1];
        int answer = LibAtmost.atmost_check(request, held);
        Reference.reachabilityFence(this);
        if (answer == LibAtmost.ADMITTED) return new Check(true, held[0], "", Duration.ZERO);
        AtmostException refusal = AtmostException.ofLastCall(answer);
        if (!(refusal instanceof RefusedException)) throw refusal;
        return new Check(false, held[0], refusal.why(), refusal.retryIn());
    }
}
