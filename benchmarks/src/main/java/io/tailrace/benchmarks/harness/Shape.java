package io.tailrace.benchmarks.harness;

/** How rows are spread over transactions. */
public enum Shape {
    /** One row in each: what a service writes. */
    ONE("one", 1),
    /** A hundred in each: what a batch writes. */
    HUNDRED("hundred", 100);

    private final String text;
    private final int rowsPerTransaction;

    Shape(String text, int rowsPerTransaction) {
        this.text = text;
        this.rowsPerTransaction = rowsPerTransaction;
    }

    /** As in reports and on the command line. */
    public String text() {
        return text;
    }

    /** Rows of a transaction. */
    public int rowsPerTransaction() {
        return rowsPerTransaction;
    }
}
