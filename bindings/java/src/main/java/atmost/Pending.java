package atmost;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.channels.spi.AbstractInterruptibleChannel;

/**
 * A request that waits for its answer, on a thread of the library. It is a channel because
 * Thread.interrupt() at once closes a channel that its thread is blocked on.
 */
final class Pending extends AbstractInterruptibleChannel {
    private static final int POLLFD_SIZE = 8;
    private static final int EVENTS = 4;
    private static final int FOREVER = -1;

    private final Object alive;
    private Pointer pending; // null: finished

    Pending(Pointer pending, Object alive) {
        this.pending = pending;
        this.alive = alive;
    }

    /** Ends the wait soon; a takeover that has begun is finished first. */
    synchronized void cancel() {
        if (pending != null) LibAtmost.atmost_cancel(pending);
    }

    @Override
    protected void implCloseChannel() {
        cancel();
    }

    /** Blocks until finish() will not. */
    void await() {
        if (LibAtmost.atmost_answered(pending) != 0) return;
        Memory descriptor = new Memory(POLLFD_SIZE);
        descriptor.setInt(0, LibAtmost.atmost_descriptor(pending));
        descriptor.setInt(EVENTS, 0);
        descriptor.setShort(EVENTS, LibC.POLLIN);
        NativeLong one = new NativeLong(1);
        while (LibC.poll(descriptor, one, FOREVER) < 0 && Native.getLastError() == LibC.EINTR) {
            continue;
        }
    }

    /** The same. If the thread is interrupted, the request is cancelled, and ends unused. */
    void awaitInterruptibly() throws InterruptedException {
        try {
            try {
                begin();
                await();
            } finally {
                end(true);
            }
        } catch (IOException interrupted) { // only by end()
            Thread.interrupted();
            abandon();
            throw new InterruptedException();
        }
    }

    private synchronized Pointer take() {
        Pointer taken = pending;
        pending = null;
        return taken;
    }

    /** To be called once. */
    Held finish() {
        Pointer taken = take();
        return new Held(
                LibAtmost.written(LibAtmost.atmost_finish(taken, LibAtmost.out())), alive);
    }

    /** In place of finish(). */
    void abandon() {
        cancel();
        try {
            finish().close();
        } catch (AtmostException refused) {
            return; // expected after the cancel
        }
    }
}
