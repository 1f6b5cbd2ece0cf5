// Package hbase is a store over a real HBase cluster: importing it makes data source
// names such as hbase://zk1,zk2:2181/namespace known.
//
//	import _ "github.com/hbasekv/hbasekv/kv/hbase"
//
// A namespace is a database, a table is a table group, a column family is the table
// table$family, and regions are RANGE partitions.
//
// # Files
//
//	rpc          all that is spoken: connections, ZooKeeper, cells' format, newer fields
//	cluster      where regions and the master are, and what is tried again
//	procedures   what the master does
//	catalog      descriptors and regions as kv's catalog
//	pieces       a scan's ranges as rows and parts of rows
//	request      what is left to the servers of a scan
//	scanner      a server's scanner, and a table's that survives moves
//	gets         many rows at once
//	divide       regions read side by side
//	cursor       cells in the order asked for
//	txn, own     reads with the transaction's own writes on top
//	readlog      what a transaction has read
//	writes       what it writes, until the commit
//	guard        the condition of a commit
//	commit       one mutation of one row
//	ddl          what a change of the catalog takes
//
// # What is pushed
//
// Servers filter by families, qualifiers and the scan's own time range, which leave
// what is the newest version as it is. A filter of values or of timestamps would be
// applied before versions are counted, and so change the answer: there is none.
// A range that cuts versions of several columns is read with all versions, and cut
// here.
package hbase
