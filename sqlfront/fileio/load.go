package fileio

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/textfile"
	"github.com/hbasekv/hbasekv/sqlfront/transaction"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// Host is the session that a LOAD DATA runs in.
type Host interface {
	// Info is what functions need of the session.
	Info() *function.Session
	// Planner is what planning needs, over the catalog of a snapshot.
	Planner(ctx context.Context, catalog *kv.Catalog, args []value.Value) *plan.Planner
	// Writing is what an attempt to write needs to run, including its Memory.
	Writing(ctx context.Context, txn kv.Txn, t *transaction.Retry, args []value.Value) *exec.Context
	// Publish and Published are called before and after what makes writes visible.
	Publish(ctx context.Context) (first bool, err error)
	Published(first bool)
	// Warn warns the client.
	Warn(code uint16, message string)
}

// Load is a running LOAD DATA, in one goroutine. What LOCAL names can be read once: run it again only if Again allows
// that, and end it with Close.
type Load struct {
	Host   Host
	Ctx    context.Context
	Parsed *ast.Parsed
	Args   []value.Value
	Files  Files // nil for none
	Packet int   // max_allowed_packet
	Loose  bool  // as sql_mode says
	// Replay bounds what is kept of what LOCAL names, so that it can be read again; nil if the statement is run once.
	Replay *spill.Options
	// Bulk loads many rows as files, in a transaction of the statement's own; nil if that is not possible.
	Bulk        kv.BulkLoader
	LockTimeout time.Duration

	st     *ast.LoadData
	binary bool // the file's character set is binary
	plan   *write.LoadData
	input  io.ReadCloser
	local  repeated // what LOCAL names, once it has been opened
	rows   *textfile.Reader
}

// Check checks the statement before it is run: the error is 1115 or 1235 for the file's character set, and
// 1148 for LOCAL if local is false.
func (l *Load) Check(local bool) (err error) {
	l.st = l.Parsed.Stmt.(*ast.LoadData)
	texts := slices.ContainsFunc(l.st.Fields, func(f ast.LoadField) bool { return f.Variable != "" })
	l.binary, err = Charset(l.st.Charset, texts)
	if err == nil && l.st.Local && !local {
		err = mysqlerr.New(mysqlerr.NotAllowedCommand, "The used command is not allowed with this MySQL version")
	}
	return err
}

// Run plans the statement, opens the file and loads it. If that fails, the transaction is as before. The errors are
// those of planning, of the file, of the rows and of the store.
func (l *Load) Run(txn kv.Txn, t *transaction.Retry) (loaded change.Loaded, err error) {
	if err := kv.Settle(l.Ctx, txn); err != nil {
		return change.Loaded{}, err
	}
	before := txn.Savepoint()
	defer func() {
		if err != nil {
			txn.RollbackTo(before)
		}
	}()
	if err := l.prepare(txn.Catalog()); err != nil {
		return change.Loaded{}, err
	}
	if err := l.open(); err != nil {
		return change.Loaded{}, err
	}
	defer func() {
		if closing := l.input.Close(); err == nil {
			err = closing
		}
	}()
	c := l.Host.Writing(l.Ctx, txn, t, l.Args)
	defer c.Memory.Clear()
	if typed := l.plan.Typed(); typed != nil {
		loaded, err = typed.Run(c, l.rows, t.Renewable, l.Packet)
	} else {
		loading := l.plan.Start(c, l.rows, t.Renewable, l.Packet)
		loaded, err = loading.End(l.load(loading))
	}
	if err == nil {
		err = l.Ctx.Err()
	}
	return loaded, err
}

// bulkBytes is the size of the rows that are collected before they go to the table as files: for fewer bytes,
// making files takes longer than writing them to the log.
const bulkBytes = 4 << 20

func (l *Load) load(loading *write.Loading) error {
	table := l.plan.Bulk()
	if l.Bulk == nil || table == nil || table.Temporary || len(table.Indexes) > 0 {
		return loading.Write()
	}
	many, err := loading.Keep(bulkBytes)
	if err != nil {
		return err
	}
	if !many {
		return loading.Write()
	}
	first, err := l.Host.Publish(l.Ctx)
	if err != nil {
		return err
	}
	defer l.Host.Published(first)
	cells := write.NewLoad([]*kv.Table{table}, Cells(l.Ctx, loading.Cells))
	stats, err := l.Bulk.BulkLoad(l.Ctx, []*kv.Table{table}, cells.Cells, kv.BulkOptions{LockTimeout: l.LockTimeout})
	if err = cells.Error(err); err != nil && stats.Written > 0 {
		return &kv.PartlyWritten{Written: int(stats.Written), Rows: cells.Taken(), Cause: storeerr.Map(l.Ctx, err)}
	}
	return err
}

// prepare plans the statement. For its expressions the variables that it sets are texts, whatever values the
// session has in them.
func (l *Load) prepare(catalog *kv.Catalog) (err error) {
	p, info := l.Host.Planner(l.Ctx, catalog, l.Args), l.Host.Info()
	others := info.UserVariable
	info.UserVariable = func(name string) value.Value {
		for _, f := range l.st.Fields {
			if f.Variable != "" && strings.EqualFold(f.Variable, name) {
				return change.Variable(nil, l.binary)
			}
		}
		return others(name)
	}
	p.Arguments = bind.NewArguments(l.Args, info)
	if l.plan, err = write.PrepareLoad(p, l.Parsed, l.binary); err != nil {
		return err
	}
	for _, err := range l.plan.Lacking() {
		if !l.Loose && !l.plan.Forgives() {
			return err
		}
		l.Host.Warn(uint16(mysqlerr.NoDefaultForField), mysqlerr.Message(err))
	}
	return nil
}

// open opens the file and skips the lines that are to be ignored.
func (l *Load) open() (err error) {
	switch files := l.Files; {
	case files == nil:
		return ErrSecured()
	case l.local != nil:
		l.input = l.local
	case l.st.Local:
		l.input, err = l.openLocal()
	default:
		l.input, err = files.Open(l.st.File)
	}
	if err != nil {
		return err
	}
	l.rows = textfile.NewReader(heeded{l.Ctx, l.input}, l.st.Format, l.plan.Shape(l.Packet))
	if err = l.rows.Skip(l.st.Skip); err != nil {
		_ = l.input.Close() // the first error says more
	}
	return err
}

func (l *Load) openLocal() (io.ReadCloser, error) {
	source, err := l.Files.Local(l.st.File)
	if err != nil {
		return nil, err
	}
	l.local = newRepeated(l.Ctx, source, l.Replay)
	return l.local, nil
}

// Again prepares for another Run, after one that failed; it reports whether that is possible.
func (l *Load) Again() bool { return l.local == nil || l.local.again() }

// Close closes what LOCAL names, if it has not been read to its end, and removes what has been kept of it.
func (l *Load) Close() {
	if l.local != nil {
		_ = l.local.end() // the load has failed already
	}
}
