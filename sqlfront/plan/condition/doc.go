// Package condition says what planning has to know of expressions: which are the same
// ([Index], [Comparison]), what a condition sets equal and by which keys rows with that are
// found ([KeyPair], [ColumnClasses]), and which conditions may be asked of other rows, or at
// other times, than those of which they are written.
package condition
