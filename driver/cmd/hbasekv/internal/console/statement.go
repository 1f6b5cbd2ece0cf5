package console

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/hbasekv/hbasekv/kv/caught"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// inSession calls fn with a session of the login's account, whose statements have its rights, in a database or, where
// that is empty, in none. The session ends with the call, and so does what is under way when the request ends.
func (c *Console) inSession(r *http.Request, in *login, database string, fn func(*sqlfront.Session) error) error {
	select {
	case c.running <- struct{}{}:
		defer func() { <-c.running }()
	case <-r.Context().Done():
		return r.Context().Err()
	}
	o := c.sessions.Options()
	o.Database = database
	o.Account, o.Accounts, o.Files = in.account, c.accounts, nil
	o.ReadOnly = o.ReadOnly || !c.options.Writes
	o.SlowLog = c.options.Log
	s, err := c.sessions.Open(r.Context(), o)
	if err != nil {
		return err
	}
	err = caught.Do(func() error { return fn(s) })
	var p *caught.Panic
	if errors.As(err, &p) {
		c.options.Log.Error("panic", "connection", s.ID(), "error", p.Error(), "door", "console", "stack", string(p.Stack))
		s.Abandon()
		return errors.New("the server failed at this statement: its log says where")
	}
	return errors.Join(err, s.Close())
}

// run runs a statement, of which the console must be allowed to run its kind.
func (c *Console) run(ctx context.Context, s *sqlfront.Session, text string) (sqlfront.Rows, sqlfront.Result, error) {
	st, err := s.Prepare(ctx, text)
	if err != nil {
		return nil, sqlfront.Result{}, err
	}
	if !c.options.Writes && !onlyReads(st.Parsed.Stmt) {
		return nil, sqlfront.Result{}, mysqlerr.New(mysqlerr.OptionPreventsStmt,
			"The console is read-only: hbasekv serve runs without --console-writes, so it cannot execute this statement")
	}
	return s.Run(ctx, st, nil)
}

// onlyReads is true of statements that change nothing that is stored. A session that is read-only refuses
// the other ones too, as far as they change rows.
func onlyReads(st ast.Statement) bool {
	switch st := st.(type) {
	case *ast.Select:
		return st.Into == nil || st.Into.File == ""
	case *ast.Show, *ast.Describe, *ast.Explain, *ast.ChecksumTable, *ast.Kill:
		return true
	}
	return false
}

// each calls fn with the rows of a statement of the console's own, which is valid during the call.
func (c *Console) each(ctx context.Context, s *sqlfront.Session, text string, fn func(row []value.Value) error) error {
	rows, _, err := c.run(ctx, s, text)
	if err != nil || rows == nil {
		return err
	}
	defer rows.Close()
	for {
		row, err := rows.Next()
		if err == io.EOF {
			return rows.Close()
		}
		if err == nil {
			err = fn(row)
		}
		if err != nil {
			return err
		}
	}
}
