package atmost;

import com.sun.jna.Pointer;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;

/**
 * An admission. It ends by {@link #close()}, or with the process; also when nobody refers to it or
 * its Lock any more, some time later, as unsuccessful. Any thread may use it and close it.
 */
public final class Held implements AutoCloseable {
    static final Cleaner CLEANER = Cleaner.create();

    private final Admission admission;
    private final Cleaner.Cleanable cleanable;
    private final long token;
    private final int slot;
    private volatile boolean success;
    private volatile Runnable forget = () -> {};

    Held(Pointer lock, Object alive) {
        token = LibAtmost.atmost_token(lock);
        slot = LibAtmost.atmost_slot(lock);
        admission = new Admission(lock, alive);
        cleanable = CLEANER.register(this, admission);
    }

    /** `known` is called at the end. */
    Held forgottenBy(Runnable known) {
        forget = known;
        return this;
    }

    /** Does not refer to the Held, so that one can be collected. */
    private static final class Admission implements Runnable {
        private final Object alive; // the object that onLost refers to
        private Pointer lock;

        Admission(Pointer lock, Object alive) {
            this.lock = lock;
            this.alive = alive;
        }

        synchronized boolean isHeld() {
            return lock != null && LibAtmost.atmost_held(lock) != 0;
        }

        private synchronized Pointer take() {
            Pointer taken = lock;
            lock = null;
            return taken;
        }

        // Not synchronized: atmost_release() waits for an onLost that runs, and that may ask.
        void release(boolean success) {
            Pointer taken = take();
            if (taken != null) LibAtmost.atmost_release(taken, success ? 1 : 0);
            Reference.reachabilityFence(alive);
        }

        @Override
        public void run() {
            release(false);
        }
    }

    /**
     * {@return the fencing token: greater than that of every earlier admission; compare it by
     * {@link Long#compareUnsigned}}
     */
    public long token() {
        return token;
    }

    /** {@return the first slot, from 1} */
    public int slot() {
        return slot;
    }

    /** {@return false once it is closed, or a taker has it} */
    public boolean isHeld() {
        boolean held = admission.isHeld();
        Reference.reachabilityFence(this);
        return held;
    }

    /** Notes that the work succeeded, for callers that count from the last success. */
    public void succeeded() {
        success = true;
    }

    /**
     * Frees the lock; another call does nothing. The work counts as unsuccessful unless {@link
     * #succeeded()} was called. Waits for an onLost that is being called, unless that calls it.
     */
    @Override
    public void close() {
        admission.release(success);
        cleanable.clean();
        forget.run();
    }
}
