// Package condition says what planning has to know of expressions: which are the same ([Index],
// [Comparison]), what a condition sets equal and by which keys such rows are found ([KeyPair],
// [ColumnClasses]), and which conditions may be checked on other rows, or at other times, than the statement
// says.
package condition
