// Package textfile reads and writes text files of rows as MySQL's LOAD DATA and
// INTO OUTFILE do
// (https://dev.mysql.com/doc/refman/5.7/en/load-data.html).
//
// The types that matter: [Reader] gives the fields of each row, [Writer] takes
// them. Neither knows tables. A Reader's fields are valid until its next row; a
// Writer keeps none of the bytes it is given. Both keep one row in memory at most.
package textfile
