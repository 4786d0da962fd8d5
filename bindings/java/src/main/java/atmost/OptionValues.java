package atmost;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/** What Options has, in units of the C library. */
final class OptionValues implements Cloneable {
    int max = 1;
    int take = 1;
    double wait = 0;
    double ifElapsed = 0;
    double expireAfter = Double.POSITIVE_INFINITY;
    double killGrace = 2;
    double now = -1;
    byte[] directory;
    byte[] id;
    int mode = 0600;
    int mayBeKilled = 0;
    LongConsumer onLost;
    byte[] log;
    boolean noHistory;
    Sharing sharing = Sharing.PLAIN;
    OnBusy onBusy = OnBusy.FAIL;
    ElapsedFrom elapsedFrom = ElapsedFrom.START;
    boolean waitTooSoon;
    double maxHold = Double.POSITIVE_INFINITY;
    byte[][] also = {};
    boolean trustFs;
    boolean noLearn;
    byte[] rate;
    int queueMax = -1;
    byte[] store;

    OptionValues copy() {
        try {
            return (OptionValues) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** In C, as long as this value is referred to. */
    static final class InC {
        private final Structs.NativeOptions struct = new Structs.NativeOptions();
        private final List<Memory> texts = new ArrayList<>();

        InC(OptionValues from) {
            struct.max = from.max;
            struct.take = from.take;
            struct.wait = from.wait;
            struct.if_elapsed = from.ifElapsed;
            struct.expire_after = from.expireAfter;
            struct.kill_grace = from.killGrace;
            struct.now = from.now;
            struct.directory = text(from.directory);
            struct.id = text(from.id);
            struct.mode = from.mode;
            struct.may_be_killed = from.mayBeKilled;
            struct.log = text(from.log);
            struct.no_history = from.noHistory ? 1 : 0;
            struct.sharing = from.sharing.ordinal(); // the enums are in the order of atmost.h
            struct.on_busy = from.onBusy.ordinal();
            struct.elapsed_from = from.elapsedFrom.ordinal();
            struct.wait_too_soon = from.waitTooSoon ? 1 : 0;
            struct.max_hold = from.maxHold;
            struct.also = texts(from.also);
            struct.trust_fs = from.trustFs ? 1 : 0;
            struct.no_learn = from.noLearn ? 1 : 0;
            struct.rate = text(from.rate);
            struct.queue_max = from.queueMax;
            struct.store = text(from.store);
            if (from.onLost != null) {
                struct.on_lost = Notices.CALLED;
                struct.context = Notices.contextOf(from.onLost, this);
            }
            struct.write();
        }

        Pointer address() {
            return struct.getPointer();
        }

        private Pointer text(byte[] text) {
            Memory memory = Text.inC(text);
            if (memory != null) texts.add(memory);
            return memory;
        }

        private Pointer texts(byte[][] all) {
            if (all.length == 0) return null;
            Memory array = new Memory((all.length + 1L) * Native.POINTER_SIZE);
            for (int at = 0; at < all.length; at++) {
                array.setPointer((long) at * Native.POINTER_SIZE, text(all[at]));
            }
            array.setPointer((long) all.length * Native.POINTER_SIZE, null);
            texts.add(array);
            return array;
        }
    }
}
