// Package change is what all statements that change rows have in common.
//
// The main types: [Preparer], what planning a statement takes, with the rules of which tables can
// be changed; [Statement], a planned statement, and [Result], what it did; [Writer], a running one,
// which writes one [Version] at a time to the store, turns errors of rows into warnings for IGNORE,
// and notes versions that retention does not keep.
package change
