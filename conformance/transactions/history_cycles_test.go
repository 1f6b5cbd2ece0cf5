package transactions

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The checker of histories works like Elle (Kingsbury, Alvaro, 2020): the
// dependencies between transactions follow from the lists, and isolation is the
// absence of certain cycles (Adya, 1999; for snapshot isolation in this form:
// Cerone, Gotsman, 2016).

// dependencies are edges from a transaction to those that come after it.
type dependencies struct {
	txns []*txRecord
	// depends are ww, wr and, separately, real time: the second transaction
	// builds on the first, or began after the first was over. misses are rw:
	// the second overwrote what the first read.
	depends, realTime, misses edges
}

type edges map[*txRecord]map[*txRecord]bool

func (e edges) add(from, to *txRecord) {
	if from == to || from == nil || to == nil {
		return
	}
	if e[from] == nil {
		e[from] = map[*txRecord]bool{}
	}
	e[from][to] = true
}

// writer is the transaction that appended an element, and whether it is the
// transaction's last append to that list.
type writer struct {
	tx   *txRecord
	last bool
}

// dependencies finds the edges, and returns an error for what no level allows:
// reads of uncommitted or incomplete writes, a lost append, and reads that
// disagree on the order.
func (h *history) dependencies() (*dependencies, error) {
	d := &dependencies{depends: edges{}, realTime: edges{}, misses: edges{}}
	by, err := h.writers()
	if err != nil {
		return nil, err
	}
	for _, list := range h.final {
		for i := 1; i < len(list); i++ {
			d.depends.add(by[list[i-1]].tx, by[list[i]].tx)
		}
	}
	for _, tx := range h.txns {
		if !tx.committed {
			continue
		}
		d.txns = append(d.txns, tx)
		if err := h.addReads(d, tx, by); err != nil {
			return nil, fmt.Errorf("transaction %d: %w", tx.id, err)
		}
	}
	for _, a := range d.txns {
		for _, b := range d.txns {
			if a.end < b.call {
				d.realTime.add(a, b)
			}
		}
	}
	return d, nil
}

// writers returns the transactions of the elements in the final lists.
func (h *history) writers() (map[string]writer, error) {
	by := map[string]writer{}
	for _, tx := range h.txns {
		for key, elems := range tx.appended() {
			for i, elem := range elems {
				if tx.committed != slices.Contains(h.final[key], elem) {
					return nil, fmt.Errorf("element %s of %s: committed %v, but the final list is %v", elem, key, tx.committed, h.final[key])
				}
				by[elem] = writer{tx, i == len(elems)-1}
			}
		}
	}
	for key, list := range h.final {
		if len(slices.Compact(slices.Sorted(slices.Values(list)))) != len(list) {
			return nil, fmt.Errorf("%s has an element twice: %v", key, list)
		}
	}
	return by, nil
}

// appended returns the elements that the transaction appended, by key.
func (tx *txRecord) appended() map[string][]string {
	out := map[string][]string{}
	for _, o := range tx.ops {
		if o.kind == appendOne {
			out[o.key] = append(out[o.key], o.elem)
		}
	}
	return out
}

