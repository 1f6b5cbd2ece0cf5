import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What PerformanceEvaluation does, on the rows of the table speed: for each number of threads, which share a
 * connection as Java's programs do, how much was done in a second. Arguments: the quorum, and how many ms each takes.
 */
public class Speed {
  interface Work {
    void once(Table table, int thread, long n) throws Exception;
  }

  static final byte[] F = Bytes.toBytes("f");
  static final byte[] Q = Bytes.toBytes("field0");
  static final byte[] VALUE = new byte[1000];

  static byte[] row(long n) {
    return Bytes.toBytes(String.format("user%08d", n * 7919 % 20000));
  }

  static void scan(Table table) throws Exception {
    try (ResultScanner rows = table.getScanner(new Scan().withStartRow(Bytes.toBytes("user")).setCaching(100).setLimit(1000))) {
      while (rows.next() != null) { }
    }
  }

  static void check(Table table, int thread, long n) throws Exception {
    byte[] row = Bytes.toBytes("javacheck" + thread);
    table.checkAndMutate(CheckAndMutate.newBuilder(row).ifEquals(F, Q, Bytes.toBytes(n - 1))
        .build(new Put(row).addColumn(F, Q, Bytes.toBytes(n))));
  }

  static void batch(Table table, int thread, long n) throws Exception {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      puts.add(new Put(Bytes.toBytes("javabatch" + thread + "-" + n + "-" + i)).addColumn(F, Q, Bytes.toBytes(n)));
    }
    table.put(puts);
  }

  static void measure(Connection c, long ms, String name, Work work) throws Exception {
    for (int threads : new int[] {1, 8}) {
      AtomicLong done = new AtomicLong();
      List<Thread> all = new ArrayList<>();
      List<Exception> failed = new ArrayList<>();
      long began = System.nanoTime(), end = began + ms * 1_000_000;
      for (int i = 0; i < threads; i++) {
        int thread = i;
        all.add(new Thread(() -> {
          try (Table table = c.getTable(TableName.valueOf("speed"))) {
            for (long n = 1; System.nanoTime() < end; n++) {
              work.once(table, thread, n * 8 + thread);
              done.incrementAndGet();
            }
          } catch (Exception e) {
            synchronized (failed) {
              failed.add(e);
            }
          }
        }));
      }
      for (Thread t : all) {
        t.start();
      }
      for (Thread t : all) {
        t.join();
      }
      if (!failed.isEmpty()) {
        throw failed.get(0);
      }
      System.out.printf("%s|%d|%.0f%n", name, threads, done.get() * 1e9 / (System.nanoTime() - began));
    }
  }

  public static void main(String[] args) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    String[] quorum = args[0].split(":");
    conf.set("hbase.zookeeper.quorum", quorum[0]);
    conf.set("hbase.zookeeper.property.clientPort", quorum[1]);
    long ms = Long.parseLong(args[1]);
    try (Connection c = ConnectionFactory.createConnection(conf)) {
      Work get = (t, thread, n) -> t.get(new Get(row(n)));
      try (Table t = c.getTable(TableName.valueOf("speed"))) { // so that Java has compiled what it can
        for (long n = 0, end = System.nanoTime() + ms * 2_000_000; System.nanoTime() < end; n++) {
          t.get(new Get(row(n)));
          t.put(new Put(Bytes.toBytes("javawarm")).addColumn(F, Q, VALUE));
        }
      }
      measure(c, ms, "sequentialWrite",
          (t, thread, n) -> t.put(new Put(Bytes.toBytes("java" + thread + "-" + n)).addColumn(F, Q, VALUE)));
      measure(c, ms, "randomRead", get);
      measure(c, ms, "scan of 1,000 rows", (t, thread, n) -> scan(t));
      measure(c, ms, "increment",
          (t, thread, n) -> t.increment(new Increment(Bytes.toBytes("javacount" + n % 1000)).addColumn(F, Q, 1)));
      measure(c, ms, "checkAndPut", Speed::check);
      measure(c, ms, "batch of 100 puts", Speed::batch);
    }
  }
}
