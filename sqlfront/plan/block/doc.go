// Package block says what a bound query is: a [Block], which is a SELECT, or a [Union] of queries. The
// expressions are over the columns of one frame, in which the relations of FROM lie side by side. How their
// rows are found is not decided yet.
//
// A block knows what its conditions may rely on: which columns have one value in each group ([Block.Grouped],
// [Block.Settled]), what is read over groups and windows ([Block.Upper], [Block.Captured]), whether each of
// its rows has to be computed ([Block.Volatile]), and which columns of its result are keys of a relation
// ([Query.KeyOf]).
package block
