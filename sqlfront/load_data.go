package sqlfront

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/textfile"
	"github.com/hbasekv/hbasekv/sqlfront/transaction"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write"
)

// dataLoad is a LOAD DATA under way. One with LOCAL is never run again: what a
// program gives to read can be read once.
type dataLoad struct {
	*Session
	ctx    context.Context
	parsed *parse.Parsed
	st     *parse.LoadData
	args   []value.Value
	binary bool // the file's character set is binary
	plan   *write.LoadData
	input  io.ReadCloser
	rows   *textfile.Reader
}

// loadData is LOAD DATA: in the open transaction, where it undoes itself when it
// fails, or in one of its own.
func (s *Session) loadData(ctx context.Context, p *parse.Parsed, args []value.Value) (Result, error) {
	l := &dataLoad{Session: s, ctx: ctx, parsed: p, st: p.Stmt.(*parse.LoadData), args: args}
	tx, err := s.txns.Current(ctx, s.began)
	if err == nil {
		err = s.txns.CheckWritable(tx)
	}
	if err == nil {
		err = s.txns.CheckReadLock(ctx)
	}
	if err == nil {
		texts := slices.ContainsFunc(l.st.Fields, func(f parse.LoadField) bool { return f.Variable != "" })
		l.binary, err = fileCharset(l.st.Charset, texts)
	}
	if err == nil && l.st.Local && !s.engine.globals.LocalInfile() {
		err = mysqlerr.New(mysqlerr.NotAllowedCommand, "The used command is not allowed with this MySQL version")
	}
	if err != nil {
		return Result{}, err
	}
	var loaded write.Loaded
	if tx != nil {
		loaded, err = l.in(tx)
	} else {
		loaded, err = l.alone()
	}
	if err != nil {
		return Result{}, err
	}
	result := s.changed(l.st, loaded.Result)
	s.lastInfo = Info{loadInfo, [3]int64{loaded.Records, loaded.Records - loaded.Changed, loaded.Warnings}}
	return result, nil
}

// in runs the statement in the open transaction.
func (l *dataLoad) in(tx *transaction.Txn) (loaded write.Loaded, err error) {
	t, err := tx.Next(l.ctx)
	tx.Writes = true
	if err == nil {
		loaded, err = l.through(tx.Txn, t)
	}
	tx.Over(&t, err)
	return loaded, err
}

// alone runs the statement as a transaction of its own. Where its rows replace
// what is there and are many, they go to the table as files.
func (l *dataLoad) alone() (loaded write.Loaded, err error) {
	o := l.txns.TakeNext()
	options := l.txns.TxnOptions(o)
	options.Single, options.Again = true, true // of what is read once, nothing is taken for granted
	txn, err := l.engine.store.Begin(l.ctx, options)
	if err != nil {
		return write.Loaded{}, err
	}
	l.txns.Alone = transaction.Txn{Txn: txn, Options: o}
	tx := &l.txns.Alone
	l.txns.Show(tx, l.began)
	defer func() {
		tx.Rollback()
		l.txns.Hide()
	}()
	t := transaction.Retry{Fresh: true, Renewable: true, Alone: true}
	warned := l.warnings
	for again := true; again; again = !l.st.Local && l.txns.Retries(l.ctx, tx, &t, &err, l.began) {
		l.warnings = warned
		if loaded, err = l.through(tx.Txn, t); err == nil {
			err = l.txns.CommitAlone(l.ctx, tx)
			t.Committed = true
		}
	}
	return loaded, err
}

// through plans the statement, opens the file and loads it. Where that fails, the
// transaction is as before.
func (l *dataLoad) through(txn kv.Txn, t transaction.Retry) (loaded write.Loaded, err error) {
	before := txn.Savepoint()
	defer func() {
		if err != nil {
			txn.RollbackTo(before)
		}
	}()
	if err := l.prepare(txn.Catalog()); err != nil {
		return write.Loaded{}, err
	}
	if err := l.open(); err != nil {
		return write.Loaded{}, err
	}
	defer func() {
		if closing := l.input.Close(); err == nil {
			err = closing
		}
	}()
	c := l.writing(l.ctx, txn, t.Fresh, l.args)
	c.Memory = &l.writeMemory
	defer l.writeMemory.Clear()
	loading := l.plan.Start(c, l.rows, t.Renewable, l.vars.Packet)
	loaded, err = loading.End(l.load(loading))
	if err == nil {
		err = l.ctx.Err()
	}
	return loaded, err
}

// bulkBytes is how many bytes of rows are kept before they go to the table as
// files: for fewer, to make files takes longer than to write them to the log.
const bulkBytes = 4 << 20

func (l *dataLoad) load(loading *write.Loading) error {
	loader, ok := l.engine.store.(kv.BulkLoader)
	table := l.plan.Bulk()
	if !ok || table == nil || l.txns.Open != nil {
		return loading.Write()
	}
	many, err := loading.Keep(bulkBytes)
	if err != nil {
		return err
	}
	if !many {
		return loading.Write()
	}
	first, err := l.txns.Publish(l.ctx)
	if err != nil {
		return err
	}
	defer l.txns.Published(first)
	cells := write.NewLoad([]*kv.Table{table}, heededCells(l.ctx, loading.Cells))
	stats, err := loader.BulkLoad(l.ctx, []*kv.Table{table}, cells.Cells, kv.BulkOptions{LockTimeout: l.vars.LockTimeout})
	if err = cells.Error(err); err != nil && stats.Written > 0 {
		return &kv.PartlyWritten{Written: int(stats.Written), Rows: cells.Taken(), Cause: storeerr.Map(l.ctx, err)}
	}
	return err
}

// prepare plans the statement. To its expressions the variables that it sets are
// texts, whatever the session has in them.
func (l *dataLoad) prepare(catalog *kv.Catalog) (err error) {
	p, info := l.planner(l.ctx, catalog, l.args), l.info()
	others := info.UserVariable
	info.UserVariable = func(name string) value.Value {
		for _, f := range l.st.Fields {
			if f.Variable != "" && strings.EqualFold(f.Variable, name) {
				return write.Variable(nil, l.binary)
			}
		}
		return others(name)
	}
	p.Arguments = expr.NewArguments(l.args, info)
	if l.plan, err = write.PrepareLoad(p, l.parsed, l.binary); err != nil {
		return err
	}
	for _, err := range l.plan.Lacking() {
		if !l.vars.Loose {
			return err
		}
		l.warn(uint16(mysqlerr.NoDefaultForField), mysqlerr.Message(err))
	}
	return nil
}

// open opens the file and passes the lines that are to be ignored.
func (l *dataLoad) open() (err error) {
	switch files := l.options.Files; {
	case files == nil:
		return secured()
	case l.st.Local:
		l.input, err = files.Local(l.st.File)
	default:
		l.input, err = files.Open(l.st.File)
	}
	if err != nil {
		return err
	}
	l.rows = textfile.NewReader(heeded{l.ctx, l.input}, l.st.Format, l.plan.Shape(l.vars.Packet))
	if err = l.rows.Skip(l.st.Skip); err != nil {
		_ = l.input.Close() // the first error tells more
	}
	return err
}
