package atmost;

import com.sun.jna.Callback;
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.util.Map;

/** The functions of atmost.h, which has their promises. */
final class LibAtmost {
    static final int ADMITTED = 0;

    // ATMOST_API_VERSION of the header that this package was written from.
    private static final int NEEDED_VERSION = 5;
    private static final String LIBRARY = "libatmost.so.1";
    // With its class loader JNA would close the library, whose threads may still run.
    private static final int RTLD_NOW_NODELETE = 0x1002;

    private static final ThreadLocal<Memory> OUT =
            ThreadLocal.withInitial(() -> new Memory(Native.POINTER_SIZE));

    static {
        Native.register(
                LibAtmost.class,
                NativeLibrary.getInstance(
                        LIBRARY, Map.of(Library.OPTION_OPEN_FLAGS, RTLD_NOW_NODELETE)));
        int version = atmost_api_version();
        if (version < NEEDED_VERSION) {
            throw new UnsatisfiedLinkError(
                    LIBRARY + " has API version " + version + "; " + NEEDED_VERSION + " is needed");
        }
    }

    private LibAtmost() {}

    /** What a taker, or the end of max_hold, calls on a thread of the library. */
    interface OnLost extends Callback {
        void invoke(Pointer context, long token);
    }

    /** What atmost_list() calls for each entry. */
    interface Each extends Callback {
        int invoke(Pointer context, Pointer entry);
    }

    /** Where a function writes a pointer. This thread's; it may be read until the next call. */
    static Memory out() {
        return OUT.get();
    }

    /** What was written there; an exception if `answer` is no admission. */
    static Pointer written(int answer) {
        if (answer != ADMITTED) throw AtmostException.ofLastCall(answer);
        return out().getPointer(0);
    }

    static native int atmost_api_version();

    static native int atmost_may_be_killed(int agreed);

    static native int atmost_get(Pointer name, Pointer options, Pointer lock);

    static native int atmost_get_atom(
            Pointer operator, Pointer operand, Pointer host, Pointer options, Pointer lock);

    static native int atmost_begin(Pointer name, Pointer options, Pointer request);

    static native int atmost_begin_atom(
            Pointer operator, Pointer operand, Pointer host, Pointer options, Pointer request);

    static native int atmost_answered(Pointer request);

    static native int atmost_descriptor(Pointer request);

    static native void atmost_cancel(Pointer request);

    static native int atmost_finish(Pointer request, Pointer lock);

    static native void atmost_release(Pointer lock, int success);

    static native long atmost_token(Pointer lock);

    static native int atmost_slot(Pointer lock);

    static native int atmost_held(Pointer lock);

    static native int atmost_list(Pointer name, Pointer options, Each each, Pointer context);

    static native int atmost_check(Pointer name, Pointer options, int[] held);

    static native Pointer atmost_message();

    static native double atmost_retry_in();

    static native Pointer atmost_why();
}
