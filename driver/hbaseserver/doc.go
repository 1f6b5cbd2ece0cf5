// Package hbaseserver serves a database of the driver hbasekv to HBase's own clients: gohbase, Java's, and
// what is made of these.
//
// [Serve] is given two listeners and the *sql.DB of a program, which goes on using it: one answers HBase's
// remote procedure calls, as master, as region server and as the holder of hbase:meta; the other what clients
// ask of ZooKeeper. Clients of HBase 2.5 and later need no ZooKeeper where they are told of the first as
// hbase.client.bootstrap.servers. What they write is seen by SQL at once, and the reverse.
//
// HBase's table ns:t is the table group t of the database ns, and its family f the table t$f; the
// namespace default is the database that the data source name says. RANGE partitions are regions.
package hbaseserver
