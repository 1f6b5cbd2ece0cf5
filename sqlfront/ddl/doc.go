// Package ddl runs the statements that change the catalog: [DDL] runs one,
// atomically.
//
// The rules for column families: the columns are K varbinary, Q varbinary, T bigint and V varbinary or a
// blob, in this order and any case, followed by generated columns over the first bytes of K; the primary key
// is (K, Q, T). A name group$family, cut at the first $, is a column family of a table group; with TDSQL's
// keyword HBase after the column list, so is group_family, cut at the last underscore.
//
// A view is stored as a SELECT whose text means the same for every session: each
// table is named with its database, and each star is spelled out.
package ddl
