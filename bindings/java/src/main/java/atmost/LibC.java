package atmost;

import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;

/** What the binding needs of the C library. */
final class LibC {
    static final int EINTR = 4;
    static final short POLLIN = 1;

    static {
        Native.register(LibC.class, "c");
    }

    private LibC() {}

    static native int poll(Pointer descriptors, NativeLong count, int milliseconds);
}
