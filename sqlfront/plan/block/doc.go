// Package block says what a bound query is: a [Block], which is a SELECT, or a [Union] of
// queries. The expressions are over the columns of one frame, in which the relations of FROM
// lie side by side; of how their rows are found nothing is said yet.
//
// A block answers what its conditions may count on: which columns have one value in each
// group ([Block.Grouped], [Block.Settled]), what is read over groups and windows
// ([Block.Upper], [Block.Captured]), whether each of its rows has to be made
// ([Block.Volatile]), and which column of its result is a key below ([Query.KeyOf]).
package block
