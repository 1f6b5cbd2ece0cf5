package sqlfront

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// maintain runs FLUSH, BACKUP and the statements that look after tables; done is false
// where the statement is none of these. They commit the open transaction, as in
// MySQL.
func (s *Session) maintain(ctx context.Context, st parse.Statement, args []value.Value) (done bool, rows Rows, err error) {
	if _, ok := st.(*parse.UnlockTables); ok {
		return true, nil, s.unlockTables(ctx)
	}
	run := s.maintenance(st, args)
	if run == nil {
		return false, nil, nil
	}
	if err := s.commit(ctx); err != nil {
		return true, nil, err
	}
	rows, err = run(ctx)
	return true, rows, err
}

func (s *Session) maintenance(st parse.Statement, args []value.Value) func(context.Context) (Rows, error) {
	each := func(op string, names []parse.TableName, do upkeep) func(context.Context) (Rows, error) {
		return func(ctx context.Context) (Rows, error) { return s.eachTable(ctx, op, names, do) }
	}
	switch st := st.(type) {
	case *parse.Flush:
		return func(ctx context.Context) (Rows, error) { return nil, s.flush(ctx, st) }
	case *parse.OptimizeTable:
		return each("optimize", st.Names, s.optimize)
	case *parse.AnalyzeTable:
		return each("analyze", st.Names, s.analyze)
	case *parse.CheckTable:
		return func(ctx context.Context) (Rows, error) { return s.checkTables(ctx, s.named(st.Names), st.Options) }
	case *parse.CheckStore:
		return func(ctx context.Context) (Rows, error) { return s.checkStore(ctx, st.Options) }
	case *parse.Backup:
		return func(ctx context.Context) (Rows, error) { return nil, s.backup(ctx, st, args) }
	case *parse.AlterTable:
		if a := partitionUpkeep(st); a != nil {
			return func(ctx context.Context) (Rows, error) { return s.maintainPartitions(ctx, st.Name, a) }
		}
	case *parse.RepairTable:
		return each("repair", st.Names, s.repair)
	case *parse.LockTables:
		return func(ctx context.Context) (Rows, error) { return nil, s.lockTables(ctx, st) }
	}
	return nil
}

// flush writes what the store holds in memory to its files, where that is what
// FLUSH asks for. The other caches of MySQL do not exist.
func (s *Session) flush(ctx context.Context, st *parse.Flush) error {
	switch st.What {
	case "TABLES WITH READ LOCK", "TABLES FOR EXPORT":
		return s.lockForReading(ctx, st)
	case "TABLES", "LOGS", "ENGINE LOGS":
		f, ok := s.engine.store.(kv.Flusher)
		if !ok {
			return nil
		}
		catalog, err := s.engine.store.Catalog(ctx)
		if err != nil {
			return err
		}
		var tables []*kv.Table
		for _, name := range s.named(st.Tables) {
			if t := catalog.Table(name.Database, name.Name); t != nil {
				tables = append(tables, t)
			}
		}
		if len(tables) > 0 || len(st.Tables) == 0 {
			return f.Flush(ctx, tables...)
		}
	}
	return nil
}

// optimize removes what retention hides and rewrites the files.
func (s *Session) optimize(ctx context.Context, t *kv.Table, leaves []int) (string, string, error) {
	c, ok := s.engine.store.(kv.Compacter)
	if !ok {
		return "note", "The storage engine for the table doesn't support optimize", nil
	}
	if collector, ok := s.engine.store.(kv.Collector); ok && !t.Retention.IsZero() {
		o := kv.CollectOptions{Progress: s.collectProgress()}
		if _, err := collector.Collect(ctx, t.Database, t.Name, o); err != nil {
			return "", "", err
		}
	}
	return "status", "OK", c.Compact(ctx, t, leaves)
}

// analyze lets the estimates of a store see what it holds in memory. A store that is
// only read holds nothing there.
func (s *Session) analyze(ctx context.Context, t *kv.Table, _ []int) (string, string, error) {
	_, estimates := s.engine.store.(kv.Estimator)
	if f, ok := s.engine.store.(kv.Flusher); ok && estimates && !s.options.ReadOnly {
		return "status", "OK", f.Flush(ctx, t)
	}
	return "status", "OK", nil
}

func (s *Session) repair(context.Context, *kv.Table, []int) (string, string, error) {
	return "note", "The storage engine for the table doesn't support repair", nil
}

func missingTable(database, name string) string {
	return "Table '" + database + "." + name + "' doesn't exist"
}

// upkeep looks after some leaves of a table, nil being all, and answers a row.
type upkeep func(ctx context.Context, t *kv.Table, leaves []int) (kind, text string, err error)

// eachTable answers as MySQL does for a list of tables: a row each, and an
// error is a row too (https://dev.mysql.com/doc/refman/5.7/en/optimize-table.html).
func (s *Session) eachTable(ctx context.Context, op string, names []parse.TableName,
	do upkeep) (Rows, error) {
	out := maintenanceRows()
	for _, name := range s.named(names) {
		catalog, err := s.engine.store.Catalog(ctx)
		if err != nil {
			return nil, err
		}
		t := catalog.Table(name.Database, name.Name)
		if t == nil {
			addNoTable(out, op, name, catalog)
			continue
		}
		kind, text, err := do(ctx, t, nil)
		if err != nil {
			return nil, err
		}
		out.add(op, name, kind, text)
	}
	return out, nil
}

// named gives the names their database.
func (s *Session) named(names []parse.TableName) []parse.TableName {
	out := slices.Clone(names)
	for i := range out {
		out[i].Database = cmp.Or(out[i].Database, s.database)
	}
	return out
}

func maintenanceRows() *tableRows {
	out := &tableRows{}
	for _, name := range []string{"Table", "Op", "Msg_type", "Msg_text"} {
		out.columns = append(out.columns, Column{Name: name, Type: value.Type{Kind: value.Text, Length: 128}})
	}
	return out
}

func (r *tableRows) add(op string, t parse.TableName, kind, text string) {
	r.rows = append(r.rows, []value.Value{textValue(t.Database + "." + t.Name), textValue(op), textValue(kind), textValue(text)})
}

// addNoTable says what a name is that is no table's. A view has nothing to
// check, and nothing that the other statements could do for it.
func addNoTable(out *tableRows, op string, t parse.TableName, catalog *kv.Catalog) {
	isView := catalog.View(t.Database, t.Name) != nil
	switch {
	case isView && op == "check":
		out.add(op, t, "status", "OK")
		return
	case isView:
		out.add(op, t, "Error", "'"+t.Database+"."+t.Name+"' is not BASE TABLE")
	default:
		out.add(op, t, "Error", missingTable(t.Database, t.Name))
	}
	out.add(op, t, "status", "Operation failed")
}

// failed keeps the error of a statement for SHOW WARNINGS and SHOW ERRORS.
func (s *Session) failed(err error) {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		s.diagnose(Warning{"Error", e.Number, e.Message})
	}
}
