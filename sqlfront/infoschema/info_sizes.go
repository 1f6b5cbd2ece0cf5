package infoschema

import (
	"errors"
	"fmt"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// sizes are the sizes of a table's partitions; empty if the store does not report them.
type sizes []kv.PartitionStats

// exactStatistics is the session variable that makes sizes be counted.
const exactStatistics = "hbasekv_exact_statistics"

// size is the size in the catalog. The rows of a column family are the versions of its cells.
type size struct{ rows, bytes, average uint64 }

// estimated marks figures that were not counted.
const estimated = "rows and sizes are estimated"

func (r *infoReader) sizes(t *kv.Table) sizes {
	stats, ok := r.store.(kv.StatsReader)
	if !ok || r.err != nil || !schema.HasCells(t) {
		return nil
	}
	out, err := stats.TableStats(r.Ctx, t, r.exact())
	if err != nil {
		r.untold(t, err)
	}
	return out
}

// untold warns about a table whose sizes the store cannot tell at present: if, for example, another program
// has disabled or dropped it, the other tables are still shown.
func (r *infoReader) untold(t *kv.Table, err error) {
	if r.Ctx.Err() != nil || errors.Is(err, kv.ErrClosed) || r.Env.Session == nil || r.Env.Session.AddWarning == nil {
		r.err = err
		return
	}
	number, message := mysqlerr.NoSuchTable, fmt.Sprintf("Table '%s.%s' doesn't exist any more", t.Database, t.Name)
	if !errors.Is(err, kv.ErrNoTable) && !errors.Is(err, kv.ErrCatalogChanged) {
		number, message = mysqlerr.GetErrno, fmt.Sprintf("The sizes of '%s.%s' are not known: %s", t.Database, t.Name, err)
	}
	r.Env.Session.AddWarning(uint16(number), message)
}

func (r *infoReader) exact() bool {
	if r.Env.Session == nil || r.Env.Session.Variable == nil {
		return false
	}
	on, err := r.Env.Session.Variable("session", exactStatistics)
	return err == nil && on.AsInt() != 0
}

func (s sizes) total() size {
	var cells, bytes int64
	for _, each := range s {
		cells += each.Cells
		bytes += each.Bytes
	}
	return newSize(cells, bytes)
}

func newSize(cells, bytes int64) size {
	s := size{rows: uint64(max(cells, 0)), bytes: uint64(max(bytes, 0))}
	if s.rows > 0 {
		s.average = s.bytes / s.rows
	}
	return s
}

// shownSize is the size of a table; for a typed one, its approximate number of rows replaces that of its
// cells.
func (r *infoReader) shownSize(each object) size {
	return r.ofRows(each, nil, r.sizes(each.table).total())
}

// ofRows is the size of a table, or of some of its partitions, that counts about how many rows a typed one has.
func (r *infoReader) ofRows(each object, partitions []int, out size) size {
	store, ok := r.store.(kv.Estimator)
	if !ok || !each.isTyped() || out.rows == 0 || r.err != nil {
		return out
	}
	rows, _, err := r.distinctKeys(store, each.table, partitions)
	if err != nil {
		r.err = err
		return out
	}
	return newSize(rows, int64(out.bytes))
}

// datetime is a time from milliseconds since 1970-01-01 UTC.
func datetime(ms int64) value.Value {
	return value.NewDateTime(calendar.FieldsOf(time.UnixMilli(ms).UTC().Truncate(time.Second)), 0)
}
