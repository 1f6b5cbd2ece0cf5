package rowapi

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/hbasekv/hbasekv/kv"
)

func (w *writer) increment(ctx context.Context, m *Increment) error {
	for i := range m.Deltas {
		d := &m.Deltas[i]
		found, err := w.newest(ctx, d.Family, d.Qualifier, m.Time)
		if err != nil {
			return err
		}
		sum := d.Amount
		if found != nil {
			if len(found.Value) != 8 {
				return fmt.Errorf("%w, it's %d bytes wide: %s:%q", ErrNotLong, len(found.Value), d.Family, d.Qualifier)
			}
			sum += int64(binary.BigEndian.Uint64(found.Value))
		}
		value := binary.BigEndian.AppendUint64(nil, uint64(sum))
		if err := w.renew(ctx, found, d.Family, d.Qualifier, value, !m.NoResult); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) append(ctx context.Context, m *Append) error {
	for i := range m.Cells {
		c := &m.Cells[i]
		found, err := w.newest(ctx, c.Family, c.Qualifier, m.Time)
		if err != nil {
			return err
		}
		value := append([]byte{}, c.Value...)
		if found != nil {
			value = append(found.Value, c.Value...)
		}
		if err := w.sizes(w.tableOf(c.Family), w.row, c.Qualifier, value); err != nil {
			return err
		}
		if err := w.renew(ctx, found, c.Family, c.Qualifier, value, !m.NoResult); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) delete(ctx context.Context, m *Delete) error {
	if len(m.Parts) == 0 {
		for _, f := range w.target.families {
			if err := w.deletePart(ctx, &Deletion{Kind: DeleteFamily, Family: f, Timestamp: m.Timestamp}); err != nil {
				return err
			}
		}
	}
	for i := range m.Parts {
		if err := w.deletePart(ctx, &m.Parts[i]); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) deletePart(ctx context.Context, d *Deletion) error {
	t := w.tableOf(d.Family)
	switch d.Kind {
	case DeleteColumn:
		return w.deleteVersion(ctx, t, d)
	case DeleteFamilyVersion:
		at := w.orNow(d.Timestamp)
		return w.deleteEach(ctx, t, within(w.row, nil), kv.TimeRange{Min: at, Max: at, Bounded: true})
	case DeleteColumns:
		return w.deleteUpTo(ctx, t, within(w.row, notNil(d.Qualifier)), w.orNow(d.Timestamp))
	}
	return w.deleteUpTo(ctx, t, within(w.row, nil), w.orNow(d.Timestamp))
}

// deleteVersion removes one version of a column, the newest one if the timestamp is Latest.
func (w *writer) deleteVersion(ctx context.Context, t *kv.Table, d *Deletion) error {
	at := d.Timestamp
	if at == Latest {
		found, err := w.newest(ctx, d.Family, d.Qualifier, TimeRange{})
		if err != nil || found == nil {
			return err
		}
		at = found.Timestamp
	}
	return w.tx.DeleteVersion(ctx, t, w.row, d.Qualifier, at)
}

// deleteUpTo removes the versions up to a timestamp, and a whole column at once if it has no
// later ones.
func (w *writer) deleteUpTo(ctx context.Context, t *kv.Table, in kv.Range, at int64) error {
	var column []byte
	started, gone := false, false
	return w.each(ctx, t, in, kv.TimeRange{}, func(c *kv.Cell) error {
		if !started || !bytes.Equal(column, c.Qualifier) {
			started, column = true, append(column[:0], c.Qualifier...)
			if gone = c.Timestamp <= at; gone {
				return w.tx.DeleteColumn(ctx, t, w.row, column)
			}
		}
		if gone || c.Timestamp > at {
			return nil
		}
		return w.tx.DeleteVersion(ctx, t, w.row, column, c.Timestamp)
	})
}

// deleteEach removes the versions of a time range.
func (w *writer) deleteEach(ctx context.Context, t *kv.Table, in kv.Range, times kv.TimeRange) error {
	return w.each(ctx, t, in, times, func(c *kv.Cell) error {
		return w.tx.DeleteVersion(ctx, t, w.row, bytes.Clone(c.Qualifier), c.Timestamp)
	})
}

// each calls fn with versions of the row, without their values.
func (w *writer) each(ctx context.Context, t *kv.Table, in kv.Range, times kv.TimeRange,
	fn func(*kv.Cell) error) error {
	cursor, err := w.tx.Scan(ctx, []*kv.Table{t}, &kv.Scan{Ranges: []kv.Range{in}, Time: times})
	if err != nil {
		return err
	}
	for err == nil && cursor.Next() {
		err = fn(cursor.Cell())
	}
	if err == nil {
		err = cursor.Err()
	}
	if closed := closeCursor(cursor); err == nil {
		err = closed
	}
	return err
}
