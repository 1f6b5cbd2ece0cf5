// Package constrain turns a bound WHERE into what a store can be asked for: spans of keys, sets of
// qualifiers, a range of timestamps and families, and the filter that is left over.
//
// The main types: [Constraint], the result; [Columns], which column of a row is K, Q, T and F; [View],
// which versions of a cell the rows come from.
//
// # The rule
//
// Pushing a condition down never changes a result. The scan reads a superset of the rows that satisfy WHERE,
// and what it leaves out does not change which versions the view shows: in a view that shows only the newest
// versions, the scan leaves out nothing that is newer than something it reads of the same cell. A conjunct is
// left out of the filter only if every row that the scan reads satisfies it.
//
// # How it works
//
// Each condition becomes a scan range: a set of key spans, times a set of qualifiers, times a set of
// timestamps, times a set of families. A scan range has at least the rows for which the condition is true,
// and knows whether it has no others. AND intersects scan ranges, which is exact. OR unites them, which is
// exact if they differ in one dimension or if all dimensions can be written as key spans; otherwise the
// dimensions are united one by one and the filter decides. NOT asks for the rows for which the operand is
// false: AND and OR swap places, and NULL remains neither.
//
// At the end the scan range is fitted to the view and to the order of the cells, and
// then written in the form that is cheapest to read.
//
// # Notation
//
// Spans are printed as in [/'a' - /'b'): see [FormatRange].
//
// # Ownership
//
// A Constraint refers to the bytes of the constants and arguments that it was
// built from; they must not change while it is used. It is immutable and may
// be used by several goroutines at once.
package constrain
