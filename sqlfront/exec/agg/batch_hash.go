package agg

import (
	"math/bits"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/grouping"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// hashBatches adds batches to groups.
type hashBatches struct {
	*aggregateBatches
	rows    aggregate.GroupedRows
	fresh   []int32                 // the groups that begin in the batch
	ofClass []aggregate.GroupedRows // the rows of each class and their groups
	groupAt []int32                 // of each row of the batch, if there are classes
	// recent are rows of the batch by the hashes of their keys.
	recent []recentRow
	// changed says which rows have other keys than the row before: there the runs begin, whose
	// first rows, hashes and indexes in lookups follow.
	changed  []bool
	runs     []int32
	hashes   []uint32
	lookupOf []int32
	byCode   []int32 // groups plus 1, by codes
	lookups  keyLookups
}

// keyLookups are keys of a batch that are looked up together.
type keyLookups struct {
	rows   []int32
	text   []byte
	ends   []int // of each key in text
	hashes []uint32
	groups []int32 // the results
}

// startRecent clears a power of two of recent rows, about as many as the batch has rows: if there
// are few groups, a row's group is found by comparing its keys with those of one other row.
func (k *hashBatches) startRecent(rows int) {
	n := min(1<<bits.Len(uint(rows)), 1<<10)
	k.recent = slices.Grow(k.recent[:0], n)[:n]
	clear(k.recent)
}

// recentRow is a row of the batch whose keys are looked up.
type recentRow struct {
	row    int32 // plus 1; 0 if unused
	lookup int32 // its index in lookups
}

// compile makes kernels, or returns false if something must be evaluated row by row.
func (h *hashGroups) compile(schema kernel.Schema) bool {
	if h.batch != nil || h.child.Rowwise {
		return h.batch != nil
	}
	asked := h.Aggregate.newAggregateBatches(&h.child, schema, h.ColumnsRead())
	if h.child.Rowwise = asked == nil; asked == nil {
		return false
	}
	h.batch = &hashBatches{aggregateBatches: asked, ofClass: make([]aggregate.GroupedRows, len(asked.classes.Rows))}
	return true
}

// AsksRows implements rowAsker.
func (h *hashGroups) AsksRows(schema kernel.Schema) [][]byte {
	if !h.compile(schema) {
		return nil
	}
	return h.batch.rowQualifiers()
}

// readBatches adds batches as long as there are some, and there is memory for more groups or only
// keys would go to files.
func (h *hashGroups) readBatches() error {
	for !h.full || len(h.Aggs) == 0 && !h.inMemory && !h.sorted {
		b, err := h.child.Vectors(op.AllRows)
		if b == nil || err != nil {
			return err
		}
		if !h.compile(b.Schema()) {
			h.child.PutBack(b)
			return nil
		}
		if !h.batch.eval(b) {
			h.batch.putBack(b)
			return nil
		}
		if err := h.addBatch(b); err != nil {
			return err
		}
		if err := h.x.Ticks(len(b.Rows)); err != nil {
			return err
		}
		h.full = h.full || h.table.Memory.Full()
	}
	return nil
}

// addBatch adds the rows of a batch, whose keys and arguments have been evaluated.
func (h *hashGroups) addBatch(b *kernel.Batch) error {
	k := h.batch
	k.rows.Start(b.Rows)
	k.fresh = k.fresh[:0]
	if len(h.keys) == 0 {
		g, err := h.groupOfRow(b, b.Rows[0])
		if err != nil {
			return err
		}
		k.rows.AllOf(g)
	} else if err := h.findGroups(b); err != nil {
		return err
	}
	k.groupClasses(b)
	for i, c := range h.table.States {
		p, rows := &k.parts[i], &k.rows
		if p.Class != kernel.NoClass {
			rows = &k.ofClass[p.Class]
		}
		if err := p.AddTo(c, h.child.Env(), rows, k.fresh); err != nil {
			return err
		}
	}
	return nil
}

// groupClasses finds the groups of the rows of each class.
func (k *hashBatches) groupClasses(b *kernel.Batch) {
	group, one := k.rows.One()
	if len(k.ofClass) > 0 && !one {
		k.groupAt = slices.Grow(k.groupAt[:0], b.N)[:b.N]
		for at, i := range b.Rows {
			k.groupAt[i] = k.rows.Groups[at]
		}
	}
	for class := range k.ofClass {
		of := &k.ofClass[class]
		if of.Start(k.rowsOf(class)); one {
			of.AllOf(group)
			continue
		}
		for _, i := range of.Rows {
			of.Groups = append(of.Groups, k.groupAt[i])
		}
	}
}

// findGroups finds or makes the group of each row.
func (h *hashGroups) findGroups(b *kernel.Batch) error {
	k := h.batch
	if codes := k.keyVectors[0].Codes; codes != nil && len(k.keys) == 1 {
		return h.findByCodes(b, codes)
	}
	return h.findByHashes(b)
}

// findByCodes is findGroups for a key that has codes.
func (h *hashGroups) findByCodes(b *kernel.Batch, codes []int32) error {
	k := h.batch
	k.byCode = append(k.byCode[:0], make([]int32, b.N)...)
	for _, i := range b.Rows {
		group := &k.byCode[codes[i]]
		if *group == 0 {
			g, err := h.groupOfRow(b, i)
			if err != nil {
				return err
			}
			*group = g + 1
		}
		k.rows.Groups = append(k.rows.Groups, *group-1)
	}
	return nil
}

// findByHashes looks up the first row of each run of rows with equal keys, which are common for a
// prefix of K, and gives the other rows of the run the same group.
func (h *hashGroups) findByHashes(b *kernel.Batch) error {
	k := h.batch
	k.findRuns(b.Rows)
	k.findRecent()
	if err := h.lookUpKeys(b); err != nil {
		return err
	}
	if len(k.lookups.groups) == 1 {
		k.rows.AllOf(k.lookups.groups[0])
		return nil
	}
	run := -1
	for at := range b.Rows {
		if k.changed[at] {
			run++
		}
		k.rows.Groups = append(k.rows.Groups, k.lookups.groups[k.lookupOf[run]])
	}
	return nil
}

// findRuns finds the rows whose keys differ from those of the row before.
func (k *hashBatches) findRuns(rows []int32) {
	k.changed = value.Changes(k.changed, k.keyVectors, rows)
	k.runs = k.runs[:0]
	for at, i := range rows {
		if k.changed[at] {
			k.runs = append(k.runs, i)
		}
	}
}

// findRecent finds which of the runs' first rows must be looked up, and the lookup of each run.
func (k *hashBatches) findRecent() {
	k.startRecent(len(k.runs))
	k.hash(k.runs)
	k.lookups.rows, k.lookupOf = k.lookups.rows[:0], k.lookupOf[:0]
	last := uint32(len(k.recent) - 1)
	for at, i := range k.runs {
		r := &k.recent[k.hashes[at]&last]
		if r.row == 0 || !value.SameRows(k.keyVectors, r.row-1, i) {
			r.row, r.lookup = i+1, int32(len(k.lookups.rows))
			k.lookups.rows = append(k.lookups.rows, i)
		}
		k.lookupOf = append(k.lookupOf, r.lookup)
	}
}

// lookUpKeys finds or makes the groups of the keys to look up.
func (h *hashGroups) lookUpKeys(b *kernel.Batch) error {
	k := &h.batch.lookups
	k.text, k.ends, k.hashes, k.groups = k.text[:0], k.ends[:0], k.hashes[:0], k.groups[:0]
	for _, i := range k.rows {
		from := len(k.text)
		k.text = h.batch.appendKey(k.text, i)
		k.ends, k.hashes = append(k.ends, len(k.text)), append(k.hashes, rowmem.KeyHash(k.text[from:]))
	}
	h.table.Keys.Fetch(k.hashes)
	from := 0
	for at, i := range k.rows {
		g, err := h.groupOf(b, i, k.hashes[at], k.text[from:k.ends[at]])
		if err != nil {
			return err
		}
		k.groups = append(k.groups, g)
		from = k.ends[at]
	}
	return nil
}

// hash computes the hashes of the rows' keys.
func (k *hashBatches) hash(rows []int32) {
	k.hashes = append(k.hashes[:0], make([]uint32, len(rows))...)
	for _, v := range k.keyVectors {
		v.AddHashes(rows, k.hashes)
	}
}

// groupOfRow returns the group of a row, which it makes if needed.
func (h *hashGroups) groupOfRow(b *kernel.Batch, i int32) (int32, error) {
	h.key = h.batch.appendKey(h.key[:0], i)
	return h.groupOf(b, i, rowmem.KeyHash(h.key), h.key)
}

func (k *hashBatches) appendKey(dst []byte, i int32) []byte {
	for _, v := range k.keyVectors {
		dst = v.AppendKey(dst, i)
	}
	return dst
}

// groupOf returns the group of a row's key, which it makes if needed. If there is no memory for it,
// the row goes to rest.
func (h *hashGroups) groupOf(b *kernel.Batch, i int32, hash uint32, key []byte) (int32, error) {
	if h.full && h.table.Keys.FindHash(hash, key) == grouping.NoGroup {
		h.firstAt(b, i)
		return grouping.NoGroup, h.toRest(key)
	}
	number, isNew := h.table.Keys.AddHash(hash, key)
	g := int32(number)
	switch {
	case isNew:
		first, row := h.firstAt(b, i)
		h.start(g, first, row)
		h.batch.fresh = append(h.batch.fresh, g)
	case h.table.Places[g].Part() > h.part:
		first, row := h.firstAt(b, i)
		h.Begin(g, first, row)
	}
	return g, nil
}

// firstAt is firstNow and rowNow for a row of a batch.
func (h *hashGroups) firstAt(b *kernel.Batch, i int32) (first []value.Value, row []byte) {
	for at, v := range h.batch.keyVectors {
		h.keys[at] = v.At(i)
	}
	for _, c := range h.Captured {
		loadColumn(b, c, i, h.child.Env().Row)
	}
	if h.rowAt >= 0 {
		loadColumn(b, h.rowAt, i, h.child.Env().Row)
	}
	return h.firstNow(), h.rowNow()
}

// loadColumn copies a column of a row into the frame, if the batch has it.
func loadColumn(b *kernel.Batch, index int, i int32, frame []value.Value) {
	if v := b.ColumnOf(index); v != nil {
		frame[index] = v.At(i)
	}
}

// ColumnsRead implements kernel.Reader.
func (h *hashGroups) ColumnsRead() kernel.Columns {
	c := h.Aggregate.ColumnsRead()
	if h.rowAt >= 0 {
		c = c.Add(h.rowAt)
	}
	return c
}
