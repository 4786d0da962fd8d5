package atmost;

import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.Structure.FieldOrder;

/** The structs of atmost.h. JNA reads and writes them only if they are public. */
final class Structs {
    private Structs() {}

    /** The struct atmost_options; at first ATMOST_DEFAULTS. */
    @FieldOrder({
        "size", "max", "take", "wait", "if_elapsed", "expire_after", "kill_grace", "now",
        "directory", "id", "mode", "may_be_killed", "on_lost", "context", "log", "no_history",
        "interruptible", "wait_mask", "sharing", "on_busy", "elapsed_from", "wait_too_soon",
        "max_hold", "also", "trust_fs", "no_learn", "rate", "queue_max",
        "store"
    })
    public static final class NativeOptions extends Structure {
        public NativeLong size;
        public int max = 1;
        public int take = 1;
        public double wait = 0;
        public double if_elapsed = 0;
        public double expire_after = Double.POSITIVE_INFINITY;
        public double kill_grace = 2;
        public double now = -1;
        public Pointer directory;
        public Pointer id;
        public int mode = 0600;
        public int may_be_killed = 0;
        public LibAtmost.OnLost on_lost;
        public Pointer context;
        public Pointer log;
        public int no_history = 0;
        public int interruptible = 0;
        public Pointer wait_mask;
        public int sharing = 0;
        public int on_busy = 0;
        public int elapsed_from = 0;
        public int wait_too_soon = 0;
        public double max_hold = Double.POSITIVE_INFINITY;
        public Pointer also;
        public int trust_fs = 0;
        public int no_learn = 0;
        public Pointer rate;
        public int queue_max = -1;
        public Pointer store;

        NativeOptions() {
            size = new NativeLong(size());
        }
    }

    /** The struct atmost_entry, as the library shows it to a callback. */
    @FieldOrder({
        "size", "state", "slot", "position", "max", "pid", "kept_for", "user", "token", "start",
        "age", "expires", "id", "command", "verified"
    })
    public static final class NativeEntry extends Structure {
        public NativeLong size;
        public Pointer state;
        public int slot;
        public int position;
        public int max;
        public long pid;
        public long kept_for;
        public long user;
        public long token;
        public double start;
        public double age;
        public double expires;
        public Pointer id;
        public Pointer command;
        public int verified;

        NativeEntry() {}

        NativeEntry(Pointer address) {
            super(address);
            read();
        }
    }
}
