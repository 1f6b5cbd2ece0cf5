// Package heat records what is asked of ranges of keys over time: reads, writes and bytes, by partition and by
// ranges within the busy ones, and which statements ask.
//
// [Recorder.Run] looks at the store's counters every few seconds and keeps the differences in memory:
// a day by the minute and a week by ten minutes. [Recorder.Map] gives them out, as rows that are
// ranges in the order of keys and columns that are times. The counters are there anyway; of every
// 64 cells that are counted the store tells of one access ([sample.Teller]), by which the recorder shares
// what a partition has gained among ranges of its rows and the statements.
//
// Memory is bounded: of each column the busiest ranges are kept, of few partitions ranges within, and of few
// accesses samples. TestMemory has what a store of 100,000 partitions takes.
package heat
