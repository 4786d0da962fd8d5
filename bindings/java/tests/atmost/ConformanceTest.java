package atmost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The table that every binding runs. Java cannot fork. */
class ConformanceTest {
    private static final Map<String, Class<? extends AtmostException>> REFUSALS = Map.of(
            "busy", BusyException.class,
            "too_soon", TooSoonException.class,
            "usage", UsageException.class);

    @TempDir Path folder;

    /** A way to take a lock. */
    private interface Way {
        Held take(Lock lock) throws Exception;
    }

    @TestFactory
    List<DynamicTest> situations() throws Exception {
        String table = Files.readString(Path.of("tests", "conformance.json"));
        Map<String, Way> ways =
                new TreeMap<>(Map.of("acquire", Lock::acquire, "acquireAsync", this::async));
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonElement one : JsonParser.parseString(table).getAsJsonObject()
                .getAsJsonArray("situations")) {
            JsonObject situation = one.getAsJsonObject();
            if (situation.has("needs")) continue; // only "fork" so far
            JsonArray steps = situation.getAsJsonArray("steps");
            String name = situation.get("name").getAsString();
            ways.forEach((way, take) -> tests.add(DynamicTest.dynamicTest(name + ": " + way, () ->
                    new Runner(Files.createTempDirectory(folder, "locks"), take).run(steps))));
        }
        assertTrue(tests.size() >= 20);
        return tests;
    }

    private Held async(Lock lock) throws Exception {
        try {
            return lock.acquireAsync().get();
        } catch (ExecutionException failed) {
            throw (Exception) failed.getCause();
        }
    }

    private static double number(JsonElement value) {
        boolean forEver = value.getAsString().equals("infinity");
        return forEver ? Double.POSITIVE_INFINITY : value.getAsDouble();
    }

    private static Options with(Options options, String option, JsonElement value) {
        if (value.isJsonArray()) {
            Options all = options;
            for (JsonElement one : value.getAsJsonArray()) all = with(all, option, one);
            return all;
        }
        JsonPrimitive word = value.getAsJsonPrimitive();
        if (word.isBoolean()) return options.set(option, word.getAsBoolean());
        boolean whole = word.isNumber() && word.getAsDouble() == word.getAsLong();
        if (whole) return options.set(option, word.getAsLong());
        if (word.isNumber() || word.getAsString().equals("infinity")) {
            return options.set(option, Outside.seconds(number(word)));
        }
        return options.set(option, word.getAsString());
    }

    private static final class Runner {
        private final Path directory;
        private final Way way;
        private final Map<String, Held> held = new HashMap<>();

        Runner(Path directory, Way way) {
            this.directory = directory;
            this.way = way;
        }

        void run(JsonArray steps) throws Exception {
            for (JsonElement one : steps) {
                JsonObject step = one.getAsJsonObject();
                switch (step.get("do").getAsString()) {
                    case "get" -> get(step);
                    case "check" -> check(step);
                    case "release" -> release(step);
                    default -> throw new AssertionError("no step " + step);
                }
            }
        }

        private Lock lock(JsonObject step) {
            Options options = Outside.in(directory);
            if (step.has("options")) {
                for (var one : step.getAsJsonObject("options").entrySet()) {
                    options = with(options, one.getKey(), one.getValue());
                }
            }
            if (!step.has("atom")) return new Lock(step.get("lock").getAsString(), options);
            JsonArray parts = step.getAsJsonArray("atom");
            return new Lock(
                    new Atom(parts.get(0).getAsString(), parts.get(1).getAsString()), options);
        }

        private void check(JsonObject step) {
            Lock lock = lock(step);
            Check seen = lock.check();
            assertEquals(step.get("answer").getAsString().equals("admitted"), seen.admitted());
            assertEquals(step.get("held").getAsInt(), seen.held());
            assertEquals(step.get("held").getAsInt(), lock.list().size());
        }

        private void get(JsonObject step) throws Exception {
            String answer = step.get("answer").getAsString();
            if (!answer.equals("admitted")) {
                refused(step, assertThrows(REFUSALS.get(answer), () -> way.take(lock(step))));
                return;
            }
            Held taken = way.take(lock(step));
            held.put(step.get("as").getAsString(), taken);
            if (step.has("slot")) assertEquals(step.get("slot").getAsInt(), taken.slot());
            if (step.has("token_above")) {
                long earlier = held.get(step.get("token_above").getAsString()).token();
                assertTrue(Long.compareUnsigned(taken.token(), earlier) > 0);
            }
        }

        private void refused(JsonObject step, AtmostException refusal) {
            if (step.has("why")) assertEquals(step.get("why").getAsString(), refusal.why());
            if (!step.has("retry_in")) return;
            double expected = number(step.get("retry_in"));
            assertEquals(expected, Seconds.of(refusal.retryIn()), 0.01);
        }

        private void release(JsonObject step) {
            Held one = held.get(step.get("lock").getAsString());
            if (step.get("success").getAsBoolean()) one.succeeded();
            one.close();
        }
    }
}
