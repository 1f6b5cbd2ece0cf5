package pebblekv

// tuning is what decides how cells are looked for. Each field is a shortcut that
// can be switched off; behind it stands what the work takes without it, in times
// of the processor time that it takes with it (BenchmarkAblation; two cores,
// go1.26, Pebble v2.1.7). What earned less than a tenth on all of its workloads
// has gone.
type tuning struct {
	// seekSteps is how many steps are tried before a seek; a seek costs about as
	// much. 0 seeks at once: newest versions of one 9.9 backwards, of two 1.6; the
	// newest three of four 2.3.
	seekSteps int
	// learnSteps tries fewer steps where they have not been enough: as of a time
	// in 30 to 1,000 versions 1.5, newest of 1,000 versions 1.2.
	learnSteps bool
	// longSeeks is from how many seeks behind columns of one qualifier on a column
	// is left by a seek at once: newest versions where one column of five has 100
	// versions 1.5.
	longSeeks uint8
	// spanEnds makes no step off a cell with which the range ends: one cell of a
	// column with 10 versions 1.3, with 1,000 2.0.
	spanEnds bool
	// aheadStreams is from how many streams on the first cells of each are read
	// ahead by one iterator: 100 cells in order of 97 partitions 1.2.
	aheadStreams int
	// hotSeeks is from how many seeks on a row is kept in memory: a row of five
	// columns with 100 or 1,000 versions 4.4; read ten times for one write 2.9.
	hotSeeks int64
	// rewrittenOften is how many values of one key cost more to step over than a
	// seek: a row with a cell that was written 30,000 times since the flush 340.
	rewrittenOften uint32
	// rewrittenFlush is how many values are worth a flush: whoever reads backwards
	// has to step over them.
	rewrittenFlush uint32
	// timeFilters pass over blocks outside the time range: 1 % of the time, where
	// rows came in time's order, 52, and in 97 partitions 4.8.
	timeFilters bool
	// gaps remembers where nothing is stored: 1,000 sorted rows inserted into 97
	// partitions 2.3.
	gaps bool
	// gapClimbs is from how many sorted looks on the whole gap is learnt: the same
	// 1.8.
	gapClimbs int
	// looks is how many looks at a locked row a transaction makes without a
	// snapshot, and how many rows a commit may write for the lookup view to outlive
	// it (remembering more costs more than a new view): a row inserted 1.6, a
	// counter changed in place 1.5.
	looks int
	// rowViews reads a locked row in the lookup view, too: one cell changed by what
	// it was 1.2.
	rowViews bool
	// runs remembers the ends of runs of versions: versions of one cell written
	// faster than the clock ticks 3,900.
	runs bool
	// plainBatches copies all versions in one loop: a scan of all of them 1.1.
	plainBatches bool
	// keyCounts counts cells by comparing keys: COUNT(*) 1.9.
	keyCounts bool
	// idleIterators are kept for the next user of a view: a merge of many
	// partitions takes one for each, and opening one costs as much as a seek. A row
	// 1.2, a missing row 1.6, the first ten of 97 partitions 1.5.
	idleIterators int
	// recycle uses the memory of cursors and readers again: 100 cells in order of
	// 97 partitions 1.6, a missing row 1.06.
	recycle bool
}

// defaultTuning is how stores are opened.
func defaultTuning() tuning {
	return tuning{
		seekSteps: 12, learnSteps: true, longSeeks: 2, spanEnds: true,
		aheadStreams: 4, hotSeeks: 3, rewrittenOften: 64, rewrittenFlush: 1 << 15, timeFilters: true,
		gaps: true, gapClimbs: 2, looks: 4, rowViews: true, runs: true,
		plainBatches: true, keyCounts: true, idleIterators: 128, recycle: true,
	}
}
