import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.hbase.async.AppendRequest;
import org.hbase.async.AtomicIncrementRequest;
import org.hbase.async.ColumnPrefixFilter;
import org.hbase.async.DeleteRequest;
import org.hbase.async.GetRequest;
import org.hbase.async.GetResultOrException;
import org.hbase.async.HBaseClient;
import org.hbase.async.KeyValue;
import org.hbase.async.NoSuchColumnFamilyException;
import org.hbase.async.PutRequest;
import org.hbase.async.Scanner;

/**
 * What a program does by asynchbase, and what it expects of any HBase. Arguments are ZooKeeper's address and an empty
 * table with family f. Each check that fails is a line; the last line is OK or how many failed.
 */
public class Async {
  static final byte[] F = bytes("f");
  static final byte[] Q = bytes("q");
  static final long LONG = 60_000;
  static HBaseClient client;
  static byte[] table;
  static int failed;

  static byte[] bytes(String s) {
    return s.getBytes(StandardCharsets.ISO_8859_1);
  }

  static void check(String what, Object want, Object got) {
    if (!want.equals(got)) {
      failed++;
      System.out.println(what + ": " + got + " in place of " + want);
    }
  }

  static String text(Iterable<KeyValue> cells) {
    StringBuilder out = new StringBuilder();
    for (KeyValue c : cells) {
      out.append(new String(c.key(), StandardCharsets.ISO_8859_1)).append('=')
          .append(new String(c.value(), StandardCharsets.ISO_8859_1)).append(' ');
    }
    return out.toString().trim();
  }

  static String get(String row) throws Exception {
    return text(client.get(new GetRequest(table, bytes(row))).join(LONG));
  }

  static PutRequest put(String row, String value) {
    return new PutRequest(table, bytes(row), F, Q, bytes(value));
  }

  static String all(Scanner s) throws Exception {
    List<KeyValue> out = new ArrayList<>();
    for (ArrayList<ArrayList<KeyValue>> rows; (rows = s.nextRows().join(LONG)) != null;) {
      rows.forEach(out::addAll);
    }
    return text(out);
  }

  public static void main(String[] args) throws Exception {
    client = new HBaseClient(args[0]);
    table = bytes(args[1]);
    client.ensureTableFamilyExists(table, F).join(LONG);
    reads();
    writes();
    faults();
    client.shutdown().join(LONG);
    System.out.println(failed == 0 ? "OK" : failed + " failed");
    System.exit(0);
  }

  static void reads() throws Exception {
    for (String row : new String[] {"a", "b", "c", "d", "e"}) {
      client.put(put(row, row.toUpperCase()));
    }
    PutRequest alone = new PutRequest(table, bytes("a"), F, bytes("r"), new byte[0]);
    alone.setBufferable(false);
    client.put(alone).join(LONG);
    client.flush().join(LONG);
    check("get", "a=A a=", get("a"));
    check("get a column", "a=A", text(client.get(new GetRequest(table, bytes("a"), F, Q)).join(LONG)));
    check("absent", "", get("zz"));
    List<GetRequest> many = Arrays.asList(new GetRequest(table, bytes("b")), new GetRequest(table, bytes("no")),
        new GetRequest(table, bytes("c"), F, Q));
    StringBuilder batch = new StringBuilder();
    for (GetResultOrException r : client.get(many).join(LONG)) {
      batch.append(r.getException() == null ? text(r.getCells()) : r.getException().toString()).append(',');
    }
    check("batch", "b=B,,c=C,", batch.toString());

    Scanner s = client.newScanner(table);
    s.setMaxNumRows(2);
    check("scan", "a=A a= b=B c=C d=D e=E", all(s));
    s = client.newScanner(table);
    s.setStartKey(bytes("b"));
    s.setStopKey(bytes("d"));
    check("range", "b=B c=C", all(s));
    s = client.newScanner(table);
    s.setKeyRegexp("^[ad]$");
    check("regular expression", "a=A a= d=D", all(s));
    s = client.newScanner(table);
    s.setFilter(new ColumnPrefixFilter("r"));
    check("prefix", "a=", all(s));
    s = client.newScanner(table);
    s.setReversed(true);
    check("reversed", "e=E d=D c=C b=B a=A a=", all(s));
    s = client.newScanner(table);
    s.setMaxNumRows(1);
    check("first", "a=A a=", text(s.nextRows().join(LONG).get(0)));
    s.close().join(LONG);
  }

  static void writes() throws Exception {
    AtomicIncrementRequest five = new AtomicIncrementRequest(table, bytes("n"), F, bytes("n"), 5);
    check("increment", 5L, client.atomicIncrement(five).join(LONG));
    AtomicIncrementRequest back = new AtomicIncrementRequest(table, bytes("n"), F, bytes("n"), -2);
    check("increment by less", 3L, client.atomicIncrement(back).join(LONG));
    client.append(new AppendRequest(table, bytes("b"), F, Q, bytes("+"))).join(LONG);
    check("append", "b=B+", get("b"));
    check("compare and set", true, client.compareAndSet(put("b", "new"), bytes("B+")).join(LONG));
    check("compare and set again", false, client.compareAndSet(put("b", "no"), bytes("B+")).join(LONG));
    check("create", true, client.atomicCreate(put("x", "1")).join(LONG));
    check("create again", false, client.atomicCreate(put("x", "2")).join(LONG));
    check("what is left", "b=new x=1", get("b") + " " + get("x"));
    client.put(new PutRequest(table, bytes("t"), F, Q, bytes("old"), 7)).join(LONG);
    check("timestamp", 7L, client.get(new GetRequest(table, bytes("t"))).join(LONG).get(0).timestamp());
    client.delete(new DeleteRequest(table, bytes("a"), F, bytes("r"))).join(LONG);
    check("delete a column", "a=A", get("a"));
    client.delete(new DeleteRequest(table, bytes("a"))).join(LONG);
    check("delete a row", "", get("a"));
  }

  static void faults() throws Exception {
    byte[] none = bytes("none");
    try {
      client.ensureTableFamilyExists(table, none).join(LONG);
      check("no family", "an exception", "none");
    } catch (NoSuchColumnFamilyException e) { // as it is to be
    }
    try {
      client.put(new PutRequest(table, bytes("a"), none, Q, Q)).join(LONG);
      check("put without family", "an exception", "none");
    } catch (NoSuchColumnFamilyException e) { // as it is to be
    }
  }
}
