package atmost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Every example of README.md, as the body of main() in a process of its own. */
class DocumentTest {
    private static final Pattern EXAMPLE =
            Pattern.compile("^```java\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    @TempDir Path folder;

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, String body) {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            String imports = body.lines().filter(line -> line.startsWith("import "))
                    .collect(Collectors.joining("\n"));
            String rest = body.lines().filter(line -> !line.startsWith("import "))
                    .collect(Collectors.joining("\n"));
            text = imports + "\nclass " + name
                    + " { public static void main(String[] arguments) throws Exception {\n"
                    + rest + "\n} }\n";
        }

        @Override
        public CharSequence getCharContent(boolean ignoreErrors) {
            return text;
        }
    }

    @TestFactory
    List<DynamicTest> examples() throws Exception {
        Matcher found = EXAMPLE.matcher(
                Files.readString(Path.of("README.md")));
        List<Source> sources = new ArrayList<>();
        while (found.find()) sources.add(new Source("Example" + sources.size(), found.group(1)));
        assertTrue(sources.size() >= 9);
        String path = System.getProperty("java.class.path");
        List<String> options = List.of("-proc:none", "-cp", path, "-d", folder.toString());
        assertTrue(ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, null, options, null, sources).call());
        List<DynamicTest> tests = new ArrayList<>();
        for (int at = 0; at < sources.size(); at++) {
            String name = "Example" + at;
            Path locks = Files.createDirectory(folder.resolve("locks" + at));
            tests.add(DynamicTest.dynamicTest(name, () -> assertEquals(0, Outside.status(
                    locks, Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp", folder + ":" + path, name))));
        }
        return tests;
    }
}
