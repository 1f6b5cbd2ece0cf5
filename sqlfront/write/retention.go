package write

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// doubtful are versions that a statement has written and that may not be kept. They
// are looked up together when the statement ends, or when they are many: one by
// one a row of INSERT would take three times as long.
type doubtful struct {
	versions []doubt
	bytes    []byte // of rows and qualifiers
}

type doubt struct {
	version
	row     int // of the statement
	expired bool
	kept    bool
}

// maxDoubtful bounds what is held of a statement that writes many rows.
const maxDoubtful = 512

// written notes that a version was written at a T that the statement says, which may be born
// expired or in excess.
func (w *writer) written(r *version) error {
	keep := &w.table.Retention
	if keep.IsZero() || !w.takesNotes() {
		return nil
	}
	expired := w.expired(r.t)
	if !expired && keep.MaxVersions == 0 {
		return nil
	}
	d := &w.doubtful
	at := len(d.bytes)
	d.bytes = append(append(d.bytes, r.k...), r.q...)
	q := at + len(r.k)
	d.versions = append(d.versions, doubt{version{k: d.bytes[at:q:q], q: d.bytes[q:], t: r.t}, w.row, expired, false})
	if len(d.versions) < maxDoubtful {
		return nil
	}
	return w.noteDoubtful()
}

// expired reports whether a timestamp is older than the table's TTL. To ask takes
// the snapshot, which is best done behind a write: then the row is locked.
func (w *writer) expired(timestamp int64) bool {
	r := &w.table.Retention
	return r.TTLSeconds > 0 && timestamp < r.Oldest(w.Txn.Now())
}

// noteDoubtful notes, in the order of the rows, which versions are not kept.
func (w *writer) noteDoubtful() error {
	d := &w.doubtful
	if len(d.versions) == 0 {
		return nil
	}
	slices.SortFunc(d.versions, func(a, b doubt) int { return cmp.Or(a.compare(&b.version), cmp.Compare(a.row, b.row)) })
	if err := w.lookUp(d.versions); err != nil {
		return err
	}
	slices.SortFunc(d.versions, func(a, b doubt) int { return cmp.Compare(a.row, b.row) })
	for i := range d.versions {
		if each := &d.versions[i]; !each.kept {
			w.noteNotKept(each)
		}
	}
	d.versions, d.bytes = d.versions[:0], d.bytes[:0]
	return nil
}

// lookUp marks those of the versions, in HBase's order, that are kept.
func (w *writer) lookUp(all []doubt) error {
	ranges := make([]kv.Range, 0, len(all))
	for i := range all {
		if i == 0 || all[i].compare(&all[i-1].version) != 0 {
			ranges = append(ranges, cell(&all[i].version))
		}
	}
	return w.each(kv.Scan{Ranges: ranges}, func(c *kv.Cell, _ []byte) error {
		at := version{k: c.Row, q: c.Qualifier, t: c.Timestamp}
		i := sort.Search(len(all), func(i int) bool { return all[i].compare(&at) >= 0 })
		for ; i < len(all) && all[i].compare(&at) == 0; i++ {
			all[i].kept = true
		}
		return nil
	})
}

func (w *writer) takesNotes() bool {
	session := w.Env.Session
	return session != nil && session.TakesNotes != nil && session.TakesNotes()
}

func (w *writer) noteNotKept(d *doubt) {
	keep := &w.table.Retention
	why := fmt.Sprintf("has expired by the TTL of %d seconds", keep.TTLSeconds)
	if !d.expired {
		why = fmt.Sprintf("is not among the newest %d of its cell", keep.MaxVersions)
	}
	w.Env.Session.AddNote(uint16(mysqlerr.UnknownError), fmt.Sprintf("The version with T = %d at row %d is not kept: in table '%s' it %s",
		d.t, d.row, w.table.Name, why))
}
