package views

// Tuning decides how cells are looked for. Each field is a shortcut that can be switched off. Its
// comment says how many times as much processor time the work takes without it (BenchmarkAblation;
// two cores, go1.26, Pebble v2.1.7). Shortcuts that saved less than a tenth on all of their
// workloads have been removed.
type Tuning struct {
	// SeekSteps is how many steps are tried before a seek; a seek costs about as much. 0 seeks at
	// once. Without: newest versions of one 9.9 backwards, of two 1.6; the newest three of four
	// 2.3.
	SeekSteps int
	// LearnSteps tries fewer steps after they have not been enough: as of a time in 30 to 1,000
	// versions 1.5, newest of 1,000 versions 1.2.
	LearnSteps bool
	// LongSeeks is after how many seeks past columns of one qualifier such a column is left by a
	// seek at once: newest versions where one column of five has 100 versions 1.5.
	LongSeeks uint8
	// SpanEnds omits the step after a cell with which the range ends: one cell of a column with 10
	// versions 1.3, with 1,000 2.0.
	SpanEnds bool
	// AheadStreams is the number of streams from which one iterator reads the first cells of each
	// ahead: 100 cells in order of 97 partitions 1.2.
	AheadStreams int
	// HotSeeks is the number of seeks from which a row is kept in memory: a row of five columns
	// with 100 or 1,000 versions 4.4; read ten times for one write 2.9.
	HotSeeks int64
	// RewrittenOften is the number of values of one key that cost more to step over than a seek: a
	// row with a cell that was written 30,000 times since the flush 340.
	RewrittenOften uint32
	// RewrittenFlush is the number of values that cause a flush: a reader that goes backwards has
	// to step over them.
	RewrittenFlush uint32
	// DeadFlush is how many deleted or replaced entries readers step over before there is a flush:
	// 2,000 times 50 rows that are written, read and deleted 20.
	DeadFlush int64
	// SeekFlush is how many seeks cause a flush if next to nothing is written: with 300,000 cells
	// in memory a missing row of 97 partitions 2.0, 100 cells in their order 3.4.
	SeekFlush int64
	// TimeFilters skip blocks outside the time range: 1 % of the time, with rows in time order, 52,
	// and in 97 partitions 4.8.
	TimeFilters bool
	// Gaps remembers where nothing is stored: 1,000 sorted rows inserted into 97
	// partitions 2.3.
	Gaps bool
	// GapClimbs is the number of consecutive sorted lookups from which the whole gap is learnt: the
	// same 1.3. Of lookups in random order one in 64 then learns the whole gap; when it was one in
	// four, 1,000 rows inserted took 1.1 to 1.2.
	GapClimbs int
	// FileLooks looks for a key in files alone if memory has nothing of its row: rows in random
	// order inserted beside 40,000 that are not flushed 2.1 to 3.7, in 97 partitions 1.5 to 7,
	// 1,000 sorted ones there 1.4, one row in a transaction of its own 1.2.
	FileLooks bool
	// Looks is how many lookups in a locked row a transaction makes without a snapshot, and how
	// many rows a commit may write while the lookup view remains valid (remembering more costs more
	// than a new view): a row inserted 1.6, a counter changed in place 1.5.
	Looks int
	// RowViews reads a locked row in the lookup view, too: one cell changed depending on its old
	// value 1.2.
	RowViews bool
	// Runs remembers the ends of runs of versions: versions of one cell written
	// faster than the clock ticks 3,900.
	Runs bool
	// PlainBatches copies cells in one loop: a scan of all versions 1.1.
	PlainBatches bool
	// PassSteps is the number of steps over cells of other qualifiers or times after which Pebble
	// skips the rest: one column of five 1.4, 1 % of the time with rows in random order 2.1.
	PassSteps int
	// KeyCounts counts cells by comparing keys: COUNT(*) 1.9.
	KeyCounts bool
	// IdleIterators is how many iterators are kept for the next user of a view: a merge of many
	// partitions takes one for each, and opening one costs as much as a seek. A row 1.2, a missing
	// row 1.6, the first ten of 97 partitions 1.5.
	IdleIterators int
	// Recycle reuses the memory of cursors and readers: 100 cells in order of 97
	// partitions 1.6, a missing row 1.06.
	Recycle bool

	// HistoryRows and HistoryBytes bound what is remembered of commits; a row takes some 60 bytes.
	HistoryRows  int
	HistoryBytes int64
}

// DefaultTuning returns the tuning with which stores are opened.
func DefaultTuning() Tuning {
	return Tuning{
		SeekSteps: 12, LearnSteps: true, LongSeeks: 2, SpanEnds: true,
		AheadStreams: 4, HotSeeks: 3, RewrittenOften: 64, RewrittenFlush: 1 << 15, DeadFlush: 1 << 18, SeekFlush: 1 << 15, TimeFilters: true,
		Gaps: true, GapClimbs: 5, FileLooks: true, Looks: 4, RowViews: true, Runs: true,
		PlainBatches: true, PassSteps: 512, KeyCounts: true, IdleIterators: 128, Recycle: true,
		HistoryRows: 2 << 20, HistoryBytes: 64 << 20,
	}
}
