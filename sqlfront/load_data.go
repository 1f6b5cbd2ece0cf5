package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/fileio"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/transaction"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// loadData runs LOAD DATA. In an open transaction a failed statement undoes only its own changes; otherwise
// the statement is a transaction of its own.
func (s *Session) loadData(ctx context.Context, p *ast.Parsed, args []value.Value) (Result, error) {
	l := &fileio.Load{Host: host{s}, Ctx: ctx, Parsed: p, Args: args, Files: s.options.Files,
		Packet: s.vars.Packet, Loose: s.vars.Loose, LockTimeout: s.vars.LockTimeout}
	tx, err := s.txns.Current(ctx, s.began)
	if err == nil {
		err = s.checkWrites(ctx, tx, p.Stmt)
	}
	if err == nil {
		err = l.Check(s.engine.globals.LocalInfile())
	}
	if err != nil {
		return Result{}, err
	}
	defer l.Close()
	var loaded change.Loaded
	if tx != nil {
		loaded, err = s.loadIn(ctx, l, tx)
	} else {
		loaded, err = s.loadAlone(ctx, l)
	}
	if err != nil {
		return Result{}, err
	}
	result := s.changed(p.Stmt, loaded.Result)
	s.lastInfo = answers.OfLoad(loaded.Records, loaded.Records-loaded.Changed, loaded.Warnings)
	return result, nil
}

// loadIn runs the statement in the open transaction.
func (s *Session) loadIn(ctx context.Context, l *fileio.Load, tx *transaction.Txn) (loaded change.Loaded, err error) {
	t, err := tx.Next(ctx)
	tx.Writes = tx.Writes || !s.temp.Writes(s.database, l.Parsed.Stmt)
	if err == nil {
		loaded, err = l.Run(tx.Txn, &t)
	}
	tx.Over(&t, err)
	return loaded, err
}

// loadAlone runs the statement as a transaction of its own. If its rows replace existing ones and are many,
// they go to the table as files.
func (s *Session) loadAlone(ctx context.Context, l *fileio.Load) (loaded change.Loaded, err error) {
	l.Bulk, _ = s.engine.store.(kv.BulkLoader)
	l.Replay = s.replay()
	o := s.txns.TakeNext()
	// It may not be possible to run it again, so the store must assume nothing.
	txn, err := s.txns.BeginTxn(ctx, o, kv.TxnOptions{Single: true, Again: true})
	if err != nil {
		return change.Loaded{}, err
	}
	s.txns.Alone = transaction.Txn{Txn: txn, Options: o, Writes: !s.temp.Writes(s.database, l.Parsed.Stmt)}
	tx := &s.txns.Alone
	s.txns.Show(tx, s.began)
	defer func() {
		tx.Rollback()
		s.txns.Hide()
	}()
	t := transaction.Retry{Fresh: true, Renewable: true, Alone: true}
	warned := s.warnings.List
	for again := true; again; again = l.Again() && s.txns.Retries(ctx, tx, &t, &err, s.began) {
		s.warnings.List = warned
		if loaded, err = l.Run(tx.Txn, &t); err == nil {
			err = s.txns.CommitAlone(ctx, tx)
			t.Committed = true
		}
	}
	return loaded, err
}

// replay bounds what a load keeps of what it reads.
func (s *Session) replay() *spill.Options {
	o := s.vars.Spill
	o.Claims = &s.claims
	return &o
}
