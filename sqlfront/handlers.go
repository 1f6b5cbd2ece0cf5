package sqlfront

import (
	"context"
	"reflect"

	"github.com/hbasekv/hbasekv/sqlfront/maintain"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// handler runs statements whose syntax trees have one type.
type handler struct {
	kind metrics.Kind
	run  run
}

// run runs a statement. args are the values of its placeholders and of its literals.
type run func(s *Session, ctx context.Context, st *Statement, args []value.Value) (Rows, Result, error)

// handlers has the handler of each type of syntax tree.
var handlers = map[reflect.Type]handler{}

// handle registers the handler of a type of syntax tree.
func handle[T ast.Statement](kind metrics.Kind, run run) {
	handlers[reflect.TypeFor[T]()] = handler{kind, run}
}

// The handlers are registered by init rather than in the declaration of the map, since the handler of EXECUTE
// refers to the map.
func init() {
	handle[*ast.Select](metrics.KindSelect, (*Session).runSelect)
	handle[*ast.Insert](metrics.KindInsert, (*Session).runChange)
	handle[*ast.Update](metrics.KindUpdate, (*Session).runChange)
	handle[*ast.Delete](metrics.KindDelete, (*Session).runChange)
	handle[*ast.LoadData](metrics.KindLoad, (*Session).runLoad)

	does(metrics.KindTransaction, (*Session).startTransaction)
	does(metrics.KindTransaction, (*Session).commitStatement)
	does(metrics.KindTransaction, (*Session).rollback)
	does(metrics.KindTransaction, (*Session).setSavepoint)
	does(metrics.KindTransaction, (*Session).releaseSavepoint)
	does(metrics.KindTransaction, (*Session).setTransaction)

	handle[*ast.CreateTable](metrics.KindDDL, (*Session).runCreateTable)
	handle[*ast.AlterTable](metrics.KindDDL, (*Session).runAlterTable)
	handle[*ast.CreateTableLike](metrics.KindDDL, answer((*Session).ddl))
	handle[*ast.DropTable](metrics.KindDDL, answer((*Session).ddl))
	handle[*ast.TruncateTable](metrics.KindDDL, answer((*Session).ddl))
	handle[*ast.RenameTable](metrics.KindDDL, answer((*Session).ddl))
	handle[*ast.SplitTable](metrics.KindDDL, answer((*Session).ddl))
	handle[*ast.CreateView](metrics.KindDDL, answer((*Session).ddl))
	handle[*ast.DropView](metrics.KindDDL, answer((*Session).ddl))
	handle[*ast.CreateDatabase](metrics.KindDDL, answer((*Session).ddl))
	handle[*ast.AlterDatabase](metrics.KindDDL, answer((*Session).ddl))
	handle[*ast.DropDatabase](metrics.KindDDL, answer((*Session).ddl))
	handle[*ast.CreateTableGroup](metrics.KindDDL, answer((*Session).ddl))
	handle[*ast.AlterTableGroup](metrics.KindDDL, answer((*Session).ddl))
	handle[*ast.DropTableGroup](metrics.KindDDL, answer((*Session).ddl))

	handle[*ast.CreateUser](metrics.KindOther, answer((*Session).changeAccounts))
	handle[*ast.DropUser](metrics.KindOther, answer((*Session).changeAccounts))
	handle[*ast.RenameUser](metrics.KindOther, answer((*Session).changeAccounts))
	handle[*ast.Grant](metrics.KindOther, answer((*Session).changeAccounts))
	handle[*ast.SetPassword](metrics.KindOther, answer((*Session).changeAccounts))

	shows(metrics.KindShow, (*Session).show)
	shows(metrics.KindShow, (*Session).describeTable)
	shows(metrics.KindShow, (*Session).explain)
	evaluates(metrics.KindSet, (*Session).set)
	does(metrics.KindSet, (*Session).use)
	evaluates(metrics.KindOther, (*Session).do)
	evaluates(metrics.KindOther, (*Session).kill)
	does(metrics.KindOther, (*Session).nothing)

	does(metrics.KindOther, (*Session).prepare)
	handle[*ast.Execute](metrics.KindOther, (*Session).executePrepared)
	does(metrics.KindOther, (*Session).deallocate)

	handle[*ast.Flush](metrics.KindOther, answer((*Session).flush))
	handle[*ast.AnalyzeTable](metrics.KindOther, answer((*Session).maintains))
	handle[*ast.OptimizeTable](metrics.KindOther, answer((*Session).maintains))
	handle[*ast.CheckTable](metrics.KindOther, answer((*Session).maintains))
	handle[*ast.CheckStore](metrics.KindOther, answer((*Session).maintains))
	handle[*ast.RepairTable](metrics.KindOther, answer((*Session).maintains))
	handle[*ast.Backup](metrics.KindOther, answer((*Session).maintains))
	shows(metrics.KindOther, (*Session).checksumTables)
	does(metrics.KindOther, (*Session).lockTables)
	does(metrics.KindOther, (*Session).unlockTables)
}

// kindOf is the kind under which a statement is counted.
func kindOf(st ast.Statement) metrics.Kind {
	if insert, ok := st.(*ast.Insert); ok && insert.Node.Action == "replace" {
		return metrics.KindReplace
	}
	return handlers[reflect.TypeOf(st)].kind
}

// answer makes a handler of a function that returns rows, or nil. The statement changes no rows: ROW_COUNT()
// is 0 while it runs.
func answer(do func(*Session, context.Context, *Statement, []value.Value) (Rows, error)) run {
	return func(s *Session, ctx context.Context, st *Statement, args []value.Value) (Rows, Result, error) {
		s.rowCount = 0
		rows, err := do(s, ctx, st, args)
		return rows, Result{}, err
	}
}

// shows registers a function that returns rows as the handler of T.
func shows[T ast.Statement](kind metrics.Kind,
	do func(*Session, context.Context, *ast.Parsed, T, []value.Value) (Rows, error)) {
	handle[T](kind, answer(func(s *Session, ctx context.Context, st *Statement, args []value.Value) (Rows, error) {
		return do(s, ctx, st.Parsed, st.Parsed.Stmt.(T), args)
	}))
}

// evaluates registers a function as the handler of T, a statement with expressions and without a result
// set.
func evaluates[T ast.Statement](kind metrics.Kind,
	do func(*Session, context.Context, *ast.Parsed, T, []value.Value) error) {
	shows(kind, func(s *Session, ctx context.Context, p *ast.Parsed, tree T, args []value.Value) (Rows, error) {
		return nil, do(s, ctx, p, tree, args)
	})
}

// does registers a function as the handler of T, a statement without expressions and without a result
// set.
func does[T ast.Statement](kind metrics.Kind, do func(*Session, context.Context, T) error) {
	shows(kind, func(s *Session, ctx context.Context, _ *ast.Parsed, tree T, _ []value.Value) (Rows, error) {
		return nil, do(s, ctx, tree)
	})
}

func (s *Session) runSelect(ctx context.Context, st *Statement, args []value.Value) (Rows, Result, error) {
	if into := st.Parsed.Stmt.(*ast.Select).Into; into != nil {
		result, err := s.selectInto(ctx, st, into, args)
		s.rowCount = result.RowsAffected
		return nil, result, err
	}
	rows, err := s.query(ctx, st, args)
	s.rowCount = -1
	return rows, Result{}, err
}

func (s *Session) runChange(ctx context.Context, st *Statement, args []value.Value) (Rows, Result, error) {
	result, err := s.change(ctx, st, args)
	return nil, result, err
}

func (s *Session) runLoad(ctx context.Context, st *Statement, args []value.Value) (Rows, Result, error) {
	result, err := s.loadData(ctx, st.Parsed, args)
	return nil, result, err
}

func (s *Session) runCreateTable(ctx context.Context, st *Statement, args []value.Value) (Rows, Result, error) {
	s.rowCount = 0
	if create := st.Parsed.Stmt.(*ast.CreateTable); create.Fill != nil {
		result, err := s.createSelect(ctx, st.Parsed, create, args)
		return nil, result, err
	}
	rows, err := s.ddl(ctx, st, args)
	return rows, Result{}, err
}

func (s *Session) runAlterTable(ctx context.Context, st *Statement, args []value.Value) (Rows, Result, error) {
	do := (*Session).ddl
	if maintain.Partitions(st.Parsed.Stmt.(*ast.AlterTable)) != nil {
		do = (*Session).maintains
	}
	return answer(do)(s, ctx, st, args)
}

// nothing runs a statement that consists of comments.
func (s *Session) nothing(context.Context, *ast.Nothing) error { return nil }
