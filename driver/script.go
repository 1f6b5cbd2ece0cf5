package driver

import (
	"context"
	"database/sql/driver"

	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// script is a string of several statements, which run in order until one fails.
// Arguments are bound to the placeholders in the order of the text.
type script struct {
	conn  *conn
	ctx   context.Context // of the call that began it; cancels all its statements
	texts []string
	args  []value.Value
}

func (c *conn) newScript(ctx context.Context, query string, args []value.Value) (*script, error) {
	texts, err := c.session.Split(query)
	if err != nil {
		return nil, err
	}
	if len(texts) == 0 {
		texts = []string{query} // for the error of an empty statement
	}
	s := &script{conn: c, ctx: ctx, texts: texts, args: args}
	return s, s.checkCount()
}

// checkCount compares the number of placeholders with that of arguments before
// anything runs. A script without arguments is not checked: its later
// statements may not parse before the first ones have run.
func (s *script) checkCount() error {
	if len(s.args) == 0 {
		return nil
	}
	n := 0
	for _, text := range s.texts {
		prepared, err := s.conn.session.Prepare(s.ctx, text)
		if err != nil {
			return userError(err)
		}
		n += prepared.Parsed.NumParams
	}
	if n != len(s.args) {
		return sqlfront.WrongCount(n, len(s.args))
	}
	return nil
}

func (s *script) left() bool { return len(s.texts) > 0 }

// stop discards the rest of the script.
func (s *script) stop() { s.texts = nil }

// next prepares the next statement and takes its arguments.
func (s *script) next() (*sqlfront.Statement, []value.Value, error) {
	if err := s.conn.ready(s.ctx); err != nil {
		s.stop()
		return nil, nil, err
	}
	prepared, err := s.conn.session.Prepare(s.ctx, s.texts[0])
	if err != nil {
		s.stop()
		return nil, nil, userError(err)
	}
	n := min(prepared.Parsed.NumParams, len(s.args))
	args := s.args[:n:n]
	s.texts, s.args = s.texts[1:], s.args[n:]
	return prepared, args, nil
}

// query runs the next statement; an error ends the script.
func (s *script) query() (*rows, error) {
	prepared, args, err := s.next()
	if err != nil {
		return nil, err
	}
	r := s.conn.newRows()
	err = r.run(s.ctx, prepared, args)
	if err != nil {
		s.stop()
		return nil, err
	}
	return r, nil
}

// exec runs the rest of the script.
func (s *script) exec() (driver.Result, error) {
	all := &results{}
	for s.left() {
		prepared, args, err := s.next()
		if err != nil {
			return nil, err
		}
		one, err := s.conn.exec(s.ctx, prepared, args)
		if err != nil {
			s.stop()
			return nil, err
		}
		all.add(one.(*result))
	}
	return all, nil
}

// execScript runs a whole script.
func (c *conn) execScript(ctx context.Context, query string, args []value.Value) (driver.Result, error) {
	s, err := c.newScript(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return s.exec()
}

// queryScript runs a script up to its first result set.
func (c *conn) queryScript(ctx context.Context, query string, args []value.Value) (driver.Rows, error) {
	s, err := c.newScript(ctx, query, args)
	if err != nil {
		return nil, err
	}
	for {
		r, err := s.query()
		if err != nil {
			return nil, err
		}
		if len(r.columns) > 0 || !s.left() {
			r.rest = s
			return r, nil
		}
		if err := r.Close(); err != nil {
			return nil, err
		}
	}
}

// Shown returns a statement's text for logs. A statement that may hold a password,
// such as CREATE USER, is cut off before it.
func Shown(text string) string { return sqlfront.Shown(text) }
