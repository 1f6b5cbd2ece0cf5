// JDBC by the driver whose scheme is the first argument (mysql or mariadb), by the
// parameters of the second.
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.sql.*;
import java.util.*;

public class Jdbc {
    static final String COLUMNS = "K varbinary(100) NOT NULL, Q varbinary(100) NOT NULL, T bigint NOT NULL, ";
    static final String[] TABLES = {
        "CREATE TABLE `c$p` (" + COLUMNS + "V varbinary(1000), PRIMARY KEY (K, Q, T))",
        "CREATE TABLE `c$n` (" + COLUMNS + "V varbinary(1000), PRIMARY KEY (K, Q, T))",
        "CREATE TABLE `c$w` (" + COLUMNS + "V longblob, PRIMARY KEY (K, Q, T))",
        "CREATE VIEW c_people AS SELECT K AS id, MAX(CASE WHEN Q = 'name' THEN V END) AS name, "
            + "MAX(CASE WHEN Q = 'city' THEN V END) AS city FROM `c$p` GROUP BY K"};
    static String url;

    static void step(String name) {
        System.out.println("step " + name);
    }

    static void same(Object got, Object want) {
        if (!Objects.equals(String.valueOf(got), String.valueOf(want))) {
            throw new AssertionError(got + " is not " + want);
        }
    }

    static byte[] bytes(String s) {
        return s.getBytes(StandardCharsets.ISO_8859_1);
    }

    static byte[] key(int i) {
        return bytes(String.format("u%03d\0\u00ff'\\", i));
    }

    static String hex(byte[] b) {
        return b == null ? null : HexFormat.of().formatHex(b);
    }

    static List<String> keys(int... of) {
        List<String> out = new ArrayList<>();
        for (int i : of) out.add(hex(key(i)));
        return out;
    }

    /** The first column of a query, bytes in hexadecimal. */
    static List<String> column(Connection c, String sql, Object... args) throws SQLException {
        try (PreparedStatement p = prepare(c, sql, args); ResultSet r = p.executeQuery()) {
            List<String> out = new ArrayList<>();
            while (r.next()) {
                Object v = r.getObject(1);
                out.add(v instanceof byte[] b ? hex(b) : String.valueOf(v));
            }
            return out;
        }
    }

    static PreparedStatement prepare(Connection c, String sql, Object... args) throws SQLException {
        PreparedStatement p = c.prepareStatement(sql);
        for (int i = 0; i < args.length; i++) p.setObject(i + 1, args[i]);
        return p;
    }

    static int update(Connection c, String sql, Object... args) throws SQLException {
        try (PreparedStatement p = prepare(c, sql, args)) {
            return p.executeUpdate();
        }
    }

    static void fails(Connection c, int number, String sql, Class<? extends SQLException> kind) throws SQLException {
        try (PreparedStatement p = c.prepareStatement(sql)) {
            p.execute();
        } catch (SQLException e) {
            same(e.getErrorCode(), number);
            same(kind.isInstance(e), true);
            step(String.valueOf(number));
            return;
        }
        throw new AssertionError(sql);
    }

    static void fill(Connection c) throws SQLException {
        c.setAutoCommit(false);
        try (PreparedStatement p = c.prepareStatement("INSERT INTO `c$p` (K, Q, T, V) VALUES (?, ?, ?, ?)")) {
            for (int i = 0; i < 100; i++) {
                add(p, key(i), "city", 1, bytes("C" + i % 3));
                add(p, key(i), "name", 1, i % 7 == 0 ? null : bytes("\u00ff\0N" + i));
            }
            same(p.executeBatch().length, 200);
        }
        try (PreparedStatement p = c.prepareStatement("INSERT INTO `c$n` VALUES (?, ?, ?, ?)")) {
            for (int i = 0; i < 10; i++) add(p, key(i), "n", i, bytes("" + i));
            p.executeBatch();
        }
        c.commit();
        c.setAutoCommit(true);
        same(column(c, "SELECT COUNT(*) FROM `c$p`"), "[200]");
        step("insert");
    }

    static void add(PreparedStatement p, byte[] k, String q, long t, byte[] v) throws SQLException {
        p.setBytes(1, k);
        p.setString(2, q);
        p.setLong(3, t);
        if (v == null) p.setNull(4, Types.VARBINARY);
        else p.setBytes(4, v);
        p.addBatch();
    }

