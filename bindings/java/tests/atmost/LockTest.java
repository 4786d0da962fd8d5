package atmost;

import static atmost.Outside.in;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Taking, looking, letting go. */
class LockTest {
    private static final String[] ONCE = {"--if-elapsed=900", "--elapsed-from=success"};

    @TempDir Path folder;

    @Test
    void successIsSeenFromOutside() throws Exception {
        Lock lock = new Lock("a", in(folder));
        assertThrows(IllegalStateException.class, () -> lock.run(held -> {
            assertEquals(Outside.BUSY, Outside.run(folder));
            throw new IllegalStateException();
        }));
        assertEquals(1, Outside.runCommand(folder, "false", ONCE));
        assertEquals("done", lock.call(held -> "done"));
        assertEquals(Outside.TOO_SOON, Outside.runCommand(folder, "false", ONCE));
    }

    @Test
    void closedAloneIsNoSuccess() throws Exception {
        Lock lock = new Lock("a", in(folder)
                .ifElapsed(Duration.ofMinutes(15)).set("elapsed_from", "success"));
        lock.acquire().close();
        Held kept;
        try (Held held = lock.acquire()) {
            kept = held;
            assertTrue(held.isHeld());
            held.succeeded();
        }
        assertFalse(kept.isHeld());
        kept.close();
        TooSoonException soon = assertThrows(TooSoonException.class, lock::acquire);
        assertTrue(soon.retryIn().compareTo(Duration.ofSeconds(890)) > 0);
        assertEquals(Outside.TOO_SOON, soon.answer());
        assertTrue(lock.tryAcquire().isEmpty());
        assertEquals("too_soon", lock.check().why());
    }

    @Test
    void tryAcquireDoesNotWait() throws Exception {
        try (Outside holder = Outside.holder(folder)) {
            assertTrue(Outside.awaited(folder).tryAcquire().isEmpty());
            holder.end();
        }
        Outside.awaited(folder).tryAcquire().orElseThrow().close();
        assertThrows(UsageException.class, () -> in(folder).max(0));
    }

    @Test
    void listAndCheck() throws Exception {
        Lock lock = new Lock("a", in(folder));
        assertEquals(List.of(), lock.list());
        assertEquals(new Check(true, 0, "", Duration.ZERO), lock.check());
        try (Outside holder = Outside.holder(folder)) {
            List<Entry> entries = lock.list();
            assertEquals(1, entries.size());
            Entry one = entries.get(0);
            assertEquals("held", one.state());
            assertEquals(1, one.slot().getAsInt());
            assertTrue(one.verified() && one.position().isEmpty() && one.keptFor().isEmpty());
            assertNotEquals(ProcessHandle.current().pid(), one.pid().getAsLong());
            assertEquals(Options.FOREVER, one.expires());
            assertTrue(one.start().orElseThrow().getEpochSecond() > 1_000_000_000);
            assertFalse(one.age().orElseThrow().isNegative());
            Check busy = lock.check();
            assertEquals(new Check(false, 1, "no_slot", busy.retryIn()), busy);
            holder.end();
        }
        try (Held held = new Lock("a", in(folder).set("id", "me")).acquire()) {
            assertEquals("me", lock.list().get(0).id());
            assertEquals(held.token(), lock.list().get(0).token().getAsLong());
        }
    }

    @Test
    void aLockIsTheHolderUntilItsRelease() throws Exception {
        Lock lock = new Lock("a", in(folder).max(2));
        lock.acquire();
        lock.acquireAsync().get();
        System.gc();
        assertEquals(2, lock.check().held());
        lock.release();
        assertEquals(1, lock.check().held());
        lock.release(false);
        assertEquals(0, Outside.run(folder));
        assertThrows(UsageException.class, lock::release);
        lock.acquire().close();
        assertThrows(UsageException.class, lock::release);
    }

    @Test
    void wrongArguments() throws Exception {
        byte[] withNul = {97, 0, 98};
        List<Executable> wrong = List.of(
                () -> new Lock("a\0b", in(folder)),
                () -> new Lock(withNul, in(folder)),
                () -> new Lock(new Atom("edit\0", "b"), in(folder)),
                () -> new Lock("\ud800", in(folder)),
                () -> new Lock("a", in(folder).set("id", "x\0y")),
                () -> new Lock("a", in(folder).also("b", "c\0")),
                () -> new Lock("a", in(folder).set("also", withNul)),
                () -> in(folder).max(-1),
                () -> in(folder).waitFor(Duration.ofSeconds(-5)),
                () -> in(folder).ifElapsed(Duration.ofSeconds(4).minusSeconds(5)),
                () -> in(folder).set("waitt", 1),
                () -> new Lock("a", in(folder).maxRuntime(Duration.ofSeconds(1))).acquire());
        for (Executable one : wrong) {
            assertEquals(64, assertThrows(UsageException.class, one).answer());
        }
        assertThrows(NullPointerException.class, () -> new Lock((String) null));
        Atom half = new Atom("edit", null);
        assertThrows(NullPointerException.class, () -> new Lock(half, in(folder)));
        Lock nowhere = new Lock(Path.of("/proc/none/a"), in(folder));
        AtmostException none = assertThrows(AtmostException.class, nowhere::acquire);
        assertFalse(none instanceof RefusedException);
        assertEquals(0, Outside.run(folder));
    }

