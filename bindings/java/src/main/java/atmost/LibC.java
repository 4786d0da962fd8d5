package atmost;

import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;

/** The functions of the C library that the binding needs. */
final class LibC {
    static final int EINTR = 4;
    static final short POLLIN = 1;

    static {
        Native.register(LibC.class, "c");
    }

    private LibC() {}

    static native int poll(Pointer descriptors, NativeLong count, int milliseconds);
}
