// Package tables is a store's catalog as HBase's clients see it: tables of families in namespaces, their
// regions, the rows of hbase:meta, and the changes that a master makes.
//
// What a descriptor says that has no effect here is kept in the catalog beside the tables, and returned.
package tables
