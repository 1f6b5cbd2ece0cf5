package change

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// doubtful are versions that a statement has written and that may not be kept. They are looked up
// together at the end of the statement, or when there are many: looking them up one by one would
// triple the time of an INSERT row.
type doubtful struct {
	versions []Doubt
	bytes    []byte // of rows and qualifiers
}

type Doubt struct {
	Version
	Row     int // of the row in the statement
	Expired bool
	kept    bool
}

// maxDoubtful limits the versions held for a statement that writes many rows.
const maxDoubtful = 512

// Written records that a version was written at a T given by the statement, which may already be
// expired or in excess.
func (w *Writer) Written(r *Version) error {
	keep := &w.Table.Retention
	if keep.IsZero() || !w.TakesNotes() {
		return nil
	}
	expired := w.Expired(r.T)
	if !expired && keep.MaxVersions == 0 {
		return nil
	}
	d := &w.doubtful
	at := len(d.bytes)
	d.bytes = append(append(d.bytes, r.K...), r.Q...)
	q := at + len(r.K)
	d.versions = append(d.versions, Doubt{Version{K: d.bytes[at:q:q], Q: d.bytes[q:], T: r.T}, w.Row, expired, false})
	if len(d.versions) < maxDoubtful {
		return nil
	}
	return w.noteDoubtful()
}

// Expired reports whether a timestamp is older than the table's TTL. It takes the snapshot, so it
// is best called after a write, when the row is locked.
func (w *Writer) Expired(timestamp int64) bool {
	r := &w.Table.Retention
	return r.TTLSeconds > 0 && timestamp < r.Oldest(w.Txn.Now())
}

// noteDoubtful adds notes, in the order of the rows, for versions that are not kept.
func (w *Writer) noteDoubtful() error {
	d := &w.doubtful
	if len(d.versions) == 0 {
		return nil
	}
	slices.SortFunc(d.versions, func(a, b Doubt) int { return cmp.Or(a.compare(&b.Version), cmp.Compare(a.Row, b.Row)) })
	if err := w.lookUp(d.versions); err != nil {
		return err
	}
	slices.SortFunc(d.versions, func(a, b Doubt) int { return cmp.Compare(a.Row, b.Row) })
	for i := range d.versions {
		if each := &d.versions[i]; !each.kept {
			w.NoteNotKept(each)
		}
	}
	d.versions, d.bytes = d.versions[:0], d.bytes[:0]
	return nil
}

// lookUp marks the versions that are kept; they must be in HBase's order.
func (w *Writer) lookUp(all []Doubt) error {
	ranges := make([]kv.Range, 0, len(all))
	for i := range all {
		if i == 0 || all[i].compare(&all[i-1].Version) != 0 {
			ranges = append(ranges, cell(&all[i].Version))
		}
	}
	return w.Each(kv.Scan{Ranges: ranges}, func(c *kv.Cell, _ []byte) error {
		at := Version{K: c.Row, Q: c.Qualifier, T: c.Timestamp}
		i := sort.Search(len(all), func(i int) bool { return all[i].compare(&at) >= 0 })
		for ; i < len(all) && all[i].compare(&at) == 0; i++ {
			all[i].kept = true
		}
		return nil
	})
}

// TakesNotes reports whether the session records notes.
func (w *Writer) TakesNotes() bool {
	session := w.Env.Session
	return session != nil && session.TakesNotes != nil && session.TakesNotes()
}

// NoteNotKept adds a note saying why a version is not kept.
func (w *Writer) NoteNotKept(d *Doubt) {
	keep := &w.Table.Retention
	why := fmt.Sprintf("has expired by the TTL of %d seconds", keep.TTLSeconds)
	if !d.Expired {
		why = fmt.Sprintf("is not among the newest %d of its cell", keep.MaxVersions)
	}
	w.Env.Session.AddNote(uint16(mysqlerr.UnknownError), fmt.Sprintf("The version with T = %d at row %d is not kept: in table '%s' it %s",
		d.T, d.Row, w.Table.Name, why))
}
