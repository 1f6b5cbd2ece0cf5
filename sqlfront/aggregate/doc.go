// Package aggregate gathers the rows of groups for aggregate functions, which package
// expr/bind binds ([setfunc.Aggregate]).
//
// An accumulator processes the arguments of the rows that count. It is used in three ways: [State]
// is one group by itself, with DISTINCT; [Column] is many groups by their numbers, with counts,
// sums of integers, MIN and MAX as plain slices; [Frame] is the rows of a window's frame, which can
// also be removed. All three share the arithmetic of sums: [IntSum] for integers, and sumAcc for
// all numbers.
//
// Only [Column]'s Combine is safe for concurrent use.
package aggregate
