package rows

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// maxKept bounds each buffer that is kept for the next statement, in elements.
const maxKept = 16 << 10

// writerIn returns the writer that the statements of a session use one after the other. INSERT of one row in a
// transaction of 1,000 and UPDATE of one row take 0.85 of the processor time of a new one each, mostly because of
// garbage (go -C conformance/peers test -bench Typed/hbasekv, November 2026).
func writerIn(ctx *exec.Context) *insertWriter {
	m, ok := ctx.Memory.(*exec.Memory)
	if !ok {
		return &insertWriter{}
	}
	w, ok := m.Writer.(*insertWriter)
	if !ok {
		w = &insertWriter{}
		m.Writer = w
	}
	return w
}

// Forget makes the writer a new one that keeps its memory.
func (w *insertWriter) Forget() {
	values, given, cell, key, tuple := w.rowValues, w.rowGiven, w.cell, w.key, w.tuple
	clear(values)
	clear(tuple)
	*w = insertWriter{rowValues: kept(values), rowGiven: kept(given)}
	w.cell, w.key, w.tuple = kept(cell), kept(key), tuple
}

func kept[T any](buf []T) []T {
	if cap(buf) > maxKept {
		return nil
	}
	return buf
}

// blank returns a row of NULLs, valid until the next call.
func (w *insertWriter) blank() (row []value.Value, set []bool) {
	n := len(w.face.Columns)
	w.rowValues, w.rowGiven = slices.Grow(w.rowValues[:0], n)[:n], slices.Grow(w.rowGiven[:0], n)[:n]
	clear(w.rowValues)
	clear(w.rowGiven)
	return w.rowValues, w.rowGiven
}
