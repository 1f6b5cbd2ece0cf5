package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// streamBatches make batches of groups. The rows of a batch are runs of groups: the
// first may go on with the group that is open, the last is left open, and those
// between are computed as columns.
type streamBatches struct {
	*aggregateBatches
	parts []streamPart
	out   *kernel.Batch
	own   []value.Vector // the columns of out
	// given are the rows of out that next gives one by one.
	given, rows int

	first   []int32 // rows with which the runs begin
	run     []int32 // of each row of the batch
	changed []bool  // whether a run begins with each of the batch's rows
}

// batches makes groups read and give batches.
func (s *streamGroups) batches() kernel.Schema {
	s.tried = true
	if s.batch != nil {
		return s.batch.out.Schema()
	}
	r := readBatches(s.child)
	if r == nil {
		return nil
	}
	asked := s.Aggregate.newAggregateBatches(r, s.ColumnsRead())
	if asked == nil {
		return nil
	}
	b := &streamBatches{aggregateBatches: asked, parts: asked.streamParts()}
	schema := s.Aggregate.schema(r.schema, b.keys, func(i int) value.Kind { return kindOfResult(s.Aggs[i].Agg, b.parts[i].Args) })
	b.out = kernel.NewBatch(schema, nil)
	b.own = make([]value.Vector, len(schema))
	s.child, s.batch = r, b
	r.readFor(s)
	return schema
}

// streamParts are the aggregates as streamed groups compute them.
func (b *aggregateBatches) streamParts() (out []streamPart) {
	for i := range b.parts {
		p := &b.parts[i]
		out = append(out, streamPart{aggregatePart: p,
			plain: b.pivot != nil && b.pivot.byRow && p.isExtreme(b.pivot.scan.access.Columns.V)})
	}
	return out
}

// nextOfBatch puts the next group of a batch into the frame, or reports false where
// it is to be read row by row.
func (s *streamGroups) nextOfBatch() (bool, error) {
	b := s.batch
	if b.given == b.rows {
		out, err := s.readBatch()
		if out == nil || err != nil {
			return false, err
		}
		b.given, b.rows = 0, out.N
	}
	b.out.Load(int32(b.given), s.out.Row)
	b.given++
	return true, nil
}

// nextBatch begins with what next has left of a batch.
func (s *streamGroups) nextBatch() (*kernel.Batch, error) {
	if b := s.batch; b.given < b.rows {
		b.out.Skip(b.given)
		b.given = b.rows
		return b.out, nil
	}
	if err := s.addAhead(); err != nil {
		return nil, err
	}
	return s.readBatch()
}

// readBatch reads batches until there are groups to give; nil where rows must be read
// one by one.
func (s *streamGroups) readBatch() (*kernel.Batch, error) {
	b := s.batch
	for {
		in, err := b.reader.nextBatch()
		if in == nil || err != nil {
			return nil, err
		}
		if !b.eval(in) {
			b.putBack(in)
			return nil, nil
		}
		if err := s.x.ticks(len(in.Rows)); err != nil {
			return nil, err
		}
		if err := s.takeBatch(in); err != nil {
			return nil, err
		}
		if b.out.N > 0 {
			return b.out, nil
		}
	}
}

// eval evaluates keys and arguments, and divides the rows into runs.
func (b *streamBatches) eval(in *kernel.Batch) (ok bool) {
	if !b.aggregateBatches.eval(in) {
		return false
	}
	if b.pivot != nil && b.pivot.byRow {
		b.first, b.run = append(b.first[:0], in.Rows...), append(b.run[:0], in.Rows...)
	} else {
		b.findRuns(in)
	}
	return true
}

// findRuns finds where the keys change.
func (b *streamBatches) findRuns(in *kernel.Batch) {
	if cap(b.run) < in.N {
		b.run = make([]int32, in.N)
	}
	b.first, b.run = b.first[:0], b.run[:in.N]
	b.changed = value.Changes(b.changed, b.keyVectors, in.Rows)
	run := int32(-1)
	for at, i := range in.Rows {
		if b.changed[at] {
			b.first = append(b.first, i)
			run++
		}
		b.run[i] = run
	}
}

// takeBatch adds the rows of a batch, and makes out of the groups that are complete.
func (s *streamGroups) takeBatch(in *kernel.Batch) error {
	b := s.batch
	last := int32(len(b.first) - 1)
	b.out.Start(0)
	goesOn := s.started && b.isOpen(s)
	if goesOn {
		if err := s.addRun(0); err != nil {
			return err
		}
		if last == 0 {
			return nil
		}
	}
	groups, from := int(last), int32(0) // runs from..last-1 are complete
	if goesOn {
		from, groups = 1, groups-1
	}
	before := 0
	if s.started {
		before = 1
	}
	b.start(before + groups)
	if s.started {
		if err := s.closeOpen(); err != nil {
			return err
		}
	}
	if err := b.complete(s, in, before, from, last); err != nil {
		return err
	}
	return s.openRun(in, last)
}

// isOpen reports whether the first run is of the group that is open.
func (b *streamBatches) isOpen(s *streamGroups) bool {
	for at, v := range b.keyVectors {
		if value.Order(v.At(b.first[0]), s.open.Row[at]) != 0 {
			return false
		}
	}
	return true
}

// start makes room for so many groups.
func (b *streamBatches) start(groups int) {
	b.out.Start(groups)
	for at, f := range b.out.Schema() {
		b.own[at].Start(f.Kind, groups)
		b.out.Share(at, &b.own[at])
	}
	for i := range b.parts {
		b.parts[i].column = &b.own[len(b.own)-len(b.parts)+i]
	}
}

// addRun adds a run to the group that is open.
func (s *streamGroups) addRun(run int32) error {
	env := s.child.env()
	for i := range s.batch.parts {
		p := &s.batch.parts[i]
		if err := s.states[i].AddVectors(env, p.vectors, s.batch.within(p.rows, run)); err != nil {
			return err
		}
	}
	return nil
}

// within are the rows of a run: the first one or the last one.
func (b *streamBatches) within(rows []int32, run int32) []int32 {
	if run == 0 {
		n := 0
		for n < len(rows) && b.run[rows[n]] == 0 {
			n++
		}
		return rows[:n]
	}
	n := len(rows)
	for n > 0 && b.run[rows[n-1]] == run {
		n--
	}
	return rows[n:]
}

// openRun makes a run the group that is open.
func (s *streamGroups) openRun(in *kernel.Batch, run int32) error {
	b := s.batch
	row := b.first[run]
	in.Load(row, s.child.env().Row)
	for at, v := range b.keyVectors {
		s.keys[at] = v.At(row)
	}
	s.begin()
	for i := range b.parts {
		if err := b.parts[i].begin(s, s.states[i]); err != nil {
			return err
		}
	}
	return s.addRun(run)
}

// closeOpen makes the open group the first of out.
func (s *streamGroups) closeOpen() error {
	if err := s.finish(); err != nil {
		return err
	}
	for at, f := range s.batch.out.Schema() {
		s.batch.own[at].Set(0, s.out.Row[f.Index])
	}
	return nil
}
