package atmost;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Other processes: those of atmost show a lock from outside; those of Java use this binding.
 */
public final class Outside implements AutoCloseable {
    static final int BUSY = 75;
    static final int TOO_SOON = 76;
    static final String ATMOST = "atmost";

    private final Process process;
    private final BufferedReader output;

    private Outside(Path folder, List<String> command) throws IOException {
        process = builder(folder, command).start();
        output = process.inputReader();
    }

    private static ProcessBuilder builder(Path folder, List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("ATMOST_"));
        builder.environment().put("ATMOST_DIR", folder.toString());
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    /** The exit code of a program. */
    static int status(Path folder, String... command) throws Exception {
        return builder(folder, List.of(command)).inheritIO().start().waitFor();
    }

    /** The exit code of `atmost run` of the lock "a". */
    public static int run(Path folder, String... options) throws Exception {
        return runCommand(folder, "true", options);
    }

    static int runCommand(Path folder, String program, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(ATMOST, "run", "-q"));
        command.addAll(List.of(options));
        command.addAll(List.of("a", "--", program));
        return status(folder, command.toArray(String[]::new));
    }

    /** A process that is killed when this is closed. */
    static Outside start(Path folder, String... command) throws IOException {
        return new Outside(folder, List.of(command));
    }

    /** Another process that holds the lock "a". If it is killed, its command may last longer. */
    static Outside holder(Path folder) throws IOException {
        Outside holder = start(folder, ATMOST, "run", "a", "--", "sh", "-c", "echo in; read line");
        holder.expect("in");
        return holder;
    }

    /** Another process of Java, whose main() gets the folder. */
    public static Process java(Path folder, Class<?> program, String... arguments)
            throws IOException {
        return builder(folder, javaCommand(folder, program, arguments)).start();
    }

    static Outside javaProgram(Path folder, Class<?> program, String... arguments)
            throws IOException {
        return new Outside(folder, javaCommand(folder, program, arguments));
    }

    private static List<String> javaCommand(Path folder, Class<?> program, String... arguments) {
        String java = System.getProperty("java.home") + File.separator + "bin/java";
        List<String> command = new ArrayList<>(List.of(
                java, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
                "-cp", System.getProperty("java.class.path"), program.getName(),
                folder.toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    void expect(String line) throws IOException {
        String said = output.readLine();
        if (!line.equals(said)) throw new AssertionError("it says " + said + ", not " + line);
    }

    void signal(String name) throws Exception {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    }

    long pid() {
        return process.pid();
    }

    int waitFor() throws InterruptedException {
        return process.waitFor();
    }

    /** Lets a holder end. */
    void end() throws Exception {
        process.getOutputStream().close();
        process.waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    static void eventually(Callable<Boolean> isTrue) throws Exception {
        while (!isTrue.call()) Thread.sleep(10);
    }

    static Options in(Path folder) {
        return Options.DEFAULTS.dir(folder);
    }

    /** The lock "a", which is waited for. */
    static Lock awaited(Path folder) {
        return new Lock("a", in(folder).waitFor(Options.FOREVER));
    }

    static long waiters(Path folder) {
        List<Entry> entries = new Lock("a", in(folder)).list();
        return entries.stream().filter(one -> one.state().equals("waiting")).count();
    }

    static Duration seconds(double value) {
        return Seconds.toDuration(value);
    }
}
