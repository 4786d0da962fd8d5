package atmost;

import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.Structure.FieldOrder;

/** The struct of atmost.h. JNA reads it only if it is public. */
final class Structs {
    private Structs() {}

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
