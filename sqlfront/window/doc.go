// Package window computes calls over the windows of one partitioning and order: the
// ranks, LAG and LEAD, and what is made of a frame of rows.
//
// The types that matter: [Layout], what is kept of each row, which calls add to; [Source], which
// gives the rows in that order; [Run], which goes over them partition by partition and has each
// [Call] say its result. A [Frame] is which rows of a partition a call is of.
//
// Rows are read when a call asks for them, and kept, in memory or in temporary files
// (package spill), while a call may look at them again: a running total keeps none, a
// moving average those of its frame. Where the source has all of them in memory, as
// behind a sort, they are not kept a second time.
package window
