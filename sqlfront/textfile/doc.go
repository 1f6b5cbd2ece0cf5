// Package textfile reads and writes text files of rows as MySQL's LOAD DATA and
// INTO OUTFILE do
// (https://dev.mysql.com/doc/refman/5.7/en/load-data.html).
//
// The main types: [Reader] reads the fields of each row, [Writer] writes them. Neither knows tables. A
// Reader's fields are valid until its next row; a Writer does not keep bytes. Both keep at most one row in
// memory.
package textfile
