// Package explain is what EXPLAIN shows: how a statement finds its rows, as a tree of
// steps, and that tree as MySQL's rows, as text and as JSON
// (https://dev.mysql.com/doc/refman/5.7/en/explain-output.html).
//
// The types that matter: [Step], what one operator does, which the operators fill in
// (package exec) when they are asked; [Table], how a step reads a relation; [Print],
// which makes the answer of EXPLAIN of a tree of them.
//
// Steps are plain values: they hold no operator, and nothing of the rows. Who makes one
// may go on to change it; Print does not.
package explain
