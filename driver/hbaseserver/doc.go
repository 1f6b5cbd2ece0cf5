// Package hbaseserver serves a database of the driver hbasekv to HBase's own clients: gohbase, Java's, and
// what is made of these.
//
// [Serve] takes two listeners and the *sql.DB of a program, which may go on using it. One listener serves
// HBase's remote procedure calls, as master, as region server and as the host of hbase:meta; the other
// answers clients' requests to ZooKeeper. Clients of HBase 2.5 and later need no ZooKeeper if
// hbase.client.bootstrap.servers names the first. SQL sees their writes at once, and they see those of SQL.
//
// HBase's table ns:t is the table group t of the database ns, and its family f is the table t$f; the
// namespace default is the database of the data source name. RANGE partitions are regions.
package hbaseserver
