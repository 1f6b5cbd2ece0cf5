// Package correlated evaluates correlated subqueries for many outer rows at a time, over their
// partners, the rows that equal something of them, which are in memory: in columns, as a hash join
// reads its pairs.
//
// What matters: [Question], a subquery in the form that is evaluated here, and [Question.Loop],
// which evaluates it.
package correlated
