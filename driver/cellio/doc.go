// Package cellio reads and writes cells as text.
//
// A Reader gives the cells of one form after the other, a Writer takes them; both
// hold one cell, so that files of any size go through. The forms are
//
//   - Text, a line for each cell: row family:qualifier @timestamp value
//   - CSV and TSV, with the header row,family,qualifier,timestamp,value
//   - JSONLines, an object for each cell with the same names
//   - Shell, what scan of `hbase shell` prints
//   - SQL, REPLACE statements; there is no Reader of SQL but a store
//
// All but Shell have each cell as it is: any bytes, NULL, the empty value, any
// timestamp. Lines and Columns read files of which a line has several cells, as
// HBase's ImportTsv takes them.
package cellio
