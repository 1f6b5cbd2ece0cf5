package agg

import (
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// streamBatches makes batches of groups. The rows of a batch are runs of groups: the first may
// continue the open group, the last stays open, and those between are computed as columns.
type streamBatches struct {
	*aggregateBatches
	parts []kernel.RunPart
	out   *kernel.Batch
	own   []value.Vector // the columns of out
	runs  kernel.Runs
}

// compile makes kernels, or returns false if something must be evaluated row by row.
func (s *StreamGroups) compile(schema kernel.Schema) bool {
	if s.batch != nil || s.child.Rowwise {
		return s.batch != nil
	}
	asked := s.Aggregate.newAggregateBatches(&s.child, schema, s.ColumnsRead())
	if s.child.Rowwise = asked == nil; asked == nil {
		return false
	}
	b := &streamBatches{aggregateBatches: asked, parts: asked.streamParts()}
	out := s.Aggregate.schema(schema, b.keys, func(i int) value.Kind { return b.parts[i].ResultKind() })
	b.out = kernel.NewBatch(out, nil)
	b.own = make([]value.Vector, len(out))
	s.batch = b
	return true
}

// AsksRows implements rowAsker.
func (s *StreamGroups) AsksRows(schema kernel.Schema) [][]byte {
	if !s.compile(schema) {
		return nil
	}
	return s.batch.rowQualifiers()
}

// streamParts returns the aggregates for streamed groups.
func (b *aggregateBatches) streamParts() (out []kernel.RunPart) {
	for i := range b.parts {
		out = append(out, kernel.RunPart{Part: &b.parts[i]})
	}
	return out
}

// readBatch reads batches until there are complete groups; it returns nil if rows must be read one
// by one.
func (s *StreamGroups) readBatch() (*kernel.Batch, error) {
	for {
		in, err := s.child.Vectors(s.wants)
		if in == nil || err != nil {
			return nil, err
		}
		if !s.compile(in.Schema()) {
			s.child.PutBack(in)
			return nil, nil
		}
		b := s.batch
		if !b.eval(in) {
			b.putBack(in)
			return nil, nil
		}
		if err := s.x.Ticks(len(in.Rows)); err != nil {
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
		b.runs.Each(in)
	} else {
		b.runs.Find(in, b.keyVectors)
	}
	return true
}

// takeBatch adds the rows of a batch, and makes out the complete groups.
func (s *StreamGroups) takeBatch(in *kernel.Batch) error {
	b := s.batch
	last := int32(len(b.runs.First) - 1)
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

// isOpen reports whether the first run belongs to the open group.
func (b *streamBatches) isOpen(s *StreamGroups) bool {
	for at, v := range b.keyVectors {
		if value.Order(v.At(b.runs.First[0]), s.open.Row[at]) != 0 {
			return false
		}
	}
	return true
}

// start makes room for groups.
func (b *streamBatches) start(groups int) {
	b.out.Start(groups)
	for at, f := range b.out.Schema() {
		b.own[at].Start(f.Kind, groups)
		b.out.Share(at, &b.own[at])
	}
	for i := range b.parts {
		b.parts[i].Column = &b.own[len(b.own)-len(b.parts)+i]
	}
}

// addRun adds a run to the open group.
func (s *StreamGroups) addRun(run int32) error {
	env := s.child.Env()
	for i := range s.batch.parts {
		p := &s.batch.parts[i]
		if err := s.states[i].AddVectors(env, p.Vectors, s.batch.runs.Within(p.Rows, run)); err != nil {
			return err
		}
	}
	return nil
}

// openRun makes a run the open group.
func (s *StreamGroups) openRun(in *kernel.Batch, run int32) error {
	b := s.batch
	row := b.runs.First[run]
	in.Load(row, s.child.Env().Row)
	for at, v := range b.keyVectors {
		s.keys[at] = v.At(row)
	}
	s.Begin()
	for i := range b.parts {
		if err := b.parts[i].Begin(s.child.Env(), s.states[i]); err != nil {
			return err
		}
	}
	return s.addRun(run)
}

// closeOpen makes the open group the first of out.
func (s *StreamGroups) closeOpen() error {
	if err := s.finish(); err != nil {
		return err
	}
	for at, f := range s.batch.out.Schema() {
		s.batch.own[at].Set(0, s.out.Row[f.Index])
	}
	return nil
}

// complete computes the groups of runs from..last-1 into out, from place on.
func (b *streamBatches) complete(s *StreamGroups, in *kernel.Batch, place int, from, last int32) error {
	at := 0
	first := b.runs.First[from:last]
	for _, index := range s.Captured {
		if v := in.ColumnOf(index); v != nil {
			b.own[at].Gather(place, v, first)
		} else {
			b.repeat(&b.own[at], s.child.Env().Row[index], place, from, last)
		}
		at++
	}
	for i, k := range s.Aggregate.Keys {
		if k.Slot >= 0 {
			b.own[at].Gather(place, b.keyVectors[i], first)
			at++
		}
	}
	for i := range b.parts {
		if err := b.parts[i].Compute(&b.runs, place, from, last, s.child.Env(), &s.memory); err != nil {
			return err
		}
	}
	return nil
}

// repeat sets the rows to a value that is the same for all.
func (b *streamBatches) repeat(to *value.Vector, v value.Value, place int, from, last int32) {
	for run := from; run < last; run++ {
		to.Set(int32(place)+run-from, v)
	}
}
