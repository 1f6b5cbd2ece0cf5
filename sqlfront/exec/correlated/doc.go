// Package correlated answers correlated subqueries for many rows around at a time, over the rows that
// equal something of them, their partners, which are in memory: as columns, as a hash join reads
// its pairs.
//
// What matters: [Question], which is what is asked, and [Question.Loop], which answers it.
package correlated
