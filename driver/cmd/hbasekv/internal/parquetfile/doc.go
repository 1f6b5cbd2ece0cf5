// Package parquetfile writes and reads Parquet files (https://parquet.apache.org):
// of cells, a row each, and writes those of rows whose columns have SQL's types.
//
// A file of cells has the columns row, qualifier (bytes), family (text), timestamp
// (an integer of 64 bits) and value (bytes, or null). Those of SQL's names, K, F,
// Q, T and V, are read too. Memory is that of a row group, which ends with
// groupBytes; a file that is not whole is an error and never a panic.
package parquetfile
