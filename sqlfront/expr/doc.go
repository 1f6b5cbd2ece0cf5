// Package expr is bound expressions: what a sqlparser tree becomes once its
// names are columns of a row, and how it is evaluated.
//
// The main types: [Node], an expression, which package bind makes from syntax trees; [Env], the
// environment in which it is evaluated. [Holds] checks a condition on a row without making values.
//
// Nodes are immutable and may be shared by any number of goroutines; an Env belongs to one. A value that Eval
// returns may refer to bytes of the Row, of the Params or of the node, and is valid as long as these: callers
// that keep it longer than the row must clone it.
//
// The results are MySQL 5.7's, compared with MariaDB's in testdata/oracle; its file mysql lists where the two
// differ. Three things are as in MariaDB rather than MySQL: an integer and a string compare exactly, not as
// doubles, so that large numbers in strings are not mistaken for their neighbours; a JSON function of text
// that is not JSON is NULL with a warning, and accepts binary strings, since cells hold anything; the dot of
// a regular expression does not match a newline. Unlike in MySQL, all text is UTF-8 with utf8mb4_general_ci,
// or utf8mb4_bin if COLLATE asks for it; a binary string literal makes a comparison with a text column
// binary; regular expressions are Go's.
//
// Every error is a bare *mysql.MySQLError, or the context's own.
package expr
