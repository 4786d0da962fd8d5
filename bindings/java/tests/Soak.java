import atmost.BusyException;
import atmost.Held;
import atmost.Lock;
import atmost.Options;
import atmost.Outside;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Takes of one lock by processes that are killed all the while.
 *
 * <p>Each worker that is in also takes a POSIX record lock (which is what Java's FileLock is) of
 * another file, which atmost does not use: if that fails, two were in at once. When a process is
 * killed, the kernel frees this lock before atmost's, which ends with its file: files are freed
 * after all of them were closed, the last one first, so that flock(2) would be freed too late.
 * Bytes through a pipe count the takes, as killed workers cannot report them.
 */
public final class Soak {
    private static final int TAKES = 10_000;
    private static final int KILLS = 300;
    private static final int WORKERS = 4;

    private final Path folder;
    private final AtomicInteger takes = new AtomicInteger();
    private final AtomicInteger overlaps = new AtomicInteger();
    private final Worker[] workers = new Worker[WORKERS];
    private final Random random = new Random();
    private int kills;

    private Soak(Path folder) {
        this.folder = folder;
    }

    /** A process that takes the lock until it is killed. */
    private final class Worker {
        private final Process process;
        private final Thread counter;
        private final AtomicInteger own = new AtomicInteger();

        Worker(int which) throws IOException {
            process = Outside.java(folder, Soak.class, Integer.toString(which));
            counter = new Thread(this::count);
            counter.start();
        }

        private void count() {
            try (InputStream bytes = process.getInputStream()) {
                for (int one = bytes.read(); one >= 0; one = bytes.read()) {
                    (one == 't' ? takes : overlaps).incrementAndGet();
                    own.incrementAndGet();
                }
            } catch (IOException closed) {
                return; // by its end
            }
        }

        void kill() throws InterruptedException {
            if (!process.isAlive()) throw new AssertionError("a worker ended by itself");
            if (process.destroyForcibly().waitFor() != 128 + 9) {
                throw new AssertionError("a worker was not killed");
            }
            counter.join();
        }
    }

    private void run() throws Exception {
        for (int which = 0; which < WORKERS; which++) workers[which] = new Worker(which);
        while (takes.get() < TAKES || kills < KILLS) {
            Thread.sleep(random.nextInt(3), random.nextInt(999_999));
            // Kills only a worker that was in already, so that no kill is wasted on a start.
            int which = random.nextInt(WORKERS);
            boolean due = (long) kills * TAKES <= (long) takes.get() * (KILLS + 10);
            if (!due || workers[which].own.get() == 0) continue;
            workers[which].kill();
            kills++;
            workers[which] = new Worker(which);
        }
        for (Worker worker : workers) worker.kill();
    }

    private static void work(Path folder, boolean waits) throws Exception {
        FileChannel witness = FileChannel.open(
                folder.resolve("witness"), StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        Options options = Options.DEFAULTS.dir(folder);
        Lock lock = new Lock("a", waits ? options.waitFor(Options.FOREVER) : options);
        while (true) {
            try (Held held = lock.acquire()) {
                try (FileLock alone = witness.tryLock()) {
                    System.out.write(alone != null ? 't' : 'o');
                    System.out.flush();
                }
                held.succeeded();
            } catch (BusyException busy) {
                Thread.sleep(1);
            }
        }
    }

    /**
     * Without arguments: the campaign. Otherwise a worker.
     *
     * @param arguments the folder, and which worker
     * @throws Exception when something is wrong
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            work(Path.of(arguments[0]), Integer.parseInt(arguments[1]) % 2 == 0);
            return;
        }
        Path folder = Files.createTempDirectory("atmost-soak");
        long began = System.nanoTime();
        Soak soak = new Soak(folder);
        soak.run();
        int left = new Lock("a", Options.DEFAULTS.dir(folder)).list().size();
        int outsider = Outside.run(folder);
        System.out.printf(
                "java soak: %d takes, %d killed, %d overlaps, %d left, another process then ends "
                        + "with %d, %d s%n",
                soak.takes.get(), soak.kills, soak.overlaps.get(), left, outsider,
                (System.nanoTime() - began) / 1_000_000_000);
        System.exit(soak.overlaps.get() != 0 || left != 0 || outsider != 0 ? 1 : 0);
    }
}
