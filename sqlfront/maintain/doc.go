// Package maintain runs the statements that look after tables and change nothing of them: FLUSH,
// OPTIMIZE, ANALYZE, CHECK, REPAIR and CHECKSUM TABLE, ALTER TABLE ... CHECK PARTITION and the
// like, CHECK STORE and BACKUP TO. A [Keeper] runs them for a session.
//
// As in MySQL, problems of a table are rows of the result, not errors. Errors are those of the store, which
// the caller converts to MySQL's, and the numbers that each function names.
package maintain
