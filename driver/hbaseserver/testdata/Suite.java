import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.ColumnValueFilter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FuzzyRowFilter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.util.VersionInfo;

/**
 * What a program does by HBase's own client, and what it expects of any HBase. Arguments are pairs of a
 * configuration's names and values. Each check that fails is a line; the last line is OK or how many failed.
 */
public class Suite {
  static final TableName T = TableName.valueOf("suite");
  static final byte[] F = bytes("f");
  static final byte[] G = bytes("g");
  /** The client is HBase's of version 3. */
  static final boolean THREE = VersionInfo.getVersion().startsWith("3.");
  static int failed;

  static byte[] bytes(String s) {
    return s.getBytes(StandardCharsets.UTF_8);
  }

  static void check(String what, Object expected, Object actual) {
    if (!String.valueOf(expected).equals(String.valueOf(actual))) {
      failed++;
      System.out.println("FAIL " + what + ": expected " + expected + " and got " + actual);
    }
  }

  interface Action {
    void run() throws Exception;
  }

  /** The simple names of what is thrown and of its causes. */
  static String thrown(Action a) {
    try {
      a.run();
    } catch (Throwable t) {
      StringBuilder out = new StringBuilder();
      for (; t != null; t = t.getCause()) {
        out.append(t.getClass().getSimpleName()).append(' ').append(t.getMessage()).append(' ');
      }
      return out.toString();
    }
    return "nothing";
  }

  static void checkThrown(String what, String name, Action a) {
    String got = thrown(a);
    if (!got.contains(name)) {
      check(what, name, got);
    }
  }

  static String text(Result r) {
    StringBuilder out = new StringBuilder();
    if (!r.isEmpty()) {
      for (Cell c : r.rawCells()) {
        out.append(Bytes.toString(CellUtil.cloneRow(c))).append('/').append(Bytes.toString(CellUtil.cloneFamily(c)))
            .append(':').append(Bytes.toString(CellUtil.cloneQualifier(c))).append('/')
            .append(Bytes.toString(CellUtil.cloneValue(c))).append(' ');
      }
    }
    return out.toString().trim();
  }

  static String rows(Table t, Scan s) throws Exception {
    StringBuilder out = new StringBuilder();
    try (ResultScanner scanner = t.getScanner(s)) {
      for (Result r : scanner) {
        out.append(Bytes.toString(r.getRow())).append('=').append(r.size()).append(' ');
      }
    }
    return out.toString().trim();
  }

