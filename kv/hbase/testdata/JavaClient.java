import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;

/**
 * What HBase's own client takes for what TestBesideJava does by SQL. It is told what to
 * do by lines of standard input, NAME and a number, and answers each by a line: how
 * many nanoseconds that took, and how many cells or rows it saw.
 */
public class JavaClient {
  static final byte[] A = bytes("a");
  static final byte[] Q = bytes("q");
  static final byte[] VALUE = new byte[100];

  static byte[] bytes(String s) {
    return s.getBytes(StandardCharsets.UTF_8);
  }

  public static void main(String[] args) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    conf.set("hbase.zookeeper.quorum", args[0]);
    conf.set("hbase.zookeeper.property.clientPort", args[1]);
    int rows = Integer.parseInt(args[3]);
    try (Connection connection = ConnectionFactory.createConnection(conf);
        Table table = connection.getTable(TableName.valueOf(args[2]))) {
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ");
        int n = Integer.parseInt(words[1]);
        long start = System.nanoTime();
        long seen = run(table, words[0], n, rows);
        System.out.println((System.nanoTime() - start) + " " + seen);
      }
    }
  }

  static int written;

  static byte[] key(int i, int rows) {
    return bytes(String.format("k%07d", (int) ((long) i * 7919 % rows) * 10));
  }

  static long run(Table table, String what, int n, int rows) throws Exception {
    long seen = 0;
    switch (what) {
      case "scan":
        return scan(table, new Scan().addFamily(A));
      case "count": // as the shell's count does with CACHE => 10000
        Scan count = new Scan().setCacheBlocks(false).setCaching(10000);
        count.setFilter(new FirstKeyOnlyFilter());
        return scan(table, count);
      case "shellcount": // as the shell's count does unless it is told otherwise
        Scan shell = new Scan().setCacheBlocks(false).setCaching(10);
        shell.setFilter(new FirstKeyOnlyFilter());
        return scan(table, shell);
      case "get":
        for (int i = 0; i < n; i++) {
          seen += table.get(new Get(key(i, rows)).addColumn(A, Q)).size();
        }
        return seen;
      case "limit1":
        for (int i = 0; i < n; i++) {
          seen += scan(table, new Scan().addFamily(A).setLimit(1));
        }
        return seen;
      case "put":
        for (int i = 0; i < n; i++) {
          table.put(new Put(next()).addColumn(A, Q, 5, VALUE));
          seen++;
        }
        return seen;
      case "insert":
        for (int i = 0; i < n; i++) {
          byte[] row = next();
          Put put = new Put(row).addColumn(A, Q, 5, VALUE);
          CheckAndMutate one = CheckAndMutate.newBuilder(row).ifNotExists(A, Q).build(put);
          seen += table.checkAndMutate(one).isSuccess() ? 1 : 0;
        }
        return seen;
      default:
        throw new IllegalArgumentException(what);
    }
  }

  static byte[] next() {
    return bytes(String.format("j%08d", written++));
  }

  static long scan(Table table, Scan scan) throws Exception {
    long seen = 0;
    try (ResultScanner results = table.getScanner(scan)) {
      for (Result r : results) {
        seen += r.size();
      }
    }
    return seen;
  }
}
