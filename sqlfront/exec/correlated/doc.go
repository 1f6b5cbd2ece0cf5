// Package correlated evaluates correlated subqueries for many outer rows at a time, over their
// partners in memory, the rows whose keys equal theirs: in columns, as a hash join reads its pairs.
//
// The main types and methods: [Question], a subquery in the form that is evaluated here, and
// [Question.Loop], which evaluates it.
package correlated
