import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
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
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Programs of API calls by chance, done on two HBases and compared call by call. Arguments: the two quorums, the seed,
 * how many calls, how many of them a program, and 1 to look first whether both have what the run before has left. A
 * difference is a line; the last line is the number of calls and of differences.
 */
public class Programs {
  static final TableName T = TableName.valueOf("programs");

  /** What is done on one HBase: its text is what is compared. */
  interface Call {
    String on(Connection c) throws Exception;
  }

  static Draw d;
  /** The call that has been drawn changes nothing. */
  static boolean reads;
  static String what;
  /** What is there before a call: what is needed to tell why its answers differ. */
  static String there = "";
  static int differences;

  static Connection connect(String quorum) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    conf.set("hbase.zookeeper.quorum", quorum.split(":")[0]);
    conf.set("hbase.zookeeper.property.clientPort", quorum.split(":")[1]);
    conf.setInt("hbase.client.retries.number", 4);
    conf.setInt("hbase.client.pause", 20);
    conf.setInt("hbase.rpc.timeout", 20000);
    conf.setInt("hbase.client.operation.timeout", 60000);
    conf.setInt("hbase.client.scanner.timeout.period", 20000);
    return ConnectionFactory.createConnection(conf);
  }

  public static void main(String[] args) throws Exception {
    long seed = Long.parseLong(args[2]);
    int calls = Integer.parseInt(args[3]), each = Integer.parseInt(args[4]), done = 0;
    try (Connection a = connect(args[0]); Connection b = connect(args[1])) {
      if (args[5].equals("1")) {
        what = "what the run before has left";
        differ("" + seed, text(Programs::everything, a), text(Programs::everything, b));
      }
      for (int program = 0; done < calls; program++) {
        make(a.getAdmin());
        make(b.getAdmin());
        done += run(a, b, seed + program, Math.min(each, calls - done));
      }
    }
    System.out.println(done + " calls, " + differences + " differences");
    System.exit(0);
  }

  static void make(Admin admin) throws Exception {
    if (admin.tableExists(T)) {
      if (admin.isTableEnabled(T)) {
        admin.disableTable(T);
      }
      admin.deleteTable(T);
    }
    TableDescriptorBuilder of = TableDescriptorBuilder.newBuilder(T);
    for (String f : new String[] {"a", "b", "c"}) { // beyond VERSIONS, HBase shows some until it compacts
      of.setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Draw.bytes(f)).setMaxVersions(100000).build());
    }
    admin.createTable(of.build(), new byte[][] {Draw.bytes("h"), Draw.bytes("n")});
  }

  /** Does a program until its first difference, and gives how many calls it was. */
  static int run(Connection a, Connection b, long seed, int calls) throws Exception {
    d = new Draw(seed);
    markers.clear();
    there = "";
    for (int n = 1; n <= calls; n++) {
      Call call = draw();
      Thread.sleep(2); // no two calls have one time
      String one = text(call, a), other = text(call, b);
      if (one.contains("out of bounds")) { // HBase's filters read behind the end of a row
        System.out.println("HBase fails, seed " + seed + " call " + n + " " + what + ": " + one);
        continue;
      }
      if (differ(seed + " call " + n, one, other)) {
        return n;
      }
      if (reads) {
        continue;
      }
      one = text(Programs::everything, a);
      other = text(Programs::everything, b);
      if (differ(seed + " after call " + n, one, other)) {
        return n;
      }
      there = one;
    }
    return calls;
  }

  static boolean differ(String where, String one, String other) {
    if (one.equals(other)) {
      return false;
    }
    differences++;
    System.out.println("DIFFERENCE seed " + where + " " + what + "\n  1: " + beside(one, other) + "\n  2: " + beside(other, one)
        + "\n  before: " + there.replace("\n", "\n    "));
    return true;
  }

  /** The text, or its words that the other has not, where it is long. */
  static String beside(String text, String other) {
    if (text.length() < 400 && other.length() < 400) {
      return text;
    }
    List<String> out = new ArrayList<>(Arrays.asList(text.split("\\s+")));
    out.removeAll(Arrays.asList(other.split("\\s+")));
    return out.isEmpty() ? "\"" + text + "\"" : "... " + String.join(" ", out); // order, repetition and spaces may differ
  }

  static String everything(Connection c) throws Exception {
    try (Table t = c.getTable(T); ResultScanner s = t.getScanner(new Scan().readAllVersions())) {
      StringBuilder out = new StringBuilder();
      for (Result r : s) {
        out.append(text(r)).append('\n');
      }
      return out.toString();
    }
  }

  static String text(Call call, Connection c) {
    try {
      return call.on(c);
    } catch (RetriesExhaustedWithDetailsException e) {
      StringBuilder out = new StringBuilder("throws");
      for (int i = 0; i < e.getNumExceptions(); i++) {
        out.append(' ').append(thrown(e.getCause(i)));
      }
      return out.toString();
    } catch (Throwable t) {
      return "throws " + thrown(t);
    }
  }

  static String thrown(Throwable t) {
    while (t.getCause() != null
        && (t instanceof java.io.UncheckedIOException || t.getClass().getSimpleName().startsWith("RetriesExhausted"))) {
      t = t.getCause();
    }
    if (t.getClass() == java.io.IOException.class) { // which class of Java's it was is in its text alone
      t.printStackTrace();
      return t.toString().split("\n")[0];
    }
    return t.getClass().getSimpleName();
  }

  static String time(long t) {
    return t == Long.MAX_VALUE ? "none" : t > 1_000_000_000_000L && t < Draw.FUTURE ? "now" : Long.toString(t);
  }

  static String text(Cell c) {
    return Bytes.toStringBinary(CellUtil.cloneRow(c)) + "/" + Bytes.toString(CellUtil.cloneFamily(c)) + ":"
        + Bytes.toStringBinary(CellUtil.cloneQualifier(c)) + "/" + time(c.getTimestamp()) + "="
        + Bytes.toStringBinary(CellUtil.cloneValue(c)).replace(" ", "\\x20"); // cells end with spaces
  }

  static String text(Result r) {
    if (r == null) {
      return "null";
    }
    if (r.getExists() != null) {
      return r.getExists().toString();
    }
    StringBuilder out = new StringBuilder();
    for (int i = 0; !r.isEmpty() && i < r.rawCells().length; i++) {
      out.append(text(r.rawCells()[i])).append(' ');
    }
    return out.toString().trim();
  }

  static Call draw() throws Exception {
    int kind = d.upTo(20);
    reads = kind >= 9;
    switch (kind) {
      case 0:
      case 1:
      case 2:
      case 3: {
        Mutation m = d.one(5) ? delete(d.row()) : put(d.row());
        what = describe(m);
        return onTable(t -> {
          if (m instanceof Put) {
            t.put((Put) m);
          } else {
            t.delete(new Delete((Delete) m));
          }
          return "done";
        });
      }
      case 4: {
        Mutation m = d.one(2) ? increment(d.row()) : append(d.row());
        what = describe(m);
        return onTable(t -> text(m instanceof Increment ? t.increment((Increment) m) : t.append((Append) m)));
      }
      case 5: {
        RowMutations m = mutations(d.row());
        what = describe(m);
        return onTable(t -> sorted(text(t.mutateRow(m))));
      }
      case 6:
      case 7: {
        CheckAndMutate m = check();
        return onTable(t -> sorted(text(t.checkAndMutate(m))));
      }
      case 8: {
        List<Row> m = actions();
        what = "batch ";
        for (Row each : m) {
          what += describe(each);
        }
        return onTable(t -> batch(t, m));
      }
      case 9:
      case 10:
      case 11:
      case 12: {
        Get g = get(d.row());
        return onTable(t -> text(t.get(g)));
      }
      case 13:
        if (d.one(8)) {
          reads = false;
          return admin();
        }
      default: {
        Scan s = scan();
        boolean whole = s.getAllowPartialResults();
        return onTable(t -> rows(t, s, whole));
      }
    }
  }

  interface OnTable {
    String on(Table t) throws Exception;
  }

  static Call onTable(OnTable f) {
    return c -> {
      try (Table t = c.getTable(T)) {
        return f.on(t);
      }
    };
  }

  static String text(CheckAndMutateResult r) {
    return r.isSuccess() + " " + text(r.getResult());
  }

  static String describe(Object m) throws Exception {
    if (m instanceof RowMutations) {
      StringBuilder out = new StringBuilder("RowMutations ");
      for (Mutation each : ((RowMutations) m).getMutations()) {
        out.append(describe(each));
      }
      return out.toString();
    }
    if (m instanceof Get) {
      return "Get " + ((Get) m).toJSON(100) + " " + ((Get) m).getFilter();
    }
    StringBuilder out = new StringBuilder(m.getClass().getSimpleName()).append('{');
    for (List<Cell> cells : ((Mutation) m).getFamilyCellMap().values()) {
      for (Cell c : cells) {
        out.append(c.getType()).append(' ').append(text(c)).append(' ');
      }
    }
    if (m instanceof Increment) {
      out.append(((Increment) m).getTimeRange());
    } else if (m instanceof Append) {
      out.append(((Append) m).getTimeRange());
    }
    return out.append("} ").toString();
  }

  /** The words of a text in their order: HBase has the new cells of RowMutations mutation by mutation. */
  static String sorted(String text) {
    String[] words = text.split(" ");
    Arrays.sort(words);
    return String.join(" ", words);
  }

  static Put put(byte[] row) {
    Put p = new Put(row);
    for (int n = 1 + d.upTo(3); n > 0; n--) {
      byte[] f = d.family(), q = d.qualifier(f);
      long at = d.timestamp();
      if (q.length == 0) {
        at = 3; // see Draw.qualifier
        q = hidden(row, f, q, at) ? Draw.bytes("p") : q;
      }
      p.addColumn(f, q, hidden(row, f, q, at) ? Long.MAX_VALUE : at, d.value());
    }
    return p;
  }

  /** Never of the future, whose markers would hide what increments and conditions write. */
  static Delete delete(byte[] row) {
    Delete out = new Delete(row);
    for (int n = 1 + d.upTo(2); n > 0; n--) {
      byte[] f = d.family(), q = d.qualifier();
      long at = d.one(3) ? Long.MAX_VALUE : 1 + d.upTo(6);
      switch (d.upTo(f[0] == 'c' ? 2 : 4)) {
        case 0:
          at = Math.min(at, 6);
          out.addColumn(f, q, at);
          break;
        case 1:
          out.addColumns(f, q, at);
          break;
        case 2:
          out.addFamily(f, at);
          break;
        default:
          out.addFamilyVersion(f, at);
      }
    }
    for (List<Cell> cells : out.getFamilyCellMap().values()) {
      markers.addAll(cells);
    }
    return out;
  }

  /** What HBase keeps of deletes until it compacts: it hides what is put later. */
  static final List<Cell> markers = new ArrayList<>();

  static boolean hidden(byte[] row, byte[] f, byte[] q, long at) {
    for (Cell m : markers) {
      if (!CellUtil.matchingRows(m, row) || !CellUtil.matchingFamily(m, f)) {
        continue;
      }
      boolean column = CellUtil.matchingQualifier(m, q);
      switch (m.getType()) {
        case Delete:
          if (column && at == m.getTimestamp()) {
            return true;
          }
          break;
        case DeleteFamilyVersion:
          if (at == m.getTimestamp()) {
            return true;
          }
          break;
        case DeleteColumn:
          if (column && at < Draw.FUTURE && at <= m.getTimestamp()) {
            return true;
          }
          break;
        default:
          if (at < Draw.FUTURE && at <= m.getTimestamp()) {
            return true;
          }
      }
    }
    return false;
  }

  static Increment increment(byte[] row) throws Exception {
    return increment(row, new HashSet<>());
  }

  /** HBase adds to a column once only, the last amount, where it is named twice. */
  static Increment increment(byte[] row, Set<String> columns) throws Exception {
    Increment out = new Increment(row);
    for (int n = 1 + d.upTo(2); n > 0; n--) {
      byte[] f = d.family(), q = d.named();
      if (columns.add(Arrays.toString(f) + Arrays.toString(q)) || out.isEmpty()) {
        out.addColumn(f, q, d.upTo(5) - 2);
      }
    }
    if (d.one(4)) {
      long[] times = d.times();
      out.setTimeRange(times[0], times[1]);
    }
    return out.setReturnResults(!d.one(4));
  }

  static Append append(byte[] row) {
    return append(row, new HashSet<>());
  }

  static Append append(byte[] row, Set<String> columns) {
    Append out = new Append(row);
    for (int n = 1 + d.upTo(2); n > 0; n--) {
      byte[] f = d.family(), q = d.named();
      if (columns.add(Arrays.toString(f) + Arrays.toString(q)) || out.isEmpty()) {
        out.addColumn(f, q, d.value());
      }
    }
    if (d.one(4)) {
      long[] times = d.times();
      out.setTimeRange(times[0], times[1]);
    }
    return out.setReturnResults(!d.one(4));
  }

  static Mutation mutation(byte[] row) throws Exception {
    switch (d.upTo(6)) {
      case 0:
        return delete(row);
      case 1:
        return increment(row);
      case 2:
        return append(row);
      default:
        return put(row);
    }
  }

  /** Mutations of one row have one time, and one column is written once: so no increments beside puts. */
  static RowMutations mutations(byte[] row) throws Exception {
    RowMutations out = new RowMutations(row);
    int which = d.upTo(4);
    Set<String> columns = new HashSet<>();
    for (int n = which == 0 ? 1 : 1 + d.upTo(3); n > 0; n--) {
      int before = columns.size();
      Mutation m = which == 0 ? delete(row) : which == 1 ? increment(row, columns) : which == 2 ? append(row, columns) : put(row);
      if (out.getMutations().isEmpty() || which == 0 || which == 3 || columns.size() - before == m.size()) {
        out.add(m);
      }
    }
    return out;
  }

  static CheckAndMutate check() throws Exception {
    byte[] row = d.row(), f = d.family(), q = d.qualifier(), value = d.value();
    CheckAndMutate.Builder b = CheckAndMutate.newBuilder(row);
    String condition;
    switch (d.upTo(4)) {
      case 0:
        b.ifNotExists(f, q);
        condition = "not exists";
        break;
      case 1: {
        d.reversed = d.scanning = false;
        d.onDemand = true;
        Filter filter = d.filter(1);
        b.ifMatches(filter);
        condition = "filter " + filter;
        break;
      }
      default: {
        var op = d.comparing();
        b.ifMatches(f, q, op, value);
        condition = op + " " + Bytes.toStringBinary(value);
      }
    }
    if (d.one(3)) {
      long[] times = d.times();
      b.timeRange(new org.apache.hadoop.hbase.io.TimeRange(times[0], times[1]));
      condition += " in " + Arrays.toString(times);
    }
    CheckAndMutate out;
    String then;
    switch (d.upTo(5)) {
      case 0: {
        Delete m = delete(row);
        then = describe(m);
        out = b.build(m);
        break;
      }
      case 1: {
        Increment m = increment(row);
        then = describe(m);
        out = b.build(m);
        break;
      }
      case 2: {
        Append m = append(row);
        then = describe(m);
        out = b.build(m);
        break;
      }
      case 3: {
        RowMutations m = mutations(row);
        then = describe(m);
        out = b.build(m);
        break;
      }
      default: {
        Put m = put(row);
        then = describe(m);
        out = b.build(m);
      }
    }
    what = "check " + Bytes.toStringBinary(row) + " " + Bytes.toString(f) + ":" + Bytes.toStringBinary(q) + " " + condition
        + " then " + then;
    return out;
  }

  /**
   * A row is written once, or read: HBase gives the puts and deletes of a batch one time, and reads before it writes
   * what is before.
   */
  static List<Row> actions() throws Exception {
    List<Row> out = new ArrayList<>();
    for (String row : new String[] {"a", "b", "h", "m", "n", "\u00ff"}) {
      byte[] r = Draw.bytes(row);
      if (d.one(2)) {
        out.add(d.one(6) ? mutations(r) : mutation(r));
      } else if (d.one(2)) {
        out.add(get(r));
      } else {
        out.add(increment(r));
      }
    }
    if (out.isEmpty()) {
      out.add(get(d.row()));
    }
    return out;
  }

  static String batch(Table t, List<Row> actions) throws Exception {
    Object[] results = new Object[actions.size()];
    try {
      t.batch(actions, results);
    } catch (RetriesExhaustedWithDetailsException e) {
      // Each has its own result.
    }
    StringBuilder out = new StringBuilder();
    for (Object r : results) {
      out.append('[').append(r instanceof Throwable ? thrown((Throwable) r) : sorted(text((Result) r))).append("] ");
    }
    return out.toString();
  }

  static Get get(byte[] row) throws Exception {
    Get g = new Get(row);
    d.reversed = d.scanning = false;
    if (d.one(2)) {
      g.readVersions(1 + d.upTo(4));
    }
    if (d.one(3)) {
      long[] times = d.times();
      g.setTimeRange(times[0], times[1]);
    }
    for (int n = d.one(2) ? d.upTo(3) : 0; n > 0; n--) {
      if (d.one(2)) {
        g.addFamily(d.family());
      } else {
        g.addColumn(d.family(), d.qualifier());
      }
    }
    if (d.one(8)) {
      long[] times = d.times();
      g.setColumnFamilyTimeRange(d.of("a", "b"), times[0], times[1]);
    }
    if (d.one(4)) {
      g.setMaxResultsPerColumnFamily(1 + d.upTo(3));
    }
    if (d.one(4)) {
      g.setRowOffsetPerColumnFamily(d.upTo(3));
    }
    d.onDemand = d.one(2);
    if (!d.onDemand) {
      g.setLoadColumnFamiliesOnDemand(false);
    }
    if (d.one(2)) {
      g.setFilter(d.filter(2));
    }
    g.setCheckExistenceOnly(d.one(8));
    what = "get " + g.toJSON(100) + " times " + g.getColumnFamilyTimeRange() + " limit " + g.getMaxResultsPerColumnFamily() + " offset "
        + g.getRowOffsetPerColumnFamily() + " onDemand " + g.getLoadColumnFamiliesOnDemandValue() + " filter " + g.getFilter()
        + " exists " + g.isCheckExistenceOnly();
    return g;
  }

  static Scan scan() throws Exception {
    Scan s = new Scan();
    if (d.one(2)) {
      s.withStartRow(d.row(), d.one(2));
    }
    if (d.one(2)) {
      s.withStopRow(d.row(), d.one(2));
    }
    s.setReversed(d.one(3));
    d.reversed = s.isReversed();
    d.scanning = true;
    if (d.one(2)) {
      s.readVersions(1 + d.upTo(4));
    }
    if (d.one(3)) {
      long[] times = d.times();
      s.setTimeRange(times[0], times[1]);
    }
    for (int n = d.one(2) ? d.upTo(3) : 0; n > 0; n--) {
      if (d.one(2)) {
        s.addFamily(d.family());
      } else {
        s.addColumn(d.family(), d.qualifier());
      }
    }
    if (d.one(8)) {
      long[] times = d.times();
      s.setColumnFamilyTimeRange(d.of("a", "b"), times[0], times[1]);
    }
    if (d.one(6)) {
      s.setMaxResultsPerColumnFamily(1 + d.upTo(3));
    }
    if (d.one(6)) {
      s.setRowOffsetPerColumnFamily(d.upTo(3));
    }
    if (d.one(4)) {
      s.setLimit(1 + d.upTo(4));
    }
    if (d.one(3)) {
      s.setCaching(1 + d.upTo(3));
    }
    if (d.one(3)) {
      s.setMaxResultSize(1 + d.upTo(300));
    }
    s.setAllowPartialResults(d.one(4));
    if (s.isReversed() || d.one(2)) { // HBase refuses some filters in reverse on demand
      s.setLoadColumnFamiliesOnDemand(d.one(2) && !s.isReversed());
    }
    d.onDemand = !Boolean.FALSE.equals(s.getLoadColumnFamiliesOnDemandValue()); // as HBase does unless it is told
    if (d.one(2)) {
      s.setFilter(d.filter(2));
    }
    if (s.getFilter() != null && s.getFilter().toString().contains("WhileMatch")) {
      s.setMaxResultSize(-1); // whether it ends in all regions hangs on the page, which HBase counts by memory
    }
    if (d.one(6) && (s.getFilter() == null || !s.getFilter().hasFilterRow())) {
      s.setBatch(1 + d.upTo(3));
    }
    if (s.getBatch() > 0 || s.getAllowPartialResults()) { // HBase's client counts some rows twice that come in pieces
      s.setLimit(-1);
    }
    if (d.one(3)) {
      s.setReadType(d.one(2) ? Scan.ReadType.PREAD : Scan.ReadType.STREAM);
    }
    what = "scan " + s.toJSON(100) + " start " + s.includeStartRow() + " stop " + s.includeStopRow() + " reversed " + s.isReversed()
        + " limit " + s.getLimit() + " perFamily " + s.getMaxResultsPerColumnFamily() + "+" + s.getRowOffsetPerColumnFamily()
        + " partial " + s.getAllowPartialResults() + " times " + s.getColumnFamilyTimeRange() + " onDemand "
        + s.getLoadColumnFamiliesOnDemandValue() + " filter " + s.getFilter();
    return s;
  }

  static String rows(Table t, Scan s, boolean whole) throws Exception {
    StringBuilder out = new StringBuilder();
    try (ResultScanner scanner = t.getScanner(new Scan(s))) {
      for (Result r : scanner) {
        out.append(text(r)).append(whole ? " " : "\n  ");
      }
    }
    return out.toString();
  }

  static Call admin() {
    int kind = d.upTo(4);
    what = new String[] {"flush", "compact", "disable", "truncate"}[kind];
    return c -> {
      Admin admin = c.getAdmin();
      switch (kind) {
        case 0:
          admin.flush(T);
          break;
        case 1:
          admin.majorCompact(T);
          break;
        case 2:
          admin.disableTable(T);
          admin.enableTable(T);
          break;
        default:
          admin.disableTable(T);
          admin.truncateTable(T, true);
      }
      return admin.isTableEnabled(T) + " " + admin.getRegions(T).size();
    };
  }
}