    static void reflect(Connection c) throws SQLException {
        DatabaseMetaData m = c.getMetaData();
        String db = c.getCatalog();
        List<String> names = new ArrayList<>();
        try (ResultSet r = m.getTables(db, null, "%", new String[] {"TABLE"})) {
            while (r.next()) names.add(r.getString("TABLE_NAME"));
        }
        same(names, "[c$n, c$p, c$w]");
        names.clear();
        try (ResultSet r = m.getColumns(db, null, "c$p", "%")) {
            while (r.next()) names.add(r.getString("COLUMN_NAME") + " " + r.getString("TYPE_NAME") + " " + r.getInt("COLUMN_SIZE") + " " + r.getInt("DATA_TYPE") + " " + r.getString("IS_NULLABLE"));
        }
        same(names.get(0), "K VARBINARY 100 " + Types.VARBINARY + " NO");
        same(names.get(2), "T BIGINT 19 " + Types.BIGINT + " NO");
        same(names.get(3), "V VARBINARY 1000 " + Types.VARBINARY + " YES");
        names.clear();
        try (ResultSet r = m.getPrimaryKeys(db, null, "c$p")) {
            while (r.next()) names.add(r.getString("COLUMN_NAME") + r.getInt("KEY_SEQ"));
        }
        Collections.sort(names);
        same(names, "[K1, Q2, T3]");
        names.clear();
        try (ResultSet r = m.getIndexInfo(db, null, "c$p", true, false)) {
            while (r.next()) names.add(r.getString("COLUMN_NAME"));
        }
        same(names, "[K, Q, T]");
        for (ResultSet r : new ResultSet[] {m.getCatalogs(), m.getTypeInfo(), m.getTableTypes(), m.getImportedKeys(db, null, "c$p"),
                m.getProcedures(db, null, "%"), m.getFunctions(db, null, "%"), m.getBestRowIdentifier(db, null, "c$p", 0, true),
                m.getTablePrivileges(db, null, "c$p"), m.getColumnPrivileges(db, null, "c$p", "%"), m.getVersionColumns(db, null, "c$p")}) {
            r.close();
        }
        try (ResultSet r = c.createStatement().executeQuery("SELECT p.*, COUNT(*) AS n, T + 1 FROM `c$p` p GROUP BY K, Q, T, V LIMIT 1")) {
            ResultSetMetaData d = r.getMetaData();
            same(d.getColumnTypeName(1) + d.getPrecision(1) + d.getTableName(1) + d.getColumnType(3), "VARBINARY100c$p" + Types.BIGINT);
            same(d.getColumnLabel(5) + d.getColumnType(5) + d.isNullable(5), "n" + Types.BIGINT + ResultSetMetaData.columnNoNulls);
        }
        step("reflect");
    }

    static void read(Connection c) throws SQLException {
        same(column(c, "SELECT V FROM `c$p` WHERE K = ? AND Q = ?", key(8), "name"), List.of(hex(bytes("\u00ff\0N8"))));
        same(column(c, "SELECT V FROM `c$p` WHERE K = ? AND Q = ?", key(7), "name"), "[null]");
        step("point");
        String city = "SELECT K FROM `c$p` WHERE Q = 'city' ";
        same(column(c, city + "AND K LIKE ?", "u01%"), keys(10, 11, 12, 13, 14, 15, 16, 17, 18, 19));
        step("prefix");
        same(column(c, city + "AND K IN (?, ?)", key(3), key(50)), keys(3, 50));
        step("in");
        same(column(c, city + "ORDER BY K DESC LIMIT 2"), keys(99, 98));
        step("order");
        same(column(c, city + "ORDER BY K LIMIT ? OFFSET ?", 2, 40), keys(40, 41));
        try (Statement s = c.createStatement()) {
            s.setMaxRows(3);
            int n = 0;
            for (ResultSet r = s.executeQuery(city); r.next(); ) n++;
            same(n, 3);
        }
        step("page");
        same(column(c, "SELECT CONCAT(V, COUNT(*)) FROM `c$p` WHERE Q = 'city' GROUP BY V ORDER BY V"),
            List.of(hex(bytes("C034")), hex(bytes("C133")), hex(bytes("C233"))));
        step("aggregate");
        same(column(c, "SELECT SUM(n.V) FROM `c$p` p JOIN `c$n` n ON p.K = n.K WHERE p.Q = 'city'"), "[45.0]");
        same(column(c, "SELECT city FROM c_people WHERE id = ?", key(8)), List.of(hex(bytes("C2"))));
        step("join");
    }

    static void write(Connection c) throws SQLException {
        same(update(c, "UPDATE `c$p` SET V = ? WHERE K = ? AND Q = 'city'", "é€", key(1)), 1);
        same(column(c, "SELECT V FROM `c$p` WHERE K = ? AND Q = 'city'", key(1)), "[c3a9e282ac]");
        step("update");
        same(update(c, "DELETE FROM `c$p` WHERE K = ?", key(2)), 2);
        step("delete");
        try (Connection tx = DriverManager.getConnection(url)) {
            tx.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            same(tx.getTransactionIsolation(), Connection.TRANSACTION_REPEATABLE_READ);
            tx.setAutoCommit(false);
            update(tx, "INSERT INTO `c$n` VALUES ('tx', 'q', 1, 'x')");
            Savepoint point = tx.setSavepoint("sp");
            update(tx, "DELETE FROM `c$n` WHERE K = 'tx'");
            tx.rollback(point);
            same(column(c, "SELECT V FROM `c$n` WHERE K = 'tx'"), "[]");
            tx.commit();
            tx.setReadOnly(true);
            same(column(tx, "SELECT V FROM `c$n` WHERE K = 'tx'"), "[78]");
        }
        step("transaction");
        fails(c, 1062, "INSERT INTO `c$n` VALUES ('tx', 'q', 1, 'z')", SQLIntegrityConstraintViolationException.class);
        fails(c, 1064, "SELEKT", SQLSyntaxErrorException.class);
        fails(c, 1146, "SELECT * FROM missing", SQLSyntaxErrorException.class);
    }

