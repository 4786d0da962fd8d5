package atmost;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Texts of the C library: bytes that end with NUL. */
final class Text {
    private Text() {}

    static byte[] encode(String text) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] encoded = new byte[bytes.remaining()];
            bytes.get(encoded);
            return encoded;
        } catch (CharacterCodingException e) {
            throw new UsageException("a text that UTF-8 does not have");
        }
    }

    /** Null for null. */
    static Memory inC(byte[] text) {
        if (text == null) return null;
        for (byte one : text) {
            if (one == 0) throw new UsageException("a text with a NUL byte");
        }
        Memory memory = new Memory(text.length + 1L);
        memory.write(0, text, 0, text.length);
        memory.setByte(text.length, (byte) 0);
        return memory;
    }

    static String decode(Pointer text) {
        return text.getString(0, "UTF-8");
    }
}
