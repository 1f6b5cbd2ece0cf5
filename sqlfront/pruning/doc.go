// Package pruning says which partitions of a table a statement reads: MySQL's partition
// pruning and partition selection
// (https://dev.mysql.com/doc/refman/5.7/en/partitioning-pruning.html).
//
// The main types: [Selection], the names in PARTITION (...); [Partitions], those that a condition
// leaves of them.
package pruning