    @Test
    void namesAreBytes() throws Exception {
        byte[] noUtf8 = {97, (byte) 255, 10, 98};
        Map<String, byte[]> names = Map.of(
                "a\\nb", "a\nb".getBytes(StandardCharsets.UTF_8), "a\\377\\nb", noUtf8,
                "\\303\\244", "\u00e4".getBytes(StandardCharsets.UTF_8));
        for (Map.Entry<String, byte[]> one : names.entrySet()) {
            Callable<Integer> run = () -> Outside.status(folder, "sh", "-c",
                    "atmost run -q \"$(printf \"$1\")\" -- true", "sh", one.getKey());
            try (Held held = new Lock(one.getValue(), in(folder)).acquire()) {
                assertEquals(Outside.BUSY, run.call());
                if (one.getKey().startsWith("a\\n")) {
                    assertThrows(BusyException.class, new Lock("a\nb", in(folder))::acquire);
                }
            }
            assertEquals(0, run.call());
        }
        try (Held held = new Lock("\u00e4", in(folder).also("b")).acquire()) {
            Lock same = new Lock(names.get("\\303\\244"), in(folder));
            assertThrows(BusyException.class, same::acquire);
            byte[] other = {98};
            assertThrows(BusyException.class, new Lock("c", in(folder).set("also", other))::acquire);
        }
    }

    @Test
    void pathsAreFiles() throws Exception {
        Path file = folder.resolve("file.lock");
        try (Held held = new Lock(file, in(folder.resolve("elsewhere"))).acquire()) {
            assertThrows(BusyException.class, new Lock(file.toString())::acquire);
        }
        assertTrue(file.toFile().exists());
    }

    @Test
    void threadsExcludeEachOther() throws Exception {
        Lock lock = new Lock("a", in(folder));
        try (Held held = lock.acquire()) {
            FutureTask<Boolean> other = new FutureTask<>(() -> lock.tryAcquire().isEmpty());
            new Thread(other).start();
            assertTrue(other.get());
            Thread closes = new Thread(held::close);
            closes.start();
            closes.join();
            assertEquals(0, Outside.run(folder));
        }
    }

    @Test
    void programsThatAreStartedShareNoLock() throws Exception {
        Held held = new Lock("a", in(folder).onLost(token -> {})).acquire();
        try (Outside child = Outside.start(folder, "sh", "-c", "echo in; read line")) {
            child.expect("in");
            held.close();
            assertEquals(0, Outside.run(folder));
        }
    }

    private void takeAndForget() throws Exception {
        Held held = new Lock("a", in(folder).onLost(token -> {})).acquire();
        assertEquals(Outside.BUSY, Outside.run(folder));
        held.succeeded(); // but it is not closed by the program
    }

    @Test
    void whatNobodyRefersToIsReleasedAsNoSuccess() throws Exception {
        takeAndForget();
        Outside.eventually(() -> {
            System.gc();
            return Outside.runCommand(folder, "false", ONCE) != Outside.BUSY;
        });
        assertEquals(1, Outside.runCommand(folder, "false", ONCE));
    }

    /** Holds the lock "a" until it is ended. */
    static final class Holder {
        public static void main(String[] arguments) throws Exception {
            if (arguments.length > 1) assertFalse(Lock.mayBeKilled(true));
            Held held = new Lock("a", in(Path.of(arguments[0]))).acquire();
            System.out.println("in");
            Thread.sleep(Long.MAX_VALUE);
            held.close();
        }
    }

    @Test
    void nothingIsLeftOfAHolderThatIsKilled() throws Exception {
        Lock overdue = new Lock("a", in(folder)
                .expireAfter(Duration.ZERO).set("kill_grace", Duration.ofMillis(200)));
        try (Outside holder = Outside.javaProgram(folder, Holder.class)) {
            holder.expect("in");
            assertEquals("immune", assertThrows(BusyException.class, overdue::acquire).why());
            holder.signal("KILL");
            holder.waitFor();
        }
        new Lock("a", in(folder)).acquire().close();
        assertEquals(List.of(), new Lock("a", in(folder)).list());
    }

    @Test
    void anOverdueHolderThatAgreedIsStopped() throws Exception {
        Lock overdue = new Lock("a", in(folder)
                .expireAfter(Duration.ZERO).set("kill_grace", Duration.ofMillis(200)));
        try (Outside holder = Outside.javaProgram(folder, Holder.class, "agrees")) {
            holder.expect("in");
            overdue.acquire().close();
            assertTrue(holder.waitFor() > 128);
        }
    }
}
