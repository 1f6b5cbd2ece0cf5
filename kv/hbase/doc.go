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
//	rpc          the protocols: connections, ZooKeeper, the format of cells, newer fields
//	cluster      locations of regions and the master, and retries
//	procedures   what the master does
//	catalog      descriptors and regions as kv's catalog
//	pieces       a scan's ranges as rows and parts of rows
//	request      the part of a scan that the servers do
//	scanner      a server's scanner, and one on a table that survives moves
//	gets         many rows at once
//	divide       regions read concurrently
//	cursor       cells in the order asked for
//	txn, own     reads with the transaction's own writes on top
//	readlog      what a transaction has read
//	writes       what it writes, until the commit
//	guard        the condition of a commit
//	commit       one mutation of one row
//	ddl          the steps of a change of the catalog
//
// # What is pushed
//
// Servers filter by families, qualifiers and the scan's own time range, which do not
// change which version is the newest. A filter of values or of other timestamps
// would be applied before versions are counted, and so change the result: none is
// used. A range that cuts versions of several columns is read with all versions, and
// cut here.
package hbase
