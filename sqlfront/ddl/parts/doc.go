// Package parts makes the partitions by row that statements define: it checks their definitions, and says
// which rows they end at.
//
// The types that matter: [Rows], for which the values of a statement are rows of a column family, which are
// strings, or of a typed table, where they are values of the primary key's first columns. Errors are MySQL's;
// [SchemeError] makes them of those of package partition.
package parts
