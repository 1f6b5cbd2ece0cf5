// Package window computes calls over the windows of one partitioning and order: the ranks, LAG and
// LEAD, and aggregates of frames.
//
// The types that matter: [Layout], the values that are kept of each row, to which each call adds what
// it reads; [Source], which gives the rows in that order; [Run], which passes over them partition by
// partition and computes each [Call]. A [Frame] says over which rows of a partition a call computes.
//
// Rows are read when a call asks for them, and kept, in memory or in temporary files (package spill),
// while a call may read them again: a running total keeps none, a moving average those of its frame.
// Rows that the source has in memory, as a sort does, are not copied.
package window
