package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// errCannot is the error of a dialect without a statement for an operation.
var errCannot = errors.New("has no statement for it")

// dialect is an SQL database with its statements for the operations. {t} stands
// for the table.
type dialect struct {
	driver string
	// dsn is that of a store in a directory; stop stops what was started for it.
	dsn    func(dir string, durable bool) (dsn string, stop func() error, err error)
	create string
	settle []string
	reads  map[string][]string // by the reading's name, or name and table; the fastest is used
	writes map[string]string
	// args replaces the arguments of a reading.
	args     func(scan) []any
	numbered bool // $1, $2 instead of question marks
	// bulkLoad is nil if one transaction loads; bulkDSN is that of a separate
	// file for the load, or nil.
	bulkLoad func(s *sqlStore, t table, from, to int) error
	bulkDSN  func(file string) string
}

func (d *dialect) open(dir string, durable bool) (store, error) {
	dsn, stop, err := d.dsn(dir, durable)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open(d.driver, dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxIdleConns(128)
	return &sqlStore{dialect: d, db: db, dir: dir, stop: stop, chosen: map[string]string{}}, nil
}

type sqlStore struct {
	*dialect
	db     *sql.DB
	dir    string
	beside *sqlStore // for bulk loads; may be nil
	stop   func() error
	chosen map[string]string
}

func inTable(statement, table string) string { return strings.ReplaceAll(statement, "{t}", table) }

func (s *sqlStore) create(t table) error {
	_, err := s.db.Exec(inTable(s.dialect.create, t.name))
	return err
}

func (s *sqlStore) settle(t table) error {
	for _, statement := range s.dialect.settle {
		if _, err := s.db.Exec(inTable(statement, t.name)); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

func (s *sqlStore) close() error {
	err := s.db.Close()
	if s.beside != nil {
		err = errors.Join(err, s.beside.close())
	}
	if s.stop != nil {
		err = errors.Join(err, s.stop())
	}
	return err
}

// statements returns the possible statements for a reading.
func (s *sqlStore) statements(r *reading) []string {
	if own := s.reads[r.name+" "+r.table]; own != nil {
		return own
	}
	return s.reads[r.name]
}

func (s *sqlStore) choose(r *reading, statement string) { s.chosen[r.name+" "+r.table] = statement }

func (s *sqlStore) statement(r *reading) string {
	if chosen := s.chosen[r.name+" "+r.table]; chosen != "" {
		return chosen
	}
	if all := s.statements(r); len(all) > 0 {
		return all[0]
	}
	return ""
}

func (s *sqlStore) connect() session {
	return &sqlSession{store: s, prepared: map[string]*sql.Stmt{}, inTx: map[string]*sql.Stmt{}}
}

// sqlSession prepares a statement when it is first needed.
type sqlSession struct {
	store    *sqlStore
	prepared map[string]*sql.Stmt
	tx       *sql.Tx
	inTx     map[string]*sql.Stmt
}

// numberPlaceholders turns question marks into $1, $2 and so on.
func numberPlaceholders(statement string) string {
	for n := 1; strings.Contains(statement, "?"); n++ {
		statement = strings.Replace(statement, "?", "$"+strconv.Itoa(n), 1)
	}
	return statement
}

func (s *sqlSession) prepare(statement, table string) (*sql.Stmt, error) {
	if statement == "" {
		return nil, errCannot
	}
	statement = inTable(statement, table)
	if s.store.numbered {
		statement = numberPlaceholders(statement)
	}
	stmt := s.prepared[statement]
	if stmt == nil {
		var err error
		if stmt, err = s.store.db.Prepare(statement); err != nil {
			return nil, fmt.Errorf("%s: %w", statement, err)
		}
		s.prepared[statement] = stmt
	}
	if s.tx == nil {
		return stmt, nil
	}
	bound := s.inTx[statement]
	if bound == nil {
		bound = s.tx.Stmt(stmt)
		s.inTx[statement] = bound
	}
	return bound, nil
}

func (s *sqlSession) read(ctx context.Context, r *reading, what scan, to *sink) error {
	stmt, err := s.prepare(s.store.statement(r), r.table)
	if err != nil {
		return err
	}
	args := r.args
	if s.store.args != nil {
		args = s.store.args
	}
	rows, err := stmt.QueryContext(ctx, args(what)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if err := giveRows(rows, what.fold, to); err != nil {
		return err
	}
	return rows.Err()
}

func giveRows(rows *sql.Rows, f fold, to *sink) (err error) {
	switch f {
	case total:
		var n int64
		for err == nil && rows.Next() {
			err = rows.Scan(&n)
			to.group(nil, n)
		}
	case groups:
		var prefix sql.RawBytes
		var n int64
		for err == nil && rows.Next() {
			err = rows.Scan(&prefix, &n)
			to.group(prefix, n)
		}
	case pivot:
		var row [3]sql.RawBytes
		for err == nil && rows.Next() {
			err = rows.Scan(&row[0], &row[1], &row[2])
			to.pivoted([...][]byte{row[0], row[1], row[2]})
		}
	case values:
		var v sql.RawBytes
		for err == nil && rows.Next() {
			err = rows.Scan(&v)
			to.value(v)
		}
	default:
		var k, q, v sql.RawBytes
		var t int64
		for err == nil && rows.Next() {
			err = rows.Scan(&k, &q, &t, &v)
			to.cell(cell{k, q, t, v})
		}
	}
	return err
}

func (s *sqlSession) write(w *writing, table string, cells ...cell) error {
	stmt, err := s.prepare(s.store.writes[w.name], table)
	if err != nil {
		return err
	}
	_, err = stmt.Exec(w.args(cells)...)
	return err
}

func (s *sqlSession) begin() (err error) {
	s.tx, err = s.store.db.Begin()
	return err
}

func (s *sqlSession) commit() error {
	tx := s.tx
	s.tx = nil
	clear(s.inTx)
	return tx.Commit()
}

func (s *sqlSession) close() error {
	var errs []error
	if s.tx != nil {
		errs = append(errs, s.tx.Rollback())
	}
	for _, stmt := range s.prepared {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(errs...)
}
