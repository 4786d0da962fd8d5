package atmost;

import com.sun.jna.CallbackThreadInitializer;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * The listeners for lost locks. The library calls one function that is never freed, with a number
 * for a context: a function that JNA made for an object could be freed while the library is still
 * in it.
 */
final class Notices {
    private static final Map<Long, LongConsumer> LISTENERS = new ConcurrentHashMap<>();
    private static final AtomicLong LAST = new AtomicLong();

    static final LibAtmost.OnLost CALLED = Notices::lost;

    static {
        Native.setCallbackThreadInitializer(
                CALLED, new CallbackThreadInitializer(true, true, "atmost onLost"));
    }

    private Notices() {}

    /** The context by which `listener` is found as long as `user` is referred to. */
    static Pointer contextOf(LongConsumer listener, Object user) {
        long number = LAST.incrementAndGet();
        LISTENERS.put(number, listener);
        Held.CLEANER.register(user, () -> LISTENERS.remove(number));
        return new Pointer(number);
    }

    private static void lost(Pointer context, long token) {
        LongConsumer listener = LISTENERS.get(Pointer.nativeValue(context));
        if (listener == null) return;
        try {
            listener.accept(token);
        } catch (Throwable thrown) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        }
    }
}
