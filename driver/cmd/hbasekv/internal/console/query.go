package console

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/driver/internal/values"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Bounds of results.
const (
	batchRows  = 200
	batchBytes = 64 << 10
	defaultCut = 1 << 10 // of a value
	maxCut     = 4 << 20
)

// statement is what a page asks for.
type statement struct {
	SQL      string `json:"sql"`
	Database string `json:"database"`
	Rows     int    `json:"rows"` // that are wanted; 0 is all
	Cut      int    `json:"cut"`  // bytes of a value that are wanted; 0 is 1 KiB
}

// query runs a statement and answers by lines of JSON as its rows come: {"id", "columns"}, {"rows"} any number
// of times, and {"end"} or {"error"}. A reader that stops reading stops the statement from going on, and one
// that goes away ends it.
func (c *Console) query(w http.ResponseWriter, r *http.Request, in *login) {
	var ask statement
	if !read(w, r, &ask) {
		return
	}
	if ask.Cut <= 0 {
		ask.Cut = defaultCut
	}
	ask.Cut = min(ask.Cut, maxCut)
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := &lines{w: w, flush: http.NewResponseController(w)}
	unhurried(w)
	begun := time.Now()
	err := c.inSession(r, in, ask.Database, func(s *sqlfront.Session) error {
		if err := out.put(head{ID: s.ID()}); err != nil {
			return err
		}
		rows, changed, err := c.run(r.Context(), s, ask.SQL)
		if err != nil {
			return err
		}
		n := 0
		if rows != nil {
			defer rows.Close()
			if n, err = out.rows(rows, ask); err != nil {
				return err
			}
		}
		return out.put(tail{End: true, Count: n, Affected: changed.RowsAffected, Info: s.LastInfo().String(),
			Milliseconds: float64(time.Since(begun).Microseconds()) / 1000})
	})
	if err != nil {
		_ = out.put(struct { // whoever has gone does not want it
			Error failure `json:"error"`
		}{failureOf(err)})
	}
}

type head struct {
	ID      uint64   `json:"id,omitempty"` // of the session, for KILL QUERY and the process list
	Columns []column `json:"columns,omitempty"`
}

type column struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Kind string `json:"kind"` // number, bytes, json or text
}

type tail struct {
	End          bool    `json:"end"`
	Count        int     `json:"count"` // of rows: lines before this one have these in rows
	Affected     int64   `json:"affected"`
	Info         string  `json:"info,omitempty"`
	Milliseconds float64 `json:"ms"`
}

// lines are an answer that is sent line by line.
type lines struct {
	w     http.ResponseWriter
	flush *http.ResponseController
}

func (l *lines) put(line any) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	unhurried(l.w)
	if _, err := l.w.Write(append(text, '\n')); err != nil {
		return err
	}
	if err := l.flush.Flush(); !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// rows sends columns and rows, and gives how many there were.
func (l *lines) rows(rows sqlfront.Rows, ask statement) (n int, err error) {
	columns := make([]column, len(rows.Columns()))
	for i, each := range rows.Columns() {
		columns[i] = column{each.Name, values.TypeName(each.Type), kindOf(each.Type)}
	}
	if err := l.put(head{Columns: columns}); err != nil {
		return 0, err
	}
	batch, size, sent := [][]any{}, 0, time.Now()
	send := func() error {
		b := batch
		batch, size, sent = [][]any{}, 0, time.Now()
		if len(b) == 0 {
			return nil
		}
		return l.put(struct {
			Rows [][]any `json:"rows"`
		}{b})
	}
	for ask.Rows <= 0 || n < ask.Rows {
		row, err := rows.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return n, errors.Join(err, send())
		}
		n++
		shown := make([]any, len(row))
		for i, v := range row {
			shown[i] = show(v, ask.Cut)
			size += min(v.Size(), ask.Cut)
		}
		if batch = append(batch, shown); len(batch) >= batchRows || size >= batchBytes || time.Since(sent) > time.Second {
			if err := send(); err != nil {
				return n, err
			}
		}
	}
	return n, send()
}

// kindOf is what pages do with a value.
func kindOf(t value.Type) string {
	switch {
	case t.Kind == value.JSON:
		return "json"
	case t.Kind == value.Bytes:
		return "bytes"
	case t.Kind == value.Int, t.Kind == value.Uint, t.Kind == value.Float, t.Kind == value.Decimal:
		return "number"
	}
	return "text"
}

// cutValue is a value that is not a text, or longer than what is wanted: Bytes are those of its beginning.
type cutValue struct {
	Bytes  []byte `json:"b"`
	Length int    `json:"n"`
}

// show is a value as JSON has it: null, a text, or bytes.
func show(v value.Value, cut int) any {
	if v.IsNull() {
		return nil
	}
	text := v.AsBytes()
	if len(text) > cut || !utf8.Valid(text) {
		return cutValue{append([]byte(nil), text[:min(len(text), cut)]...), len(text)}
	}
	return string(text)
}