// addReads places the reads of a transaction in the final lists.
func (h *history) addReads(d *dependencies, tx *txRecord, by map[string]writer) error {
	own := map[string][]string{}
	for i, o := range tx.ops {
		switch o.kind {
		case appendOne:
			own[o.key] = append(own[o.key], o.elem)
		case readOne:
			if err := h.addRead(d, tx, by, o.key, tx.reads[i][o.key], own[o.key]); err != nil {
				return err
			}
		case readEach:
			for key := range h.final {
				if err := h.addRead(d, tx, by, key, tx.reads[i][key], own[key]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (h *history) addRead(d *dependencies, tx *txRecord, by map[string]writer, key string, list, own []string) error {
	n := len(list) - len(own)
	if n < 0 || !slices.Equal(list[n:], own) {
		return fmt.Errorf("it read %v of %s and not its own %v", list, key, own)
	}
	final := h.final[key]
	if n > len(final) || !slices.Equal(list[:n], final[:n]) {
		return fmt.Errorf("it read %v of %s, which is no beginning of %v", list, key, final)
	}
	if n > 0 {
		before := by[final[n-1]]
		if !before.last {
			return fmt.Errorf("it read %v of %s, the middle of transaction %d", list, key, before.tx.id)
		}
		d.depends.add(before.tx, tx)
	}
	if n < len(final) {
		d.misses.add(tx, by[final[n]].tx)
	}
	return nil
}

// readCommitted: no cycle of writes and reads of them (Adya's G0 and G1c; G1a
// and G1b are found before).
func (d *dependencies) readCommitted() error {
	return d.acyclic(func(from *txRecord, visit func(*txRecord)) { d.depends.each(from, visit) })
}

// snapshotIsolation: no cycle in which each missed write comes directly after a
// dependency. That also requires snapshots no older than the transaction.
func (d *dependencies) snapshotIsolation() error {
	return d.acyclic(func(from *txRecord, visit func(*txRecord)) {
		both := func(to *txRecord) {
			visit(to)
			d.misses.each(to, visit)
		}
		d.depends.each(from, both)
		d.realTime.each(from, both)
	})
}

// serializability: no cycle at all, including real time.
func (d *dependencies) serializability() error {
	return d.acyclic(func(from *txRecord, visit func(*txRecord)) {
		d.depends.each(from, visit)
		d.realTime.each(from, visit)
		d.misses.each(from, visit)
	})
}

func (e edges) each(from *txRecord, visit func(*txRecord)) {
	for to := range e[from] {
		visit(to)
	}
}

// acyclic returns an error that names the transactions of a cycle, if there is
// one.
func (d *dependencies) acyclic(after func(from *txRecord, visit func(*txRecord))) error {
	const underWay, done = 1, 2
	state := map[*txRecord]int{}
	var path []*txRecord
	var found error
	var walk func(tx *txRecord)
	walk = func(tx *txRecord) {
		if found != nil || state[tx] == done {
			return
		}
		if state[tx] == underWay {
			found = cycleError(path[slices.Index(path, tx):])
			return
		}
		state[tx] = underWay
		path = append(path, tx)
		after(tx, walk)
		path = path[:len(path)-1]
		state[tx] = done
	}
	for _, tx := range d.txns {
		walk(tx)
	}
	return found
}

func cycleError(path []*txRecord) error {
	text := "a cycle:"
	for _, tx := range path {
		text += fmt.Sprintf("\n  %d [%d, %d]", tx.id, tx.call, tx.end)
		for i, o := range tx.ops {
			text += fmt.Sprintf(" %d:%s%s%v", o.kind, o.key, o.elem, tx.reads[i])
		}
	}
	return fmt.Errorf("%s", text)
}

// TestTheChecker passes histories with known faults to the checker.
func TestTheChecker(t *testing.T) {
	read := func(key string, list ...string) (txOp, map[string][]string) {
		return txOp{kind: readOne, key: key}, map[string][]string{key: list}
	}
	write := func(key, elem string) (txOp, map[string][]string) {
		return txOp{kind: appendOne, key: key, elem: elem}, nil
	}
	tx := func(call, end int64, steps ...func() (txOp, map[string][]string)) *txRecord {
		rec := &txRecord{id: int(call), call: call, end: end, committed: true}
		for _, step := range steps {
			o, r := step()
			rec.ops, rec.reads = append(rec.ops, o), append(rec.reads, r)
		}
		return rec
	}
	r := func(key string, list ...string) func() (txOp, map[string][]string) {
		return func() (txOp, map[string][]string) { return read(key, list...) }
	}
	w := func(key, elem string) func() (txOp, map[string][]string) {
		return func() (txOp, map[string][]string) { return write(key, elem) }
	}
	aborted := tx(1, 2, w("x", "a"))
	aborted.committed = false
	for name, c := range map[string]struct {
		h                *history
		broken           bool // at every level
		rc, si, serially bool // allowed
	}{
		"one after the other": {h: &history{final: map[string][]string{"x": {"a", "b"}},
			txns: []*txRecord{tx(1, 2, w("x", "a")), tx(3, 4, r("x", "a"), w("x", "b"))}}, rc: true, si: true, serially: true},
		"write skew": {h: &history{final: map[string][]string{"x": {"a"}, "y": {"b"}},
			txns: []*txRecord{tx(1, 4, r("x"), r("y"), w("x", "a")), tx(2, 3, r("x"), r("y"), w("y", "b"))}}, rc: true, si: true},
		"lost update": {h: &history{final: map[string][]string{"x": {"a", "b"}},
			txns: []*txRecord{tx(1, 4, r("x"), w("x", "a")), tx(2, 5, r("x"), w("x", "b"))}}, rc: true},
		"read skew": {h: &history{final: map[string][]string{"x": {"a"}, "y": {"b"}},
			txns: []*txRecord{tx(1, 4, w("x", "a"), w("y", "b")), tx(2, 5, r("x"), r("y", "b"))}}, rc: true},
		"stale read": {h: &history{final: map[string][]string{"x": {"a"}},
			txns: []*txRecord{tx(1, 2, w("x", "a")), tx(3, 4, r("x"))}}, rc: true},
		"circular information": {h: &history{final: map[string][]string{"x": {"a"}, "y": {"b"}},
			txns: []*txRecord{tx(1, 4, w("x", "a"), r("y", "b")), tx(2, 5, w("y", "b"), r("x", "a"))}}},
		"dirty write": {h: &history{final: map[string][]string{"x": {"a", "b"}, "y": {"d", "c"}},
			txns: []*txRecord{tx(1, 4, w("x", "a"), w("y", "c")), tx(2, 5, w("x", "b"), w("y", "d"))}}},
		"aborted read":  {h: &history{final: map[string][]string{}, txns: []*txRecord{aborted, tx(3, 4, r("x", "a"))}}, broken: true},
		"aborted write": {h: &history{final: map[string][]string{"x": {"a"}}, txns: []*txRecord{aborted}}, broken: true},
		"lost append":   {h: &history{final: map[string][]string{}, txns: []*txRecord{tx(1, 2, w("x", "a"))}}, broken: true},
		"half a transaction": {h: &history{final: map[string][]string{"x": {"a", "b"}},
			txns: []*txRecord{tx(1, 4, w("x", "a"), w("x", "b")), tx(2, 3, r("x", "a"))}}, broken: true},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := c.h.dependencies()
			if c.broken {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, [3]bool{c.rc, c.si, c.serially},
				[3]bool{d.readCommitted() == nil, d.snapshotIsolation() == nil, d.serializability() == nil})
		})
	}
}
