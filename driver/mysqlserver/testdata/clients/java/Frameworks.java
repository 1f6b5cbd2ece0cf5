// A pool (HikariCP), jOOQ or Hibernate, as the argument says.
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import jakarta.persistence.*;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.sql.*;
import java.util.*;
import java.util.concurrent.*;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

public class Frameworks {
    static final String URL = "jdbc:mysql://127.0.0.1:" + System.getenv("HBASEKV_PORT") + "/" + System.getenv("HBASEKV_DATABASE")
        + "?sslMode=DISABLED";
    static final String COLUMNS = "K varbinary(100) NOT NULL, Q varbinary(100) NOT NULL, T bigint NOT NULL, V varbinary(1000), PRIMARY KEY (K, Q, T)";
    static final String VIEW = "CREATE VIEW c_people AS SELECT K AS id, MAX(CASE WHEN Q = 'name' THEN V END) AS name, "
        + "MAX(CASE WHEN Q = 'city' THEN V END) AS city FROM `c$p` GROUP BY K";

    static void step(String name) {
        System.out.println("step " + name);
    }

    static void same(Object got, Object want) {
        if (!Objects.equals(String.valueOf(got), String.valueOf(want))) throw new AssertionError(got + " is not " + want);
    }

    static byte[] bytes(String s) {
        return s.getBytes(StandardCharsets.ISO_8859_1);
    }

    static byte[] key(int i) {
        return bytes(String.format("u%03d\0\u00ff'\\", i));
    }

    static String text(byte[] b) {
        return new String(b, StandardCharsets.ISO_8859_1);
    }

    static HikariDataSource pool(int size) {
        HikariConfig c = new HikariConfig();
        c.setJdbcUrl(URL);
        c.setUsername("root");
        c.setMaximumPoolSize(size);
        return new HikariDataSource(c);
    }

