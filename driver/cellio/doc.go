// Package cellio reads and writes cells as text.
//
// A Reader returns the cells of one form in order, and a Writer writes them; both
// hold one cell at a time, so that files may have any size. The forms are
//
//   - Text, a line for each cell: row family:qualifier @timestamp value
//   - CSV and TSV, with the header row,family,qualifier,timestamp,value
//   - JSONLines, an object for each cell with the same names
//   - Shell, what scan of `hbase shell` prints
//   - SQL, REPLACE statements; there is no Reader for it: a store runs them
//
// All but Shell preserve each cell exactly: any bytes, NULL, the empty value,
// any timestamp. Lines and Columns read files with several cells to a line, as
// HBase's ImportTsv does.
package cellio