  public static void main(String[] args) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    for (int i = 0; i < args.length; i += 2) {
      if (args[i].startsWith("zookeeper.")) { // what ZooKeeper's own client reads
        System.setProperty(args[i], args[i + 1]);
      } else {
        conf.set(args[i], args[i + 1]);
      }
    }
    conf.setInt("hbase.client.retries.number", 3);
    try (Connection connection = ConnectionFactory.createConnection(conf); Admin admin = connection.getAdmin()) {
      Action[] parts = {() -> tables(admin), () -> data(connection), () -> scans(connection), () -> conditions(connection),
          () -> batches(connection), () -> filters(connection), () -> changes(connection, admin), () -> namespaces(admin),
          () -> async(conf), () -> end(admin)};
      for (int i = 0; i < parts.length; i++) {
        try {
          parts[i].run();
        } catch (Throwable e) {
          failed++;
          System.out.println("FAIL part " + i);
          e.printStackTrace(System.out);
        }
      }
    }
    System.out.println(failed == 0 ? "OK" : failed + " failed");
    System.exit(0);
  }

  static void tables(Admin admin) throws Exception {
    if (admin.tableExists(T)) {
      if (admin.isTableEnabled(T)) {
        admin.disableTable(T);
      }
      admin.deleteTable(T);
    }
    TableDescriptor d = TableDescriptorBuilder.newBuilder(T).setValue("OWNER", "ann").setMaxFileSize(1 << 30)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(3).setTimeToLive(2000000000)
            .setBlocksize(8192).setValue("mine", "yes").setConfiguration("hbase.x", "1").build())
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(G)).build();
    admin.createTable(d, new byte[][] {bytes("h"), bytes("p")});
    checkThrown("create twice", "TableExistsException", () -> admin.createTable(d));
    TableDescriptor got = admin.getDescriptor(T);
    check("descriptor's value", "ann", got.getValue("OWNER"));
    ColumnFamilyDescriptor f = got.getColumnFamily(F);
    check("family", "3 2000000000 8192 yes 1",
        f.getMaxVersions() + " " + f.getTimeToLive() + " " + f.getBlocksize() + " " + Bytes.toString(f.getValue(bytes("mine")))
            + " " + f.getConfigurationValue("hbase.x"));
    check("default versions", 1, got.getColumnFamily(G).getMaxVersions());
    check("enabled", true, admin.isTableEnabled(T));
    check("available", true, admin.isTableAvailable(T));
    check("regions", 3, admin.getRegions(T).size());
    check("names", true, Arrays.asList(admin.listTableNames()).contains(T));
    check("by pattern", 1, admin.listTableDescriptors(java.util.regex.Pattern.compile("sui.*")).size());
    check("servers", 1, admin.getClusterMetrics().getServersName().size());
    checkThrown("unknown table", "TableNotFoundException", () -> admin.getDescriptor(TableName.valueOf("nothing")));
  }

  static void data(Connection connection) throws Exception {
    try (Table t = connection.getTable(T)) {
      t.put(new Put(bytes("a")).addColumn(F, bytes("q"), 5, bytes("1")).addColumn(G, bytes(""), 5, bytes("2")));
      check("get", "a/f:q/1 a/g:/2", text(t.get(new Get(bytes("a")))));
      check("exists", true, t.exists(new Get(bytes("a"))));
      check("does not exist", false, t.exists(new Get(bytes("nobody"))));
      check("exists, many", "[true, false]", Arrays.toString(t.exists(Arrays.asList(new Get(bytes("a")), new Get(bytes("b"))))));
      t.put(new Put(bytes("a")).addColumn(F, bytes("q"), 6, bytes("new")));
      check("versions", "a/f:q/new a/f:q/1", text(t.get(new Get(bytes("a")).addFamily(F).readAllVersions())));
      check("time range", "a/f:q/1", text(t.get(new Get(bytes("a")).addFamily(F).setTimeRange(0, 6))));
      check("increment", 7L, t.incrementColumnValue(bytes("n"), F, bytes("c"), 7));
      check("increment again", 5L, t.incrementColumnValue(bytes("n"), F, bytes("c"), -2));
      check("increment without result", "", text(t.increment(new Increment(bytes("n")).addColumn(F, bytes("c"), 1).setReturnResults(false))));
      check("append", "n/f:s/ab", text(t.append(new Append(bytes("n")).addColumn(F, bytes("s"), bytes("ab")))));
      check("append more", "n/f:s/abc", text(t.append(new Append(bytes("n")).addColumn(F, bytes("s"), bytes("c")))));
      checkThrown("not a long", "Field is not a long", () -> t.incrementColumnValue(bytes("n"), F, bytes("s"), 1));
      checkThrown("unknown family", "NoSuchColumnFamilyException", () -> t.get(new Get(bytes("a")).addFamily(bytes("x"))));
      checkThrown("unknown family put", "NoSuchColumnFamilyException",
          () -> t.put(new Put(bytes("a")).addColumn(bytes("x"), bytes("q"), bytes("v"))));
      t.delete(new Delete(bytes("a")).addColumn(F, bytes("q"), 6));
      check("one version is deleted", "a/f:q/1", text(t.get(new Get(bytes("a")).addFamily(F))));
      t.delete(new Delete(bytes("a")).addFamily(G));
      t.delete(new Delete(bytes("a")).addColumns(F, bytes("q")));
      check("all is deleted", "", text(t.get(new Get(bytes("a")))));
      t.delete(new Delete(bytes("n")));
      check("the row is deleted", false, t.exists(new Get(bytes("n"))));
    }
  }

  static void scans(Connection connection) throws Exception {
    try (Table t = connection.getTable(T); BufferedMutator m = connection.getBufferedMutator(T)) {
      List<Mutation> puts = new ArrayList<>();
      for (char c = 'c'; c <= 'z'; c++) {
        Put p = new Put(bytes(String.valueOf(c)));
        for (int i = 0; i < 3; i++) {
          p.addColumn(F, bytes("q" + i), bytes("v" + i));
        }
        puts.add(p);
      }
      m.mutate(puts);
      m.flush();
      check("all", 24, rows(t, new Scan()).split(" ").length);
      check("small caching", 24, rows(t, new Scan().setCaching(1)).split(" ").length);
      check("range", "g=3 h=3 i=3", rows(t, new Scan().withStartRow(bytes("g")).withStopRow(bytes("j"))));
      check("inclusive", "h=3 i=3 j=3", rows(t, new Scan().withStartRow(bytes("g"), false).withStopRow(bytes("j"), true)));
      check("one row", "k=3", rows(t, new Scan().withStartRow(bytes("k")).withStopRow(bytes("k"), true)));
      check("reversed", "q=3 p=3 o=3", rows(t, new Scan().setReversed(true).withStartRow(bytes("q")).withStopRow(bytes("n"))));
      check("reversed from the end", "z=3 y=3", rows(t, new Scan().setReversed(true).setLimit(2)));
      check("limit over regions", 10, rows(t, new Scan().setLimit(10)).split(" ").length);
      check("batch", "c=2 c=1 d=2 d=1", rows(t, new Scan().setBatch(2).withStopRow(bytes("e"))));
      check("column", "c=1 d=1", rows(t, new Scan().addColumn(F, bytes("q1")).withStopRow(bytes("e"))));
      check("store limit", "c=2", rows(t, new Scan().setMaxResultsPerColumnFamily(2).withStopRow(bytes("d"))));
      check("small results", 24, rows(t, new Scan().setMaxResultSize(1)).split(" ").length);
      check("partial results", 72, rows(t, new Scan().setMaxResultSize(1).setAllowPartialResults(true)).split(" ").length);
      try (ResultScanner s = t.getScanner(new Scan().setCaching(2))) {
        s.next();
        check("renew", !THREE, s.renewLease()); // client 3 does not renew what it has read ahead
        check("behind renew", "d", Bytes.toString(s.next().getRow()));
        check("behind renew", "e", Bytes.toString(s.next().getRow()));
      }
      Scan metrics = new Scan().setScanMetricsEnabled(true);
      try (ResultScanner s = t.getScanner(metrics)) {
        while (s.next() != null) {
        }
        long rows = s.getScanMetrics().countOfRowsScanned.get();
        check("metrics", true, rows == 24 || rows == 25); // HBase counts one of them twice
      }
      List<HRegionLocation> regions = connection.getRegionLocator(T).getAllRegionLocations();
      check("locations", 3, regions.size());
      check("location", "h", Bytes.toString(connection.getRegionLocator(T).getRegionLocation(bytes("k")).getRegion().getStartKey()));
    }
  }

  static void conditions(Connection connection) throws Exception {
    try (Table t = connection.getTable(T)) {
      byte[] row = bytes("cond");
      Put p = new Put(row).addColumn(F, bytes("q"), bytes("5"));
      check("if not exists", true, t.checkAndMutate(CheckAndMutate.newBuilder(row).ifNotExists(F, bytes("q")).build(p)).isSuccess());
      check("if not exists, again", false, t.checkAndMutate(CheckAndMutate.newBuilder(row).ifNotExists(F, bytes("q")).build(p)).isSuccess());
      check("4 is less than 5", true, t.checkAndMutate(
          CheckAndMutate.newBuilder(row).ifMatches(F, bytes("q"), CompareOperator.LESS, bytes("4")).build(p)).isSuccess());
      check("equals", false, t.checkAndMutate(CheckAndMutate.newBuilder(row).ifEquals(F, bytes("q"), bytes("4")).build(p)).isSuccess());
      check("filter", true, t.checkAndMutate(CheckAndMutate.newBuilder(row)
          .ifMatches(new FilterList(new SingleColumnValueFilter(F, bytes("q"), CompareOperator.EQUAL, bytes("5"))))
          .build(new Delete(row).addColumns(F, bytes("none")))).isSuccess());
      RowMutations both = new RowMutations(row).add((Mutation) new Put(row).addColumn(F, bytes("r"), bytes("1")))
          .add((Mutation) new Delete(row).addColumns(F, bytes("q")));
      check("row mutations on a condition", true,
          t.checkAndMutate(CheckAndMutate.newBuilder(row).ifEquals(F, bytes("q"), bytes("5")).build(both)).isSuccess());
      check("their effect", "cond/f:r/1", text(t.get(new Get(row))));
      Result made = t.mutateRow(new RowMutations(row).add((Mutation) new Increment(row).addColumn(F, bytes("n"), 3))
          .add((Mutation) new Append(row).addColumn(F, bytes("r"), bytes("2"))));
      check("row mutations' result", "3 12", Bytes.toLong(made.getValue(F, bytes("n"))) + " " + Bytes.toString(made.getValue(F, bytes("r"))));
      check("increment on a condition", 4L, Bytes.toLong(t.checkAndMutate(CheckAndMutate.newBuilder(row)
          .ifEquals(F, bytes("r"), bytes("12")).build(new Increment(row).addColumn(F, bytes("n"), 1))).getResult().getValue(F, bytes("n"))));
      t.delete(new Delete(row));
    }
  }

  static void batches(Connection connection) throws Exception {
    try (Table t = connection.getTable(T)) {
      List<Row> actions = new ArrayList<>();
      actions.add(new Put(bytes("b1")).addColumn(F, bytes("q"), bytes("1")));
      actions.add(new Put(bytes("x1")).addColumn(bytes("no"), bytes("q"), bytes("1")));
      actions.add(new Get(bytes("c")));
      actions.add(new Increment(bytes("b2")).addColumn(F, bytes("n"), 4));
      actions.add(new RowMutations(bytes("b3")).add((Mutation) new Put(bytes("b3")).addColumn(F, bytes("q"), bytes("z"))));
      Object[] results = new Object[actions.size()];
      checkThrown("batch", "NoSuchColumnFamily", () -> t.batch(actions, results));
      check("a put of it", true, t.exists(new Get(bytes("b1"))));
      check("the failed put", true, results[1] instanceof Throwable);
      check("a get of it", 3, ((Result) results[2]).size());
      check("an increment of it", 4L, Bytes.toLong(((Result) results[3]).getValue(F, bytes("n"))));
      check("row mutations of it", true, t.exists(new Get(bytes("b3"))));
      List<Delete> deletes = new ArrayList<>();
      for (String row : new String[] {"b1", "b2", "b3"}) {
        deletes.add(new Delete(bytes(row)));
      }
      t.delete(deletes);
      check("what is left to delete", THREE ? 3 : 0, deletes.size());
      check("deleted", false, t.exists(new Get(bytes("b2"))));
      check("many gets", 2, t.get(Arrays.asList(new Get(bytes("c")), new Get(bytes("z")))).length);
      byte[] large = new byte[3 << 20];
      t.put(new Put(bytes("large")).addColumn(F, bytes("q"), large));
      check("a large cell", large.length, t.get(new Get(bytes("large"))).value().length);
      t.delete(new Delete(bytes("large")));
      Put ttl = new Put(bytes("ttl")).addColumn(F, bytes("q"), bytes("v"));
      ttl.setTTL(100000);
      check("put with TTL", true, thrown(() -> t.put(ttl)).matches("(?s)nothing|.*DoNotRetryIOException.*TTL.*"));
      t.delete(new Delete(bytes("ttl")));
    }
  }

  static void filters(Connection connection) throws Exception {
    try (Table t = connection.getTable(T)) {
      check("prefix", "k=3", rows(t, new Scan().setFilter(new PrefixFilter(bytes("k")))));
      check("regex", "c=3 d=3", rows(t, new Scan().setFilter(new RowFilter(CompareOperator.EQUAL, new RegexStringComparator("^[CD]$", 2)))));
      check("page", "c=3", rows(t, new Scan().setFilter(new PageFilter(1)).setLimit(1)));
      check("column value", 24, rows(t, new Scan().setFilter(
          new ColumnValueFilter(F, bytes("q1"), CompareOperator.EQUAL, new BinaryComparator(bytes("v1"))))).split(" ").length);
      check("fuzzy", "m=3", rows(t, new Scan().setFilter(
          new FuzzyRowFilter(Arrays.asList(new Pair<>(bytes("m"), new byte[] {0}))))));
      check("fuzzy, any", 24, rows(t, new Scan().setFilter(
          new FuzzyRowFilter(Arrays.asList(new Pair<>(bytes("m"), new byte[] {1}))))).split(" ").length);
    }
  }

  static void changes(Connection connection, Admin admin) throws Exception {
    admin.addColumnFamily(T, ColumnFamilyDescriptorBuilder.of("h"));
    checkThrown("add twice", "InvalidFamilyOperationException", () -> admin.addColumnFamily(T, ColumnFamilyDescriptorBuilder.of("h")));
    admin.modifyColumnFamily(T, ColumnFamilyDescriptorBuilder.newBuilder(bytes("h")).setMaxVersions(5).build());
    check("modified", 5, admin.getDescriptor(T).getColumnFamily(bytes("h")).getMaxVersions());
    check("kept", "ann", admin.getDescriptor(T).getValue("OWNER"));
    admin.deleteColumnFamily(T, bytes("h"));
    checkThrown("delete unknown", "InvalidFamilyOperationException", () -> admin.deleteColumnFamily(T, bytes("h")));
    admin.modifyTable(TableDescriptorBuilder.newBuilder(admin.getDescriptor(T)).setValue("OWNER", "bob").build());
    check("modified table", "bob", admin.getDescriptor(T).getValue("OWNER"));
    admin.flush(T);
    checkThrown("delete enabled", "TableNotDisabledException", () -> admin.deleteTable(T));
    checkThrown("enable enabled", "TableNotDisabledException", () -> admin.enableTable(T));
    admin.disableTable(T);
    check("disabled", true, admin.isTableDisabled(T));
    checkThrown("disable disabled", "TableNotEnabledException", () -> admin.disableTable(T));
    try (Table t = connection.getTable(T)) {
      checkThrown("get of a disabled table", "TableNotEnabledException", () -> t.get(new Get(bytes("c"))));
    }
    admin.enableTable(T);
    try (Table t = connection.getTable(T)) {
      check("enabled again", true, t.exists(new Get(bytes("c"))));
    }
    admin.disableTable(T);
    admin.truncateTable(T, true);
    check("regions of the truncated table", 3, admin.getRegions(T).size());
    try (Table t = connection.getTable(T)) {
      check("truncated", "", rows(t, new Scan()));
    }
    checkThrown("disable unknown", "TableNotFoundException", () -> admin.disableTable(TableName.valueOf("nothing")));
    try (Table t = connection.getTable(TableName.valueOf("nothing"))) {
      checkThrown("get of an unknown table", "TableNotFoundException", () -> t.get(new Get(bytes("c"))));
    }
  }

  static void namespaces(Admin admin) throws Exception {
    admin.createNamespace(NamespaceDescriptor.create("suite_ns").build());
    checkThrown("namespace twice", "NamespaceExistException",
        () -> admin.createNamespace(NamespaceDescriptor.create("suite_ns").build()));
    TableName t = TableName.valueOf("suite_ns", "t");
    TableDescriptor d = TableDescriptorBuilder.newBuilder(t).setColumnFamily(ColumnFamilyDescriptorBuilder.of(F)).build();
    admin.createTable(d);
    check("tables of the namespace", "suite_ns:t", admin.listTableNamesByNamespace("suite_ns")[0]);
    checkThrown("not empty", "ConstraintException", () -> admin.deleteNamespace("suite_ns"));
    admin.disableTable(t);
    admin.deleteTable(t);
    admin.deleteNamespace("suite_ns");
    checkThrown("gone", "NamespaceNotFoundException", () -> admin.getNamespaceDescriptor("suite_ns"));
    checkThrown("missing", "NamespaceNotFoundException", () -> admin.createTable(d));
    check("default", true, Arrays.asList(admin.listNamespaces()).contains("default"));
  }

  static void async(Configuration conf) throws Exception {
    try (AsyncConnection c = ConnectionFactory.createAsyncConnection(conf).get()) {
      var t = c.getTable(T);
      t.put(new Put(bytes("async")).addColumn(F, bytes("q"), bytes("v"))).get();
      check("async", "async/f:q/v", text(t.get(new Get(bytes("async"))).get()));
      for (int i = 0; i < 9; i++) {
        t.put(new Put(bytes("async" + i)).addColumn(F, bytes("q"), bytes("v"))).get();
      }
      check("async scan, page by page", 10, t.scanAll(new Scan().setCaching(2)).get().size());
      check("async scan", 10, t.scanAll(new Scan()).get().size());
      check("async admin", true, c.getAdmin().isTableEnabled(T).get());
      check("async descriptor", "bob", c.getAdmin().getDescriptor(T).get().getValue("OWNER"));
    }
  }

  static void end(Admin admin) throws Exception {
    admin.disableTable(T);
    admin.deleteTable(T);
    check("deleted", false, admin.tableExists(T));
  }
}
