import atmost.Held;
import atmost.Lock;
import atmost.Options;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The cost of taking and releasing a free lock in Java, beside java.nio's FileLock: medians of
 * turns, so that a busy machine disturbs all alike. The first turns, which the compiler is busy
 * with, do not count.
 *
 * <pre>bench/run java</pre>
 */
final class JavaCycle {
    private static final int UNCOUNTED = 60;
    private static final int ROUNDS = 81;
    private static final int CYCLES = 100;

    private interface Cycle {
        void run() throws Exception;
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    private static Cycle take(Path file, Options options) {
        Lock lock = new Lock(file, options);
        return () -> lock.run(held -> {});
    }

    private static Map<String, Cycle> cycles(Path folder) throws Exception {
        Options options = Options.DEFAULTS.dir(folder).set("log", folder.resolve("history").toString());
        Path bare = folder.resolve("bare");
        FileChannel open = FileChannel.open(folder.resolve("open"),
                StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        Map<String, Cycle> cycles = new LinkedHashMap<>();
        cycles.put("open, FileLock, close", () -> {
            try (FileChannel channel = FileChannel.open(bare,
                            StandardOpenOption.WRITE, StandardOpenOption.CREATE);
                    FileLock lock = channel.tryLock()) {
                if (lock == null) throw new AssertionError("held by others");
            }
        });
        cycles.put("FileLock of an open file", () -> open.tryLock().release());
        cycles.put("run, no history", take(folder.resolve("plain"), options.set("no_history", true)));
        cycles.put("run", take(folder.resolve("logged"), options));
        Lock tried = new Lock(folder.resolve("tried"), options);
        cycles.put("tryAcquire, close", () -> tried.tryAcquire().orElseThrow().close());
        Options waits = options.waitFor(Duration.ofSeconds(60));
        cycles.put("run that would wait", take(folder.resolve("waits"), waits));
        Lock asked = new Lock(folder.resolve("asked"), options);
        cycles.put("acquireAsync, close", () -> {
            try (Held held = asked.acquireAsync().get()) {
                held.succeeded();
            }
        });
        return cycles;
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("atmost-cycle");
        Map<String, Cycle> cycles = cycles(folder);
        Map<String, List<Double>> taken = new LinkedHashMap<>();
        for (int round = -UNCOUNTED; round < ROUNDS; round++) {
            for (Map.Entry<String, Cycle> one : cycles.entrySet()) {
                long begin = System.nanoTime();
                for (int at = 0; at < CYCLES; at++) one.getValue().run();
                double each = (System.nanoTime() - begin) / 1e3 / CYCLES;
                if (round < 0) continue;
                taken.computeIfAbsent(one.getKey(), name -> new ArrayList<>()).add(each);
            }
        }
        String first = taken.keySet().iterator().next();
        double beside = median(taken.get(first));
        taken.forEach((name, values) -> System.out.printf("%-25s %7.2f us  %5.2f x FileLock%n",
                name, median(values), median(values) / beside));
    }
}
