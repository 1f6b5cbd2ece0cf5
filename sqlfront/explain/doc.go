// Package explain is what EXPLAIN shows: how a statement finds its rows, as a tree of steps, and that tree as
// MySQL's rows, as text and as JSON (https://dev.mysql.com/doc/refman/5.7/en/explain-output.html).
//
// The main types: [Step] is what one operator does, which the operators (package exec) fill in when they are
// asked; [Table] is how a step reads a relation. [Print] makes EXPLAIN's answer from a tree of steps.
//
// Steps are plain values: they hold no operator and no rows. The maker of a step may change it later; Print
// does not.
package explain
