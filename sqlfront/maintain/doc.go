// Package maintain runs the statements that look after tables and change nothing of them: FLUSH,
// OPTIMIZE, ANALYZE, CHECK, REPAIR and CHECKSUM TABLE, ALTER TABLE ... CHECK PARTITION and the
// like, CHECK STORE and BACKUP TO. A [Keeper] runs them for a session.
//
// As in MySQL, what is wrong with a table is a row of the answer, and not an error. Errors are
// those of the store, which the caller gives MySQL's numbers, and the numbers that each function
// names.
package maintain
