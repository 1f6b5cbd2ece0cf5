// Package mayfail tells which expressions may warn or fail. Of others nobody can tell how
// often they are evaluated, of which rows and in which order: rows may then be passed over,
// read in parts, or read once more.
//
// What matters: [Condition], [Value] and [Aggregate], whether one of these may; [Computes],
// whether a value is more than a column, a constant or an argument.
package mayfail
