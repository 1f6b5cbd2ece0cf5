import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.*;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.util.Bytes;
import java.util.*;

/** Makes the table that is exported: two families, versions, bytes of all kinds. */
public class Make {
  public static void main(String[] args) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    conf.set("hbase.zookeeper.quorum", "127.0.0.1");
    conf.set("hbase.zookeeper.property.clientPort", args[0]);
    TableName name = TableName.valueOf("users");
    try (Connection c = ConnectionFactory.createConnection(conf); Admin admin = c.getAdmin()) {
      if (admin.tableExists(name)) { admin.disableTable(name); admin.deleteTable(name); }
      TableDescriptorBuilder t = TableDescriptorBuilder.newBuilder(name);
      for (String f : new String[] {"info", "log"})
        t.setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(f)).setMaxVersions(10).build());
      admin.createTable(t.build(), new byte[][] {Bytes.toBytes("m")});
      try (Table table = c.getTable(name)) {
        byte[] all = new byte[256];
        for (int i = 0; i < 256; i++) all[i] = (byte) i;
        put(table, new byte[] {0, (byte) 0xff, '\\'}, "info", new byte[] {(byte) 0xe4, '\n'}, 1, all);
        put(table, b("ann"), "info", b("name"), 100, b("Ann"));
        put(table, b("ann"), "info", b("name"), 200, b("Anne"));
        put(table, b("ann"), "info", b("name"), 150, b("Anna"));
        put(table, b("ann"), "info", b(""), 7, b("no qualifier"));
        put(table, b("ann"), "log", b("empty"), 0, b(""));
        put(table, b("bob"), "log", b("a:b"), Long.MAX_VALUE - 1, b("late"));
        put(table, b("zoe"), "info", b("gone"), 5, b("deleted"));
        table.delete(new Delete(b("zoe")).addColumns(b("info"), b("gone")));
        byte[] large = new byte[5000];
        Arrays.fill(large, (byte) 'x');
        put(table, b("zoe"), "log", b("large"), 1700000000000L, large);
        List<Put> puts = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
          Put p = new Put(b(String.format("row%05d", i)));
          for (int q = 0; q < 3; q++)
            p.addColumn(b(q == 2 ? "log" : "info"), b("q" + q), 1000 + i, b("value " + i + "." + q));
          puts.add(p);
        }
        table.put(puts);
      }
    }
  }
  static byte[] b(String s) { return Bytes.toBytes(s); }
  static void put(Table t, byte[] k, String f, byte[] q, long ts, byte[] v) throws Exception {
    t.put(new Put(k).addColumn(b(f), q, ts, v));
  }
}
