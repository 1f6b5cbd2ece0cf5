// Package parquetfile writes and reads Parquet files (https://parquet.apache.org):
// of cells, a row each, and writes those of rows whose columns have SQL's types.
//
// A file of cells has the columns row, qualifier (bytes), family (text), timestamp
// (a 64-bit integer) and value (bytes, or null). SQL's names K, F, Q, T and V are
// also read. One row group is held in memory, which ends with groupBytes. An
// incomplete file is an error and never a panic.
package parquetfile