    /** Many short transactions over a small pool, some of whose connections are killed. */
    static void hikari() throws Exception {
        try (HikariDataSource pool = pool(4)) {
            try (Connection c = pool.getConnection(); Statement s = c.createStatement()) {
                step("connect");
                s.executeUpdate("CREATE TABLE `c$n` (" + COLUMNS + ")");
                s.executeUpdate("INSERT INTO `c$n` VALUES ('n', 'q', 1, '0')");
                step("create");
            }
            ExecutorService workers = Executors.newFixedThreadPool(8);
            List<Future<?>> running = new ArrayList<>();
            for (int w = 0; w < 8; w++) {
                running.add(workers.submit(() -> {
                    for (int i = 0; i < 25; i++) {
                        try (Connection c = pool.getConnection(); Statement s = c.createStatement()) {
                            same(s.executeUpdate("UPDATE `c$n` SET V = V + 1 WHERE K = 'n'"), 1);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> f : running) f.get();
            workers.shutdown();
            try (Connection c = pool.getConnection(); ResultSet r = c.createStatement().executeQuery("SELECT V FROM `c$n`")) {
                r.next();
                same(r.getString(1), "200");
                step("update");
            }
            try (Connection c = DriverManager.getConnection(URL, "root", ""); Statement s = c.createStatement()) {
                List<Long> ids = new ArrayList<>();
                try (ResultSet r = s.executeQuery("SHOW PROCESSLIST")) {
                    while (r.next()) if (r.getString("Command").equals("Sleep")) ids.add(r.getLong("Id"));
                }
                for (long id : ids) s.execute("KILL " + id);
                same(ids.isEmpty(), false);
            }
            Thread.sleep(700); // after which the pool looks at a connection before it lends it
            for (int i = 0; i < 8; i++) {
                try (Connection c = pool.getConnection(); ResultSet r = c.createStatement().executeQuery("SELECT 1")) {
                    r.next();
                }
            }
            step("reconnect");
        }
    }

    static void jooq() throws Exception {
        try (HikariDataSource pool = pool(2)) {
            DSLContext db = DSL.using(pool, SQLDialect.MYSQL);
            same(db.fetchValue("SELECT CONCAT('né ', 1 + 1)"), "né 2");
            step("connect");
            db.execute("CREATE TABLE `c$p` (" + COLUMNS + ")");
            db.execute(VIEW);
            step("create");
            var p = DSL.table(DSL.name("c$p"));
            var k = DSL.field(DSL.name("K"), SQLDataType.VARBINARY);
            var q = DSL.field(DSL.name("Q"), SQLDataType.VARBINARY);
            var t = DSL.field(DSL.name("T"), SQLDataType.BIGINT);
            var v = DSL.field(DSL.name("V"), SQLDataType.VARBINARY);
            var insert = db.insertInto(p, k, q, t, v);
            for (int i = 0; i < 100; i++) {
                insert = insert.values(key(i), bytes("city"), 1L, bytes("C" + i % 3));
                insert = insert.values(key(i), bytes("name"), 1L, i % 7 == 0 ? null : bytes("N" + i));
            }
            same(insert.execute(), 200);
            step("insert");
            var city = q.eq(bytes("city"));
            same(text(db.select(v).from(p).where(k.eq(key(8)).and(q.eq(bytes("name")))).fetchOne(v)), "N8");
            step("point");
            same(db.fetchCount(db.selectFrom(p).where(city).and(k.ge(bytes("u010"))).and(k.lt(bytes("u020")))), 10);
            step("prefix");
            same(db.select(k).from(p).where(city).and(k.in(key(3), key(50))).fetch(k).size(), 2);
            step("in");
            same(text(db.select(k).from(p).where(city).orderBy(k.desc()).limit(1).fetchOne(k)), text(key(99)));
            step("order");
            same(text(db.select(k).from(p).where(city).orderBy(k).limit(2).offset(40).fetch(k).get(1)), text(key(41)));
            step("page");
            same(db.select(v, DSL.count()).from(p).where(city).groupBy(v).orderBy(v).fetch(DSL.count()), "[34, 33, 33]");
            step("aggregate");
            same(text(db.fetchOne("SELECT city FROM c_people WHERE id = ?", (Object) key(8)).get(0, byte[].class)), "C2");
            step("join");
            same(db.update(p).set(v, bytes("x")).where(k.eq(key(1))).execute(), 2);
            step("update");
            same(db.deleteFrom(p).where(k.eq(key(2))).execute(), 2);
            step("delete");
            try {
                db.transaction(tx -> {
                    tx.dsl().deleteFrom(p).execute();
                    throw new IllegalStateException("undo");
                });
            } catch (IllegalStateException e) { // as it should be
            }
            same(db.fetchCount(p), 198);
            step("transaction");
            db.insertInto(p, k, q, t, v).values(key(3), bytes("city"), 1L, bytes("z")).onDuplicateKeyUpdate().set(v, bytes("z")).execute();
            try {
                db.insertInto(p, k, q, t, v).values(key(3), bytes("city"), 1L, bytes("z")).execute();
                throw new AssertionError("no error");
            } catch (org.jooq.exception.IntegrityConstraintViolationException e) {
                step("1062");
            }
            var generated = new org.jooq.meta.jaxb.Configuration()
                .withJdbc(new org.jooq.meta.jaxb.Jdbc().withUrl(URL).withUser("root"))
                .withGenerator(new org.jooq.meta.jaxb.Generator()
                    .withDatabase(new org.jooq.meta.jaxb.Database().withName("org.jooq.meta.mysql.MySQLDatabase")
                        .withInputSchema(System.getenv("HBASEKV_DATABASE")))
                    .withTarget(new org.jooq.meta.jaxb.Target().withPackageName("made").withDirectory(dir.toString())));
            org.jooq.codegen.GenerationTool.generate(generated);
            try (var files = Files.walk(dir)) {
                List<String> names = files.map(f -> f.getFileName().toString()).filter(n -> n.endsWith(".java")).sorted().toList();
                same(names.contains("CPeople.java") && names.contains("C$p.java"), true);
            }
            step("reflect");
        }
    }

    static final Path dir;

    static {
        try {
            dir = Files.createTempDirectory("made");
        } catch (java.io.IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @Embeddable
    public static class CellKey implements Serializable {
        @Column(name = "K", columnDefinition = "varbinary(100) not null") public byte[] k;
        @Column(name = "Q", columnDefinition = "varbinary(100) not null") public byte[] q;
        @Column(name = "T", columnDefinition = "bigint not null") public long t;

        public CellKey() {}

        CellKey(byte[] k, String q, long t) {
            this.k = k;
            this.q = bytes(q);
            this.t = t;
        }

        @Override public boolean equals(Object o) {
            return o instanceof CellKey c && Arrays.equals(c.k, k) && Arrays.equals(c.q, q) && c.t == t;
        }

        @Override public int hashCode() {
            return Arrays.hashCode(k) * 31 + Arrays.hashCode(q);
        }
    }

    @Entity(name = "Cell") @jakarta.persistence.Table(name = "`c$p`")
    public static class Cell {
        @EmbeddedId public CellKey id;
        @Column(name = "V", length = 1000) public byte[] v;

        public Cell() {}

        Cell(byte[] k, String q, long t, byte[] v) {
            this.id = new CellKey(k, q, t);
            this.v = v;
        }
    }

    @Entity(name = "Person") @jakarta.persistence.Table(name = "c_people")
    public static class Person {
        @Id public byte[] id;
        public byte[] name;
        public byte[] city;
    }

    static void hibernate() {
        Configuration made = new Configuration().addAnnotatedClass(Cell.class).addAnnotatedClass(Person.class)
            .setProperty("hibernate.connection.url", URL).setProperty("hibernate.connection.username", "root")
            .setProperty("hibernate.dialect", "org.hibernate.dialect.MySQLDialect")
            .setProperty("hibernate.jdbc.batch_size", "50").setProperty("hibernate.hbm2ddl.auto", "validate");
        try (Connection c = DriverManager.getConnection(URL, "root", ""); Statement s = c.createStatement()) {
            step("connect");
            s.executeUpdate("CREATE TABLE `c$p` (" + COLUMNS + ")");
            s.executeUpdate(VIEW);
            step("create");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        try (SessionFactory factory = made.buildSessionFactory()) { // which has looked at the table and the view
            step("reflect");
            factory.inTransaction(s -> {
                for (int i = 0; i < 100; i++) {
                    s.persist(new Cell(key(i), "city", 1, bytes("C" + i % 3)));
                    s.persist(new Cell(key(i), "name", 1, i % 7 == 0 ? null : bytes("N" + i)));
                }
            });
            step("insert");
            try (Session s = factory.openSession()) {
                same(text(s.get(Cell.class, new CellKey(key(8), "name", 1)).v), "N8");
                same(s.get(Cell.class, new CellKey(key(7), "name", 1)).v, null);
                step("point");
                var prefix = s.createQuery("from Cell c where c.id.q = :q and c.id.k >= :a and c.id.k < :b", Cell.class);
                same(prefix.setParameter("q", bytes("city")).setParameter("a", bytes("u01")).setParameter("b", bytes("u02")).list().size(), 10);
                step("prefix");
                var in = s.createQuery("from Cell c where c.id.q = :q and c.id.k in (:ks)", Cell.class);
                same(in.setParameter("q", bytes("city")).setParameterList("ks", List.of(key(3), key(50))).list().size(), 2);
                step("in");
                var page = s.createQuery("from Cell c where c.id.q = :q order by c.id.k", Cell.class).setParameter("q", bytes("city"));
                same(text(page.setFirstResult(40).setMaxResults(2).list().get(1).id.k), text(key(41)));
                step("order");
                step("page");
                var groups = s.createQuery("select c.v, count(*) from Cell c where c.id.q = :q group by c.v order by c.v", Object[].class);
                same(groups.setParameter("q", bytes("city")).list().get(0)[1], 34);
                step("aggregate");
                same(text(s.get(Person.class, key(8)).city), "C2");
                step("join");
            }
            factory.inTransaction(s -> s.get(Cell.class, new CellKey(key(1), "city", 1)).v = bytes("x"));
            factory.inSession(s -> same(s.createNativeQuery("SELECT V FROM `c$p` WHERE K = ? AND Q = 'city' LIMIT 1", byte[].class)
                .setParameter(1, key(1)).list().size(), 1));
            step("update");
            factory.inTransaction(s -> s.remove(s.get(Cell.class, new CellKey(key(2), "city", 1))));
            factory.inTransaction(s -> same(s.createMutationQuery("delete from Cell c where c.id.k = :k").setParameter("k", key(2)).executeUpdate(), 1));
            step("delete");
            try {
                factory.inTransaction(s -> {
                    s.persist(new Cell(bytes("tx"), "q", 1, bytes("x")));
                    s.flush();
                    throw new IllegalStateException("undo");
                });
            } catch (IllegalStateException e) {
                factory.inSession(s -> same(s.get(Cell.class, new CellKey(bytes("tx"), "q", 1)), null));
            }
            step("transaction");
            try {
                factory.inTransaction(s -> s.persist(new Cell(key(3), "city", 1, bytes("z"))));
                throw new AssertionError("no error");
            } catch (org.hibernate.exception.ConstraintViolationException e) {
                same(e.getErrorCode(), 1062);
                step("1062");
            } catch (PersistenceException e) {
                same(e.getCause() instanceof org.hibernate.exception.ConstraintViolationException, true);
                step("1062");
            }
        }
    }

    public static void main(String[] args) throws Exception {
        java.util.logging.Logger.getLogger("").setLevel(java.util.logging.Level.SEVERE);
        switch (args[0]) {
            case "hikari" -> hikari();
            case "jooq" -> jooq();
            default -> hibernate();
        }
    }
}