    static void large(Connection c) throws Exception {
        byte[] value = new byte[Integer.parseInt(System.getenv("HBASEKV_LARGE"))];
        for (int i = 0; i < value.length; i++) value[i] = (byte) i;
        try (PreparedStatement p = c.prepareStatement("INSERT INTO `c$w` VALUES ('large', 'q', 1, ?)")) {
            p.setBinaryStream(1, new ByteArrayInputStream(value), value.length);
            same(p.executeUpdate(), 1);
        }
        try (ResultSet r = c.createStatement().executeQuery("SELECT V FROM `c$w` WHERE K = 'large'")) {
            r.next();
            same(Arrays.equals(r.getBytes(1), value), true);
        }
        step("large");
        long n = Math.round(Math.sqrt(Integer.parseInt(System.getenv("HBASEKV_STREAM"))));
        try (PreparedStatement p = c.prepareStatement("INSERT INTO `c$w` VALUES (?, ?, ?, ?)")) {
            for (int i = 0; i < n; i++) add(p, bytes(String.format("s%06d", i)), "s", i, new byte[0]);
            p.executeBatch();
        }
        String both = "SELECT a.T * " + n + " + b.T FROM `c$w` a JOIN `c$w` b WHERE a.Q = 's' AND b.Q = 's'";
        for (int fetch : new int[] {Integer.MIN_VALUE, 500}) {
            if (fetch < 0 && url.startsWith("jdbc:mariadb")) continue; // which takes a number of rows alone
            try (PreparedStatement p = c.prepareStatement(both, ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
                p.setFetchSize(fetch);
                long count = 0, total = 0;
                try (ResultSet r = p.executeQuery()) {
                    for (; r.next(); count++) total += r.getLong(1);
                }
                same(count + " " + total, n * n + " " + n * n * (n * n - 1) / 2);
            }
        }
        step("stream");
    }

    static void interrupt(Connection c) throws Exception {
        long begin = System.nanoTime();
        try (Statement s = c.createStatement()) {
            s.setQueryTimeout(1);
            s.executeQuery("SELECT SLEEP(20)").close();
            if (url.startsWith("jdbc:mysql")) throw new AssertionError("no timeout");
        } catch (SQLTimeoutException e) { // as it should be
        }
        try (Statement s = c.createStatement()) {
            Thread t = new Thread(() -> {
                try {
                    Thread.sleep(300);
                    s.cancel();
                } catch (Exception e) {
                    e.printStackTrace();
                }
            });
            t.start();
            try {
                s.executeQuery("SELECT SLEEP(20)").close();
            } catch (SQLException e) {
                same(e.getErrorCode() == 1317 || e instanceof SQLTimeoutException || e.getMessage().contains("cancel"), true);
            }
            t.join();
        }
        same(System.nanoTime() - begin < 10_000_000_000L, true);
        step("cancel");
        long number = Long.parseLong(column(c, "SELECT CONNECTION_ID()").get(0));
        try (Connection killer = DriverManager.getConnection(url)) {
            update(killer, "KILL " + number);
        }
        Thread.sleep(300);
        same(c.isValid(1), false);
        try (Connection again = DriverManager.getConnection(url)) {
            same(again.isValid(1), true);
            same(column(again, "SELECT COUNT(*) FROM `c$p`"), "[198]");
        }
        step("reconnect");
    }

    public static void main(String[] args) throws Exception {
        url = "jdbc:" + args[0] + "://127.0.0.1:" + System.getenv("HBASEKV_PORT") + "/" + System.getenv("HBASEKV_DATABASE")
            + "?user=root&" + args[1];
        Connection c = DriverManager.getConnection(url);
        same(column(c, "SELECT CONCAT(1 + 1, 'né €')"), "[2né €]");
        System.out.println(c.getMetaData().getDriverName() + " " + c.getMetaData().getDriverVersion());
        step("connect");
        try (Statement s = c.createStatement()) {
            for (String t : TABLES) s.executeUpdate(t);
        }
        step("create");
        fill(c);
        reflect(c);
        read(c);
        write(c);
        large(c);
        interrupt(c);
    }
}
