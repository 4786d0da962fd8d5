package atmost;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A holder, waiter or drained slot, as atmost list shows it. A value that is not known, or does not
 * apply, is empty.
 *
 * @param state held, kept, stopped, read-locked, foreign, waiting or drained
 * @param slot the slot, from 1
 * @param position of a waiter in its queue, from 1
 * @param pid the process
 * @param keptFor the process on whose behalf it is held
 * @param user the user's id
 * @param token of a holder; compare it by {@link Long#compareUnsigned}
 * @param start when it was admitted, or began to wait
 * @param age the time since then
 * @param expires the time until it is overdue by its own record, negative once it is
 * @param id a text that any user of the lock may have written, control characters included
 * @param command another such text
 * @param verified true if the kernel confirms that this process holds the slot
 */
public record Entry(
        String state,
        OptionalInt slot,
        OptionalInt position,
        OptionalLong pid,
        OptionalLong keptFor,
        OptionalLong user,
        OptionalLong token,
        Optional<Instant> start,
        Optional<Duration> age,
        Duration expires,
        String id,
        String command,
        boolean verified) {

    static Entry of(Structs.NativeEntry one) {
        return new Entry(
                Text.decode(one.state),
                known(one.slot),
                known(one.position),
                known(one.pid, 0),
                known(one.kept_for, 0),
                known(one.user, -1),
                known(one.token, 0),
                one.start == -1 ? Optional.empty() : Optional.of(Seconds.toInstant(one.start)),
                one.age == -1 ? Optional.empty() : Optional.of(Seconds.toDuration(one.age)),
                Seconds.toDuration(one.expires),
                Text.decode(one.id),
                Text.decode(one.command),
                one.verified != 0);
    }

    private static OptionalInt known(int value) {
        return value == 0 ? OptionalInt.empty() : OptionalInt.of(value);
    }

    private static OptionalLong known(long value, long unknown) {
        return value == unknown ? OptionalLong.empty() : OptionalLong.of(value);
    }
}
