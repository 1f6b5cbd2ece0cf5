// Package aggregate gathers the rows of groups for aggregate functions, which package
// expr/bind binds ([setfunc.Aggregate]).
//
// An accumulator is what a function does with the arguments of the rows that count. It is
// reached in three ways: [State] is one group by itself, with DISTINCT; [Column] is many groups
// by their numbers, where counts, sums of integers, MIN and MAX are no more than figures side by
// side; [Frame] is the rows of a window's frame, which may also be taken away again. Sums are
// made by one arithmetic in all three: [IntSum] of integers, and behind it sumAcc of all numbers.
//
// Nothing here is safe for several goroutines but [Column]'s Combine.
package aggregate
