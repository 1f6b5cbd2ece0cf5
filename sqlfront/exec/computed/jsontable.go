package computed

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function/jsondoc"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// JSONTable makes rows of documents, which its child stores in a column of the frame.
type JSONTable struct {
	Child    op.Node
	Document int
	Alias    string
	// First to below End are the frame's columns for the rows.
	First, End int
	Rows       JSONRows
}

// JSONRows are the rows of a document, one for each part at a path, combined with the rows of its
// Nested paths: of one after the other, while the columns of the others are NULL. A row without
// nested rows is returned once.
type JSONRows struct {
	Path    jsondoc.Path
	Columns []JSONColumn
	Nested  []JSONRows
}

// JSONColumn is a column of JSON_TABLE.
type JSONColumn struct {
	Name string
	At   int // in the frame
	// Ordinality is the number of the row, Exists whether the path exists.
	Ordinality, Exists bool
	Path               jsondoc.Path
	// Convert makes the column's value from the frame's column From. A column with IsJSON accepts
	// arrays and objects; in others, Words says that true and false are words.
	Convert       expr.Node
	From          int
	IsJSON, Words bool
	OnEmpty       JSONResponse
	OnError       JSONResponse
}

// JSONResponse is what replaces a missing value: a text, NULL, or an error.
type JSONResponse struct {
	Default value.Value
	Error   bool
}

type jsonScan struct {
	*JSONTable
	x         *op.Frame
	documents op.Input
	rows      *jsonRows // of the current document; nil for none
	given     int64
}

// jsonRows are rows of a part of a document.
type jsonRows struct {
	*JSONRows
	found  []*jsondoc.Document // the parts at the path
	at     int                 // how many of these have been begun
	nested int                 // how many of Nested have been begun, in the current part
	below  *jsonRows           // the rows of the last one; nil if it has no more
	gave   bool                // the current part has had a row
}

func (n *JSONTable) Open(x *op.Frame, _ op.Desired) (op.Operator, op.Provided, error) {
	documents, _, err := n.Child.Open(x, op.Desired{})
	if err != nil {
		return nil, op.Provided{}, err
	}
	return &jsonScan{JSONTable: n, x: x, documents: op.Input{Operator: documents}}, op.Provided{}, nil
}

func (s *jsonScan) Env() *expr.Env { return &s.x.Env }

func (s *jsonScan) Next(int) (*kernel.Batch, error) {
	for {
		if err := s.x.Tick(); err != nil {
			return nil, err
		}
		if s.rows == nil {
			if ok, err := s.begin(); !ok || err != nil {
				return nil, err
			}
		}
		if ok, err := s.nextOf(s.rows); ok || err != nil {
			s.given++
			return op.Single(ok, err)
		}
		s.rows = nil
	}
}

// begin moves to the next document.
func (s *jsonScan) begin() (bool, error) {
	ok, err := s.documents.Row(1)
	if !ok || err != nil {
		return false, err
	}
	clear(s.x.Env.Row[s.First:s.End])
	doc, err := jsondoc.TableDocument(&s.x.Env.Env, s.x.Env.Row[s.Document])
	if err != nil {
		return false, err
	}
	s.rows, err = s.rowsOf(&s.Rows, doc)
	return true, err
}

// rowsOf returns the rows of a part of the document, which may be nil.
func (s *jsonScan) rowsOf(n *JSONRows, part *jsondoc.Document) (*jsonRows, error) {
	r := &jsonRows{JSONRows: n}
	if part == nil {
		return r, nil
	}
	var err error
	r.found, err = n.Path.Find(&s.x.Env.Env, part)
	return r, err
}

// nextOf copies the next row into the frame.
func (s *jsonScan) nextOf(r *jsonRows) (bool, error) {
	for {
		if r.at > 0 {
			if ok, err := s.nextBelow(r); ok || err != nil {
				return ok, err
			}
			if !r.gave {
				r.gave = true
				return true, nil
			}
		}
		if r.at == len(r.found) {
			return false, nil
		}
		r.at, r.nested, r.below, r.gave = r.at+1, 0, nil, false
		if err := s.fill(r); err != nil {
			return false, err
		}
	}
}

// nextBelow copies the next row of the nested ones into the frame.
func (s *jsonScan) nextBelow(r *jsonRows) (ok bool, err error) {
	for {
		if r.below != nil {
			if ok, err = s.nextOf(r.below); ok || err != nil {
				r.gave = true
				return ok, err
			}
			s.clear(r.below.JSONRows)
			r.below = nil
		}
		if r.nested == len(r.Nested) {
			return false, nil
		}
		r.nested++
		if r.below, err = s.rowsOf(&r.Nested[r.nested-1], r.found[r.at-1]); err != nil {
			return false, err
		}
	}
}

// clear sets the columns to NULL.
func (s *jsonScan) clear(n *JSONRows) {
	for i := range n.Columns {
		s.x.Env.Row[n.Columns[i].At] = value.Value{}
	}
	for i := range n.Nested {
		s.clear(&n.Nested[i])
	}
}

// fill copies the columns of the current part into the frame.
func (s *jsonScan) fill(r *jsonRows) error {
	for i := range r.Columns {
		c := &r.Columns[i]
		if c.Ordinality {
			s.x.Env.Row[c.At] = value.NewInt(int64(r.at))
			continue
		}
		v, err := s.valueOf(c, r.found[r.at-1])
		if err != nil {
			return err
		}
		s.x.Env.Row[c.From] = v
		if v, err = c.Convert.Eval(&s.x.Env); err != nil {
			return err
		}
		s.x.Env.Row[c.At] = v.Clone()
	}
	return nil
}

// valueOf returns the value of a column in a part, before conversion. The errors are 3665, 3666 and
// those of the path.
func (s *jsonScan) valueOf(c *JSONColumn, part *jsondoc.Document) (value.Value, error) {
	env := &s.x.Env.Env
	found, err := c.Path.Find(env, part)
	switch {
	case err != nil:
		return value.Value{}, err
	case c.Exists:
		return value.NewBool(len(found) > 0), nil
	case len(found) == 0 && c.OnEmpty.Error:
		return value.Value{}, mysqlerr.New(mysqlerr.MissingJSONTableValue, "Missing value for JSON_TABLE column '%s'", c.Name)
	case len(found) == 0:
		return c.OnEmpty.Default, nil
	case len(found) == 1 && c.IsJSON:
		return found[0].Result(env, "json_table")
	case len(found) == 1:
		if v, ok := found[0].Value(c.Words); ok {
			return v, nil
		}
	}
	if c.OnError.Error {
		return value.Value{}, mysqlerr.New(mysqlerr.WrongJSONTableValue,
			"Can't store an array or an object in the scalar column '%s' of JSON_TABLE %s", c.Name, s.Alias)
	}
	return c.OnError.Default, nil
}

func (s *jsonScan) Close() error { return s.documents.Close() }

func (s *jsonScan) Step() *explain.Step {
	out := explain.NewStep("Table function json_table " + s.Alias)
	out.Table = &explain.Table{Table: s.Alias, Type: "ALL", Rows: -1}
	out.Rows = s.given
	return out
}
