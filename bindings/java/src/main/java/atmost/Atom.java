package atmost;

/**
 * The object that GetLock() of Burgess and Skipitaris (LISA '97) locks, in place of a name.
 *
 * @param operator what is done
 * @param operand what it is done to
 * @param host where; null: this host
 */
public record Atom(String operator, String operand, String host) {
    /**
     * An atom of this host.
     *
     * @param operator what is done
     * @param operand what it is done to
     */
    public Atom(String operator, String operand) {
        this(operator, operand, null);
    }
}
