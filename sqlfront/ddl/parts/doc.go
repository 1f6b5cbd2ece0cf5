// Package parts makes the partitions by row that statements define: it checks their definitions, and says
// which rows they end at.
//
// The main type is [Rows], which converts the values of a statement into rows: of a column family, where they
// are strings, or of a typed table, where they are values of the primary key's first columns. Errors are
// MySQL's; [SchemeError] converts those of package partition.
package parts
