package atmost;

import static atmost.Outside.in;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Locks that are lost, as a thread of the library reports. */
class LostTest {
    private static final Duration SOON = Duration.ofMillis(50);

    @TempDir Path folder;

    @Test
    void toAnotherProcess() throws Exception {
        CompletableFuture<Long> lost = new CompletableFuture<>();
        try (Held held = new Lock("a", in(folder).onLost(lost::complete)).acquire()) {
            assertEquals(Outside.BUSY, Outside.run(folder));
            assertEquals(0, Outside.run(folder, "--expire-after=0", "--wait=300"));
            assertEquals(held.token(), lost.get());
            assertFalse(held.isHeld());
        }
    }

    @Test
    void afterMaxRuntimeOnADaemonThread() throws Exception {
        CompletableFuture<Thread> on = new CompletableFuture<>();
        Options options = in(folder).maxRuntime(SOON)
                .onLost(token -> on.complete(Thread.currentThread()));
        try (Held held = new Lock("a", options).acquire()) {
            assertTrue(on.get().isDaemon());
            assertFalse(held.isHeld());
            assertEquals(0, Outside.run(folder));
        }
    }

    @Test
    void eachListenerIsToldItsToken() throws Exception {
        CompletableFuture<Long> first = new CompletableFuture<>();
        CompletableFuture<Long> second = new CompletableFuture<>();
        Options options = in(folder).maxRuntime(SOON);
        try (Held one = new Lock("a", options.onLost(first::complete)).acquire();
                Held two = new Lock("b", options.onLost(second::complete)).acquireAsync().get()) {
            System.gc(); // objects that only the library refers to must stay
            assertEquals(one.token(), first.get());
            assertEquals(two.token(), second.get());
        }
    }

    @Test
    void whatItThrowsIsReported() throws Exception {
        CompletableFuture<Throwable> seen = new CompletableFuture<>();
        RuntimeException thrown = new IllegalStateException("thrown by onLost");
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> seen.complete(error));
        Options options = in(folder).maxRuntime(SOON).onLost(token -> {
            throw thrown;
        });
        try (Held held = new Lock("a", options).acquire()) {
            assertSame(thrown, seen.get());
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    @Test
    void itMayCloseTheLock() throws Exception {
        CompletableFuture<Held> held = new CompletableFuture<>();
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        Options options = in(folder).maxRuntime(SOON).onLost(token -> {
            held.join().close();
            closed.complete(true);
        });
        held.complete(new Lock("a", options).acquire());
        assertTrue(closed.get());
        held.get().close();
    }

    @Test
    void itMayAskWhileAnotherThreadCloses() throws Exception {
        CompletableFuture<Held> held = new CompletableFuture<>();
        CountDownLatch called = new CountDownLatch(1);
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        Options options = in(folder).maxRuntime(SOON).onLost(token -> {
            called.countDown();
            try {
                Thread.sleep(50); // close() has begun by then, mostly
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            answer.complete(held.join().isHeld());
        });
        held.complete(new Lock("a", options).acquire());
        called.await();
        held.get().close();
        assertFalse(answer.get());
    }
}
