package sqlfront

import (
	"context"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// explain is EXPLAIN: how the statement would find its rows on the snapshot of
// the transaction, or on one of its own.
func (s *Session) explain(ctx context.Context, p *parse.Parsed, st *parse.Explain, args []value.Value) (Rows, error) {
	tx, err := s.current()
	if err != nil {
		return nil, err
	}
	txn := kv.Txn(nil)
	if tx != nil {
		txn = tx.Txn
	} else {
		txn = s.beginTxn(true)
		defer txn.Rollback()
	}
	target := *p
	target.Text, target.Stmt = st.TargetText, st.Target
	planned, err := s.engine.plan(s.planner(txn.Catalog()), &target)
	if err != nil {
		return nil, err
	}
	options := plan.ExplainOptions{Format: st.Format, Analyze: st.Analyze}
	reads := planned.sel
	if planned.write != nil {
		reads = planned.write.Reads()
		options.Statement, options.Table = verb(st.Target), planned.write.Target()
	}
	e, err := plan.Explain(s.context(ctx, txn, args), reads, options)
	if err != nil {
		return nil, err
	}
	return &tableRows{columns: e.Columns, rows: e.Rows}, nil
}

// verb is a writing statement's first word.
func verb(st parse.Statement) string {
	switch st := st.(type) {
	case *parse.Insert:
		return strings.ToUpper(st.Node.Action)
	case *parse.Update:
		return "UPDATE"
	}
	return "DELETE"
}

// maintain runs FLUSH and the statements that look after tables.
func (s *Session) maintain(ctx context.Context, st parse.Statement) (bool, Rows, error) {
	switch st := st.(type) {
	case *parse.Flush:
		return true, nil, s.flush(ctx)
	case *parse.OptimizeTable:
		rows, err := s.eachTable("optimize", st.Names, func(t *kv.Table) (string, error) { return "OK", s.compact(ctx, t) })
		return true, rows, err
	case *parse.AnalyzeTable:
		rows, err := s.eachTable("analyze", st.Names, func(*kv.Table) (string, error) { return "OK", nil })
		return true, rows, err
	case *parse.CheckTable, *parse.RepairTable, *parse.ChecksumTable:
		return true, nil, mysqlerr.Unsupported("CHECK, REPAIR and CHECKSUM TABLE")
	}
	return false, nil, nil
}

// flush writes what the store holds in memory to its files.
func (s *Session) flush(ctx context.Context) error {
	if f, ok := s.engine.store.(kv.Flusher); ok {
		return f.Flush(ctx)
	}
	return nil
}

func (s *Session) compact(ctx context.Context, t *kv.Table) error {
	if c, ok := s.engine.store.(kv.Compacter); ok {
		return c.Compact(ctx, t)
	}
	return nil
}

// eachTable answers as MySQL does for a list of tables: one row each, and an
// error as a row (https://dev.mysql.com/doc/refman/5.7/en/optimize-table.html).
func (s *Session) eachTable(op string, names []parse.TableName, do func(*kv.Table) (string, error)) (Rows, error) {
	out := &tableRows{}
	for _, name := range []string{"Table", "Op", "Msg_type", "Msg_text"} {
		out.columns = append(out.columns, Column{Name: name, Type: value.Type{Kind: value.Text, Length: 128}})
	}
	for _, name := range names {
		database := name.Database
		if database == "" {
			database = s.database
		}
		full, kind := database+"."+name.Name, "status"
		text := ""
		t := s.engine.store.Catalog().Table(database, name.Name)
		if t == nil {
			kind, text = "Error", "Table '"+full+"' doesn't exist"
		} else {
			var err error
			if text, err = do(t); err != nil {
				return nil, err
			}
		}
		out.rows = append(out.rows, []value.Value{textValue(full), textValue(op), textValue(kind), textValue(text)})
	}
	return out, nil
}
