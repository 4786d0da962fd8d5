package atmost;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.jna.Structure;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares the struct with the compiler's. */
class LayoutTest {
    @TempDir Path folder;

    private static void describe(String type, Structure struct, List<String> ours,
            List<String> lines) throws Exception {
        Method offset = Structure.class.getDeclaredMethod("fieldOffset", String.class);
        offset.setAccessible(true);
        for (String field : struct.getClass().getAnnotation(Structure.FieldOrder.class).value()) {
            ours.add(type + "." + field + " " + offset.invoke(struct, field));
            lines.add("printf(\"" + type + "." + field + " %zu\\n\", offsetof(" + type + ", "
                    + field + "));");
        }
        ours.add(type + " " + struct.size());
        lines.add("printf(\"" + type + " %zu\\n\", sizeof(" + type + "));");
    }

    @Test
    void theStructIsThatOfTheHeader() throws Exception {
        List<String> ours = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        describe("atmost_entry", new Structs.NativeEntry(), ours, lines);
        Path source = folder.resolve("print.c");
        Files.writeString(source, "#include <atmost/atmost.h>\n#include <stdio.h>\n"
                + "int main(void) {\n" + String.join("\n", lines) + "\nreturn 0; }\n");
        Path program = folder.resolve("print");
        assertEquals(0, Outside.status(folder, "sh", "-c",
                "cc $(pkg-config --cflags atmost) -o \"$0\" \"$0.c\"", program.toString()));
        Process printed = new ProcessBuilder(program.toString()).start();
        assertEquals(ours, printed.inputReader().lines().toList());
    }
}
