package sqlfront

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// checkDepth is what the options of CHECK TABLE ask for. FAST and CHANGED find
// nothing to leave out.
func checkDepth(options []string) kv.CheckDepth {
	switch {
	case slices.Contains(options, "EXTENDED"):
		return kv.CheckLookups
	case slices.Contains(options, "QUICK"):
		return kv.CheckFiles
	}
	return kv.CheckCells
}

// checker is a check whose progress is told table by table.
type checker struct {
	kv.Check
	session *Session
	table   string
}

func (s *Session) newCheck(ctx context.Context, options []string) (*checker, error) {
	store, ok := s.engine.store.(kv.Checker)
	if !ok {
		return nil, nil
	}
	c := &checker{session: s}
	o := kv.CheckOptions{Depth: checkDepth(options)}
	if fn := metrics.CheckTold(ctx); fn != nil {
		o.Progress = func(p kv.CheckProgress) { fn(metrics.CheckProgress{c.table, p.Files, p.AllFiles, p.Cells}) }
	}
	var err error
	c.Check, err = store.Check(o)
	return c, err
}

// checkTables runs CHECK TABLE. Damage is rows, and the last row of a damaged
// table says Corrupt.
func (s *Session) checkTables(ctx context.Context, names []parse.TableName, options []string) (rows Rows, err error) {
	c, err := s.newCheck(ctx, options)
	if err != nil {
		return nil, err
	}
	out := maintenanceRows()
	if c == nil {
		return out, s.checkByReading(ctx, names, out)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for _, name := range names {
		if err := c.one(ctx, name, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *checker) one(ctx context.Context, name parse.TableName, out *tableRows) error {
	c.table = name.Database + "." + name.Name
	report, err := c.Table(ctx, name.Database, name.Name)
	switch {
	case errors.Is(err, kv.ErrNoTable):
		catalog, err := c.session.engine.store.Catalog(ctx)
		if err != nil {
			return err
		}
		addNoTable(out, "check", name, catalog)
	case err != nil:
		return err
	default:
		out.addReport(name, report)
	}
	return nil
}

func (r *tableRows) addReport(name parse.TableName, report kv.CheckReport) {
	for _, damage := range report.Damage {
		r.add("check", name, "Error", damage.Error())
	}
	if report.More > 0 {
		r.add("check", name, "Error", fmt.Sprintf("... and %d more", report.More))
	}
	if len(report.Damage) > 0 {
		r.add("check", name, "error", "Corrupt")
		return
	}
	r.add("check", name, "status", "OK")
}

// checkStore runs CHECK STORE: all tables, and last what belongs to none.
func (s *Session) checkStore(ctx context.Context, options []string) (rows Rows, err error) {
	c, err := s.newCheck(ctx, options)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, mysqlerr.Unsupported("CHECK STORE")
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	out := maintenanceRows()
	for _, t := range c.Tables() {
		if err := c.one(ctx, parse.TableName{Database: t.Database, Name: t.Name}, out); err != nil {
			return nil, err
		}
	}
	c.table = ""
	report, err := c.Rest(ctx)
	if err != nil {
		return nil, err
	}
	out.addReport(parse.TableName{Database: "*", Name: "*"}, report)
	return out, nil
}

// checkByReading is CHECK TABLE on a store that cannot check itself: it reads
// every version.
func (s *Session) checkByReading(ctx context.Context, names []parse.TableName, out *tableRows) error {
	txn, err := s.beginTxn(ctx, TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	for _, name := range names {
		t := txn.Catalog().Table(name.Database, name.Name)
		if t == nil {
			addNoTable(out, "check", name, txn.Catalog())
			continue
		}
		err := readTable(ctx, txn, t, func(*kv.Cell, []byte) {})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var report kv.CheckReport
		if err != nil {
			report.Add(err)
		}
		out.addReport(name, report)
	}
	return nil
}

// readTable gives each version with its value, until one cannot be read.
func readTable(ctx context.Context, txn kv.Txn, t *kv.Table, fn func(*kv.Cell, []byte)) error {
	c, err := txn.Scan(ctx, []*kv.Table{t}, &kv.Scan{NeedValue: true})
	if err != nil {
		return err
	}
	for err == nil && c.Next() {
		var v []byte
		if v, err = c.Value(); err == nil {
			fn(c.Cell(), v)
		}
	}
	return errors.Join(err, c.Err(), c.Close())
}

// backup runs BACKUP TO.
func (s *Session) backup(ctx context.Context, st *parse.Backup, args []value.Value) error {
	b, ok := s.engine.store.(kv.Backuper)
	if !ok {
		return mysqlerr.Unsupported("BACKUP TO")
	}
	dir := st.Dir
	if st.DirParam >= 0 {
		dir = string(args[st.DirParam].AsBytes())
	}
	if dir == "" {
		return mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to BACKUP TO: it needs a directory")
	}
	return b.Backup(ctx, dir)
}
