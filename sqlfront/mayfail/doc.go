// Package mayfail tells which expressions may warn or fail. For the others it does not show how often they
// are evaluated, for which rows and in which order: rows may then be skipped, read in parts, or read again.
//
// The main functions: [Condition], [Value] and [Aggregate] report whether one of these may; [Computes]
// reports whether a value is more than a column, a constant or an argument.
package mayfail
