// Package window computes calls over the windows of one partitioning and order: the ranks, LAG and
// LEAD, and aggregates of frames.
//
// The main types: [Layout], the values kept of each row, to which each call adds what it reads;
// [Source], which gives the rows in that order; [Run], which reads them partition by partition and
// computes each [Call]. A [Frame] says over which rows of a partition a call is computed.
//
// Rows are read when a call asks for them, and kept, in memory or in temporary files (package spill),
// as long as a call may read them again: a running total keeps none, a moving average those of its
// frame. Rows that the source has in memory, as a sort does, are not copied.
package window
