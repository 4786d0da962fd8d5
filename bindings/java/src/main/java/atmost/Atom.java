package atmost;

/**
 * The object that GetLock() of Burgess and Skipitaris (LISA '97) locks, in place of a name.
 *
 * @param operator the action
 * @param operand the object of the action
 * @param host the host; null: this host
 */
public record Atom(String operator, String operand, String host) {
    /**
     * An atom of this host.
     *
     * @param operator the action
     * @param operand the object of the action
     */
    public Atom(String operator, String operand) {
        this(operator, operand, null);
    }
}
