package io.tailrace.engine.capture;

import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.jspecify.annotations.Nullable;

/**
 * Where to find things in the changes of one schema, looked up once for each: a look-up by name for every column of every row costs
 * more than reading it. Debezium makes a new schema object when a table changes, and with it a new shape is made.
 */
final class ChangeShape {

    enum Kind {
        EVENT,
        COMMAND,
        MESSAGE,
        COMMIT,
        FOREIGN
    }

    final Kind kind;
    private final @Nullable Field op;
    private final @Nullable Field after;
    private final @Nullable Field message;
    private final @Nullable Schema row;
    private final @Nullable Field prefix;
    private final @Nullable Field content;

    private ChangeShape(Kind kind, Schema envelope) {
        this.kind = kind;
        this.op = envelope.field("op");
        this.after = envelope.field("after");
        this.message = envelope.field("message");
        this.row = after == null ? null : after.schema();
        this.prefix = message == null ? null : message.schema().field("prefix");
        this.content = message == null ? null : message.schema().field("content");
    }

    static ChangeShape of(Struct change) {
        Schema envelope = change.schema();
        if (envelope.field("op") == null) {
            return new ChangeShape(Kind.COMMIT, envelope);
        }
        if (envelope.field("message") != null) {
            return new ChangeShape(Kind.MESSAGE, envelope);
        }
        return new ChangeShape(kindOf(envelope.field("after")), envelope);
    }

    /** By the column that only one of the tables has: the publication, which is checked, lets in no others. */
    private static Kind kindOf(@Nullable Field after) {
        if (after == null) {
            return Kind.FOREIGN;
        }
        if (after.schema().field(CapturedColumns.EVENT_NAME) != null) {
            return Kind.EVENT;
        }
        return after.schema().field(CapturedColumns.COMMAND_NAME) != null ? Kind.COMMAND : Kind.FOREIGN;
    }

    /** The row that was inserted, or null when the change is no insert. */
    @Nullable
    Struct inserted(Struct change) {
        if (op == null || after == null || !"c".equals(change.get(op))) {
            return null;
        }
        return (Struct) change.get(after);
    }

    @Nullable
    Struct message(Struct change) {
        return message == null ? null : (Struct) change.get(message);
    }

    /** Of a message, null when it has none. */
    @Nullable
    String prefix(Struct ofMessage) {
        return prefix == null ? null : (String) ofMessage.get(prefix);
    }

    /** Of a message, null when it has none. */
    @Nullable
    Object content(Struct ofMessage) {
        return content == null ? null : ofMessage.get(content);
    }

    /** A column; null when the row's schema has none of that name. */
    @Nullable
    Field column(String name) {
        return row == null ? null : row.field(name);
    }
}
