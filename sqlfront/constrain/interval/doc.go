// Package interval computes with sets of the points of an ordered dimension: byte strings,
// timestamps, and the places of cells in a table.
//
// The main types: [Set], the points of some [Span]s, each between two cuts; [Text], [Moment] and
// [Place], the cuts of the three dimensions. Sets are united, intersected and complemented without loss: a
// cut lies between points, so an end of a span need not say whether it is included.
//
// Cuts refer to the bytes from which they are made, which must not be changed. A Set is immutable, except
// that [Normalize] takes ownership of its slice.
package interval
