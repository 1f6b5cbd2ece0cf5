package sqlfront

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// sharing is what makes texts that differ in their literals one statement: it
// is parsed and planned once.
type sharing struct {
	// forms are SELECT, UPDATE and DELETE with placeholders for their literals,
	// by text. A form is taken when it comes the second time: texts that differ in
	// more than literals would push out those that do not.
	forms *lru.Cache[string, *form]
	// again are statements that came again with the same literals.
	again *lru.Cache[string, *Statement]
	mode  sharingMode
}

// form is a text with placeholders. parsed is nil where they might mean
// something else than the literals.
type form struct {
	parsed *parse.Parsed
	table  *parse.Table
}

// sharingMode is for tests, which compare statements that share with others.
type sharingMode uint8

const (
	shareForms  sharingMode = iota
	shareNone               // of SELECT, UPDATE and DELETE
	shareAtOnce             // the first time already
)

func newSharing() *sharing {
	return &sharing{forms: newCache[string, *form](), again: newCache[string, *Statement]()}
}

// shared takes the literals out of a text, so that it is parsed and planned once
// for all of them. It is nil where that cannot be, and where parsing fails, for
// errors quote the text.
func (e *Engine) shared(sql string) *Statement {
	if st, ok := e.sharing.again.Get(sql); ok {
		return st
	}
	lifted, ok := parse.Lift(sql)
	switch {
	case !ok || len(lifted.Text) > maxCachedText:
		return nil
	case lifted.Rows:
		return e.sharedRows(sql, &lifted)
	}
	f := e.form(lifted.Text)
	if f == nil || f.parsed == nil || f.parsed.NumParams != len(lifted.Values) {
		return nil
	}
	st := &Statement{parsed: f.parsed, text: sql, values: liftedValues(lifted.Values), lifted: true, table: f.table}
	if len(sql) <= maxCachedText && e.texts.before(sql) {
		e.sharing.again.Add(sql, st)
	}
	return st
}

// sharedRows is shared of an INSERT; one that comes again is kept as it is.
func (e *Engine) sharedRows(sql string, lifted *parse.Lifted) *Statement {
	if len(sql) <= maxCachedText && e.texts.before(sql) {
		return nil
	}
	p, err := e.parse(lifted.Text)
	if err != nil || p.NumParams != len(lifted.Values) {
		return nil
	}
	return &Statement{parsed: p, text: sql, values: liftedValues(lifted.Values), lifted: true}
}

// form is that of a text with placeholders, nil where it came the first time.
func (e *Engine) form(text string) *form {
	if f, ok := e.sharing.forms.Get(text); ok {
		return f
	}
	switch {
	case e.sharing.mode == shareNone:
		return nil
	case e.sharing.mode == shareForms && !e.texts.before(text):
		return nil
	}
	f := &form{}
	if p, err := parse.Parse(text); err == nil {
		if table, ok := parse.Shareable(p); ok {
			f.parsed, f.table = p, table
		}
	}
	e.sharing.forms.Add(text, f)
	return f
}

func liftedValues(in []parse.LiftedValue) []value.Value {
	out := make([]value.Value, len(in))
	for i, v := range in {
		switch {
		case v.IsInt:
			out[i] = value.NewInt(v.Int)
		case v.Binary:
			out[i] = value.NewBytes(v.Bytes)
		default:
			out[i] = value.NewText(v.Bytes)
		}
	}
	return out
}

// asWritten is the statement to run over a catalog, with its values: the one
// with the literals in it where what is read is no stored table. The columns of a
// view can be of other types, and whether they compare with a literal as they are
// is up to its type.
func (s *Session) asWritten(catalog *kv.Catalog, p *parse.Parsed, args []value.Value) (*parse.Parsed, []value.Value, error) {
	if s.shares == nil || s.shares.parsed != p || isStored(catalog, s.database, s.shares.table) {
		return p, args, nil
	}
	p, err := s.engine.parse(s.shares.text)
	return p, nil, err
}

func isStored(catalog *kv.Catalog, database string, table *parse.Table) bool {
	if table.Database() != "" {
		database = table.Database()
	}
	return catalog.Table(database, table.Name.String()) != nil && !isVirtualDatabase(database)
}
