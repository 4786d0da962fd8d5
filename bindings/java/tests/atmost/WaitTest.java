package atmost;

import static atmost.Outside.awaited;
import static atmost.Outside.in;
import static atmost.Outside.waiters;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Waiting, and its end. Tests keep a holder so that nothing else can end the wait. */
class WaitTest {
    @TempDir Path folder;

    private static int threads() {
        return new File("/proc/self/task").list().length;
    }

    @Test
    void otherThreadsRunWhileOneWaits() throws Exception {
        try (Outside holder = Outside.holder(folder)) {
            FutureTask<Integer> inside =
                    new FutureTask<>(() -> awaited(folder).call(held -> Outside.run(folder)));
            new Thread(inside).start();
            Outside.eventually(() -> waiters(folder) == 1);
            System.gc(); // needs every thread to reach a safe point
            assertFalse(inside.isDone());
            holder.end();
            assertEquals(Outside.BUSY, inside.get());
        }
        assertEquals(0, Outside.run(folder));
    }

    @Test
    void anInterruptGivesThePlaceUp() throws Exception {
        try (Outside holder = Outside.holder(folder)) {
            FutureTask<Long> wait = new FutureTask<>(() -> {
                assertThrows(InterruptedException.class, awaited(folder)::acquire);
                assertFalse(Thread.currentThread().isInterrupted());
                return waiters(folder);
            });
            Thread waiter = new Thread(wait);
            waiter.start();
            Outside.eventually(() -> waiters(folder) == 1);
            waiter.interrupt();
            assertEquals(0, wait.get());
            Thread.currentThread().interrupt();
            assertThrows(InterruptedException.class, awaited(folder)::acquire);
            assertEquals(0, waiters(folder));
            holder.end();
        }
        assertEquals(0, Outside.run(folder));
    }

    @Test
    void interruptedBeforeNothingIsTaken() throws Exception {
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, new Lock("a", in(folder))::acquire);
        assertEquals(0, Outside.run(folder));
    }

    @Test
    void interruptedAfterTheAdmissionNobodyHoldsIt() throws Exception {
        byte[] name = {'a'};
        Pending pending =
                new Request(in(folder).waitFor(Options.FOREVER), name).begin();
        Outside.eventually(() -> Outside.run(folder) == Outside.BUSY);
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, pending::awaitInterruptibly);
        assertEquals(0, Outside.run(folder));
        pending.cancel(); // too late, and harmless
    }

    /** Waits for the lock "a". */
    static final class Waiter {
        public static void main(String[] arguments) throws Exception {
            awaited(Path.of(arguments[0])).acquire().close();
        }
    }

    @Test
    void sigintEndsAProgramThatWaits() throws Exception {
        try (Outside holder = Outside.holder(folder);
                Outside waiter = Outside.javaProgram(folder, Waiter.class)) {
            Outside.eventually(() -> waiters(folder) == 1);
            waiter.signal("INT");
            assertEquals(130, waiter.waitFor());
            assertEquals(0, waiters(folder));
            holder.end();
        }
        assertEquals(0, Outside.run(folder));
    }

    @Test
    void futuresWaitWithoutThreadsOfTheCommonPool() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        for (int at = 0; at < 2 * ForkJoinPool.getCommonPoolParallelism(); at++) {
            ForkJoinPool.commonPool().execute(() -> {
                try {
                    over.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
        }
        try (Outside holder = Outside.holder(folder)) {
            List<CompletableFuture<Integer>> all = new ArrayList<>();
            for (int at = 0; at < 8; at++) {
                all.add(awaited(folder).acquireAsync().thenApply(held -> {
                    try (held) {
                        return new Lock("a", in(folder)).check().held();
                    }
                }));
            }
            Outside.eventually(() -> waiters(folder) == 8);
            holder.end();
            for (CompletableFuture<Integer> one : all) assertEquals(1, one.get());
        } finally {
            over.countDown();
        }
        assertEquals(0, Outside.run(folder));
    }

    @Test
    void aFutureThatEndsOtherwiseGivesThePlaceUp() throws Exception {
        try (Outside holder = Outside.holder(folder)) {
            int before = threads();
            CompletableFuture<Held> cancelled = awaited(folder).acquireAsync();
            Outside.eventually(() -> waiters(folder) == 1);
            cancelled.cancel(true);
            assertThrows(CancellationException.class, cancelled::get);
            Outside.eventually(() -> waiters(folder) == 0);
            CompletableFuture<Held> late =
                    awaited(folder).acquireAsync().orTimeout(20, TimeUnit.MILLISECONDS);
            ExecutionException failed = assertThrows(ExecutionException.class, late::get);
            assertInstanceOf(TimeoutException.class, failed.getCause());
            // orTimeout() has one thread that stays.
            Outside.eventually(() -> waiters(folder) == 0 && threads() <= before + 1);
            holder.end();
        }
        assertEquals(0, Outside.run(folder));
    }

    @Test
    void cancelledAtAnyMomentNothingStaysHeld() throws Exception {
        for (int at = 0; at < 200; at++) {
            CompletableFuture<Held> future = awaited(folder).acquireAsync();
            Thread.sleep(0, at * 5_000);
            if (!future.cancel(true)) future.get().close();
        }
        awaited(folder).acquire().close();
        assertEquals(List.of(), new Lock("a", in(folder)).list());
    }

    @Test
    void interruptedAtAnyMomentNothingStaysHeld() throws Exception {
        for (int at = 0; at < 200; at++) {
            Thread taker = new Thread(() -> {
                try {
                    awaited(folder).acquire().close();
                } catch (InterruptedException e) {
                    return;
                }
            });
            taker.start();
            Thread.sleep(0, at * 5_000);
            taker.interrupt();
            taker.join();
        }
        awaited(folder).acquire().close();
        assertEquals(List.of(), new Lock("a", in(folder)).list());
    }
}
