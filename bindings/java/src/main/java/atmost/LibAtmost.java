package atmost;

import com.sun.jna.Callback;
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.Map;

/** The functions of atmost.h, which has their promises. */
final class LibAtmost {
    static final int ADMITTED = 0;

    // ATMOST_API_VERSION of the header that this package was written from.
    private static final int NEEDED_VERSION = 1;
    private static final String LIBRARY = "libatmost.so.1";
    // With its class loader JNA would close the library, whose threads may still run.
    private static final int RTLD_NOW_NODELETE = 0x1002;

    private static final ThreadLocal<Memory> OUT =
            ThreadLocal.withInitial(() -> new Memory(Native.POINTER_SIZE));

    static {
        Native.register(LibAtmost.class, library());
        int version = atmost_api_version();
        if (version < NEEDED_VERSION) {
            throw new UnsatisfiedLinkError(
                    LIBRARY + " has API version " + version + "; " + NEEDED_VERSION + " is needed");
        }
    }

    private LibAtmost() {}

    private static NativeLibrary library() {
        try {
            return NativeLibrary.getInstance(
                    place(), Map.of(Library.OPTION_OPEN_FLAGS, RTLD_NOW_NODELETE));
        } catch (UnsatisfiedLinkError error) {
            throw (UnsatisfiedLinkError)
                    new UnsatisfiedLinkError(
                                    LIBRARY
                                            + " cannot be loaded: is it installed? Then run"
                                            + " ldconfig as root, or name its folder in"
                                            + " LD_LIBRARY_PATH")
                            .initCause(error);
        }
    }

    // The library in this jar's own prefix; else the one that the dynamic linker finds.
    private static String place() {
        CodeSource source = LibAtmost.class.getProtectionDomain().getCodeSource();
        if (source == null || !"file".equals(source.getLocation().getProtocol())) return LIBRARY;
        Path folder = Path.of(URI.create(source.getLocation().toString())).getParent();
        if (folder == null || !folder.endsWith("share/java")) return LIBRARY;
        for (String lib : List.of("lib", "lib64")) {
            Path file = folder.resolve("../..").resolve(lib).resolve(LIBRARY).normalize();
            if (Files.exists(file)) return file.toString();
        }
        return LIBRARY;
    }

    /** The function that a taker, or the end of max_runtime, calls on a thread of the library. */
    interface OnLost extends Callback {
        void invoke(Pointer context, long token);
    }

    /** The function that atmost_list() calls for each entry. */
    interface Each extends Callback {
        int invoke(Pointer context, Pointer entry);
    }

    /** This thread's place for a pointer that a function writes; valid until the next call. */
    static Memory out() {
        return OUT.get();
    }

    /** The pointer that was written there; an exception if `answer` is not an admission. */
    static Pointer written(int answer) {
        if (answer != ADMITTED) throw AtmostException.ofLastCall(answer);
        return out().getPointer(0);
    }

    static native int atmost_api_version();

    static native int atmost_may_be_killed(int agreed);

    static native Pointer atmost_new(Pointer lock);

    static native Pointer atmost_new_atom(Pointer operator, Pointer operand);

    static native void atmost_free(Pointer request);

    static native int atmost_set(Pointer request, Pointer option, Pointer value);

    static native int atmost_set_seconds(Pointer request, Pointer option, double seconds);

    static native int atmost_set_number(Pointer request, Pointer option, long number);

    static native int atmost_set_on_lost(Pointer request, OnLost onLost, Pointer context);

    static native int atmost_waits(Pointer request);

    static native int atmost_get(Pointer request, Pointer lock);

    static native int atmost_begin(Pointer request, Pointer pending);

    static native int atmost_answered(Pointer pending);

    static native int atmost_descriptor(Pointer pending);

    static native void atmost_cancel(Pointer pending);

    static native int atmost_finish(Pointer pending, Pointer lock);

    static native void atmost_release(Pointer lock, int success);

    static native long atmost_token(Pointer lock);

    static native int atmost_slot(Pointer lock);

    static native int atmost_held(Pointer lock);

    static native int atmost_list(Pointer request, Each each, Pointer context);

    static native int atmost_check(Pointer request, int[] held);

    static native Pointer atmost_message();

    static native double atmost_retry_in();

    static native Pointer atmost_why();
}
