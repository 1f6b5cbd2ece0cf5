package sqlfront

import (
	"context"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/transaction"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// change runs a writing statement. In an open transaction a failed statement undoes only its own changes;
// otherwise the statement is a transaction of its own.
func (s *Session) change(ctx context.Context, st *Statement, args []value.Value) (Result, error) {
	s.idTold = false
	tx, err := s.txns.Current(ctx, s.began)
	if err != nil {
		return Result{}, err
	}
	if err := s.checkWrites(ctx, tx, st.Parsed.Stmt); err != nil {
		return Result{}, err
	}
	var result change.Result
	if tx != nil {
		result, err = s.changeIn(ctx, tx, st, args)
	} else {
		result, err = s.changeAlone(ctx, st, args)
	}
	if err != nil {
		return Result{}, err
	}
	return s.changed(st.Parsed.Stmt, result), nil
}

// checkWrites refuses a writing statement in a read-only session or transaction, unless it writes only
// temporary tables, and waits for a read lock of another session.
func (s *Session) checkWrites(ctx context.Context, tx *transaction.Txn, st ast.Statement) error {
	if s.temp.Writes(s.database, st) {
		return nil
	}
	if err := s.txns.CheckWritable(tx); err != nil {
		return err
	}
	return s.txns.CheckReadLock(ctx)
}

func (s *Session) changed(st ast.Statement, r change.Result) Result {
	n := r.Changed
	if s.options.ClientFoundRows {
		n = r.Found
	}
	s.rowCount = n
	s.lastInfo = s.infoOf(st, r)
	return Result{LastInsertID: s.insertID(r), RowsAffected: n}
}

// insertID is the last inserted ID of a statement's result: the first AUTO_INCREMENT value that was
// generated, else the argument of LAST_INSERT_ID(id), else the last value that a row gave itself.
func (s *Session) insertID(r change.Result) int64 {
	switch {
	case r.InsertID != 0:
		s.lastInsertID = r.InsertID
	case !s.idTold:
		return r.GivenID
	}
	return s.lastInsertID
}

// changeIn runs a statement in the open transaction.
func (s *Session) changeIn(ctx context.Context, tx *transaction.Txn, st *Statement,
	args []value.Value) (result change.Result, err error) {
	t, err := tx.Next(ctx)
	tx.Writes = tx.Writes || !s.temp.Writes(s.database, st.Parsed.Stmt)
	warned := s.warnings.List
	for again := err == nil; again; again = s.txns.Retries(ctx, tx, &t, &err, s.began) {
		s.warnings.List = warned
		result, err = s.changeOnce(ctx, tx, &t, st, args)
	}
	tx.Over(&t, err)
	if err == nil {
		s.warnOf(tx.Txn)
	}
	return result, err
}

// warnOf adds the warnings that the store has about a transaction's writes, each once per session.
func (s *Session) warnOf(txn kv.Txn) {
	w, ok := txn.(kv.Warner)
	if !ok {
		return
	}
	for _, text := range w.Warnings() {
		if !s.warnedOf[text] {
			if s.warnedOf == nil {
				s.warnedOf = map[string]bool{}
			}
			s.warnedOf[text] = true
			s.warn(uint16(mysqlerr.UnknownError), text)
		}
	}
}

func (s *Session) changeOnce(ctx context.Context, tx *transaction.Txn, t *transaction.Retry, st *Statement,
	args []value.Value) (change.Result, error) {
	planned, args, err := s.planFor(ctx, st, tx.Catalog(), args)
	if err != nil {
		return change.Result{}, err
	}
	if planned.Single {
		return planned.Write.Run(s.writing(ctx, tx.Txn, t, args))
	}
	if err := kv.Settle(ctx, tx.Txn); err != nil {
		return change.Result{}, err
	}
	before := tx.Savepoint()
	c := s.writing(ctx, tx.Txn, t, args)
	c.Memory = &s.writeMemory
	result, err := planned.Write.Run(c)
	if err == nil {
		err = ctx.Err()
	}
	s.writeMemory.Clear() // the rows are closed
	if err != nil {
		tx.RollbackTo(before)
	}
	return result, err
}

// changeAlone runs a statement as a transaction of its own. It runs it again after each conflict with
// another writer, until its context ends: the caller of a single statement never sees a conflict.
func (s *Session) changeAlone(ctx context.Context, st *Statement,
	args []value.Value) (result change.Result, err error) {
	o := s.txns.TakeNext()
	txn, err := s.txns.BeginTxn(ctx, o, kv.TxnOptions{Single: true})
	if err != nil {
		return change.Result{}, err
	}
	s.txns.Alone = transaction.Txn{Txn: txn, Options: o, Writes: !s.temp.Writes(s.database, st.Parsed.Stmt)}
	tx := &s.txns.Alone
	s.txns.Show(tx, s.began)
	defer func() {
		tx.Rollback()
		s.txns.Hide()
	}()
	t := transaction.Retry{Fresh: true, Renewable: true, Alone: true}
	warned := s.warnings.List
	for again := true; again; again = s.txns.Retries(ctx, tx, &t, &err, s.began) {
		s.warnings.List = warned
		if result, err = s.changeOnce(ctx, tx, &t, st, args); err == nil {
			err = s.txns.CommitAlone(ctx, tx)
			t.Committed = true
		}
	}
	if err == nil {
		s.warnOf(tx.Txn)
	}
	return result, err
}

// LastInfo is the information string of the last statement, such as "Rows matched: 1".
func (s *Session) LastInfo() answers.Info { return s.lastInfo }

// infoOf is the information string of a statement that has changed rows. An INSERT of one row of VALUES
// has none.
func (s *Session) infoOf(st ast.Statement, r change.Result) answers.Info {
	warnings := int64(s.warnings.All)
	switch st := st.(type) {
	case *ast.Update:
		return answers.OfUpdate(r.Matched, r.Changed, warnings)
	case *ast.Insert:
		if rows, ok := st.Node.Rows.(sqlparser.Values); ok && len(rows) == 1 {
			return answers.Info{}
		}
		return answers.OfInsert(r.Matched, max(r.Matched-r.Found, r.Found-r.Matched), warnings)
	}
	return answers.Info{}
}
