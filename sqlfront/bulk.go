package sqlfront

import (
	"context"
	"iter"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/fileio"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/write"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// BulkLoad writes cells into tables as REPLACE does, all of them or none, by files that the store takes in as
// a whole. A cell's Family is the index of its table in names, each of which may be database.table. The
// statement is its own transaction. The error is 1179 in an open transaction, 1235 if the store cannot take
// in files.
func (s *Session) BulkLoad(ctx context.Context, names []string, cells iter.Seq2[kv.Cell, error]) (kv.BulkStats, error) {
	if err := ctx.Err(); err != nil {
		return kv.BulkStats{}, err
	}
	running, number, err := s.begins(ctx, metrics.KindLoad, "BULK LOAD "+strings.Join(names, ", "), false)
	if err != nil {
		return kv.BulkStats{}, err
	}
	stats, err := s.bulkLoad(running, names, cells)
	s.rowCount = stats.Cells
	if err != nil {
		err = storeerr.Map(running, err)
		s.rowCount = -1
		s.failed(err)
	}
	s.ends(number, &metrics.Done{Err: err, Changed: stats.Cells})
	return stats, err
}

func (s *Session) bulkLoad(ctx context.Context, names []string, cells iter.Seq2[kv.Cell, error]) (kv.BulkStats, error) {
	loader, ok := s.engine.store.(kv.BulkLoader)
	if !ok {
		return kv.BulkStats{}, mysqlerr.Unsupported("bulk load into this store")
	}
	if s.txns.Open != nil {
		return kv.BulkStats{}, mysqlerr.New(mysqlerr.CantDoInTransaction,
			"You are not allowed to execute this command in a transaction: a bulk load is a transaction of its own")
	}
	if err := s.txns.CheckWritable(nil); err != nil {
		return kv.BulkStats{}, err
	}
	tables, err := s.loaded(ctx, names)
	if err != nil {
		return kv.BulkStats{}, err
	}
	if err := s.txns.CheckReadLock(ctx); err != nil {
		return kv.BulkStats{}, err
	}
	first, err := s.txns.Publish(ctx)
	if err != nil {
		return kv.BulkStats{}, err
	}
	defer s.txns.Published(first)
	load := write.NewLoad(tables, fileio.Cells(ctx, cells))
	stats, err := loader.BulkLoad(ctx, tables, load.Cells, kv.BulkOptions{LockTimeout: s.vars.LockTimeout})
	return stats, load.Error(err)
}

// loaded looks up the tables of those names.
func (s *Session) loaded(ctx context.Context, names []string) ([]*kv.Table, error) {
	catalog, err := s.temp.Store.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	var out []*kv.Table
	p := s.planner(ctx, catalog, nil)
	for _, name := range names {
		database, table, ok := strings.Cut(name, ".")
		if !ok {
			database, table = "", name
		}
		r, err := p.TableNamed(ast.Hints{}, ast.NewTable(database, table), "")
		if err != nil {
			return nil, err
		}
		if r.Table() == nil {
			return nil, change.NotUpdatable(r, "BULK LOAD")
		}
		if r.Table().Temporary {
			return nil, mysqlerr.Unsupported("bulk load into a temporary table: INSERT and LOAD DATA write it")
		}
		out = append(out, r.Table())
	}
	return out, nil
}
