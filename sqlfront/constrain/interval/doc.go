// Package interval computes with sets of the points of an ordered dimension: byte strings,
// timestamps, and the places of cells in a table.
//
// The types that matter: [Set], the points of some [Span]s, each between two cuts; [Text],
// [Moment] and [Place], the cuts of the three dimensions. Sets are united, intersected and
// complemented without a loss: a cut lies between points, so that no end of a span has to
// say whether it belongs to it.
//
// Cuts refer to the bytes that they are made of, which nobody may change. A Set is not
// changed after it was made, but by [Normalize], which takes its slice over.
package interval
