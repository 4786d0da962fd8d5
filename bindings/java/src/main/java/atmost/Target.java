package atmost;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A name and options, as the functions of the library take them. */
final class Target {
    private final Memory[] name; // one part, or three of an atom
    private final OptionValues.InC options;

    private Target(Memory[] name, OptionValues options) {
        this.name = name;
        this.options = new OptionValues.InC(options);
    }

    static Target of(OptionValues options, byte[]... name) {
        Memory[] parts = new Memory[name.length];
        for (int at = 0; at < name.length; at++) parts[at] = Text.inC(name[at]);
        return new Target(parts, options);
    }

    Target with(OptionValues other) {
        return new Target(name, other);
    }

    Held take() {
        Pointer out = LibAtmost.out();
        int answer =
                name.length == 1
                        ? LibAtmost.atmost_get(name[0], options.address(), out)
                        : LibAtmost.atmost_get_atom(
                                name[0], name[1], name[2], options.address(), out);
        Held held = new Held(LibAtmost.written(answer), options);
        Reference.reachabilityFence(this);
        return held;
    }

    Request begin() {
        Pointer out = LibAtmost.out();
        int answer =
                name.length == 1
                        ? LibAtmost.atmost_begin(name[0], options.address(), out)
                        : LibAtmost.atmost_begin_atom(
                                name[0], name[1], name[2], options.address(), out);
        Request request = new Request(LibAtmost.written(answer), options);
        Reference.reachabilityFence(this);
        return request;
    }

    private Memory onePart() {
        if (name.length != 1) throw new UsageException("an atom cannot be looked at");
        return name[0];
    }

    List<Entry> list() {
        List<Entry> entries = new ArrayList<>();
        LibAtmost.Each each =
                (context, entry) -> {
                    entries.add(Entry.of(new Structs.NativeEntry(entry)));
                    return 0;
                };
        int answer = LibAtmost.atmost_list(onePart(), options.address(), each, null);
        Reference.reachabilityFence(this);
        if (answer != LibAtmost.ADMITTED) throw AtmostException.ofLastCall(answer);
        return entries;
    }

    Check check() {
        int[] held = new int[1];
        int answer = LibAtmost.atmost_check(onePart(), options.address(), held);
        Reference.reachabilityFence(this);
        if (answer == LibAtmost.ADMITTED) return new Check(true, held[0], "", Duration.ZERO);
        AtmostException refusal = AtmostException.ofLastCall(answer);
        if (!(refusal instanceof RefusedException)) throw refusal;
        return new Check(false, held[0], refusal.why(), refusal.retryIn());
    }
}
