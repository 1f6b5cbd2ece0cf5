package write

import (
	"fmt"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// written notes where the version that was just written is not kept, be it born
// expired or in excess.
func (w *writer) written(r *version) error {
	if w.table.Retention.IsZero() {
		return nil
	}
	expired := w.expired(r.t)
	if !expired && w.table.Retention.MaxVersions == 0 {
		return nil
	}
	kept, err := w.keeps(r)
	if err == nil && !kept {
		w.noteNotKept(r.t, expired)
	}
	return err
}

// expired reports whether a timestamp is older than the table's TTL. To ask takes
// the snapshot, which is best done behind a write: then the row is locked.
func (w *writer) expired(timestamp int64) bool {
	r := &w.table.Retention
	return r.TTLSeconds > 0 && timestamp < r.Oldest(w.Txn.Now())
}

// keeps reads whether the version at the row's place is among those that are kept.
func (w *writer) keeps(r *version) (kept bool, err error) {
	err = w.each(kv.Scan{Ranges: cell(r)}, func(*kv.Cell, []byte) error {
		kept = true
		return nil
	})
	return kept, err
}

func (w *writer) noteNotKept(timestamp int64, expired bool) {
	session := w.Env.Session
	if session == nil || session.AddNote == nil {
		return
	}
	keep := &w.table.Retention
	why := fmt.Sprintf("has expired by the TTL of %d seconds", keep.TTLSeconds)
	if !expired {
		why = fmt.Sprintf("is not among the newest %d of its cell", keep.MaxVersions)
	}
	session.AddNote(uint16(mysqlerr.UnknownError), fmt.Sprintf("The version with T = %d at row %d is not kept: in table '%s' it %s",
		timestamp, w.row, w.table.Name, why))
}

// cell is the range of one version.
func cell(r *version) []kv.Range {
	start := kv.Position{Row: r.k, Qualifier: r.q, Timestamp: r.t, Depth: kv.DepthCell}
	end := start
	end.After = true
	return []kv.Range{{Start: start, End: end}}
}
