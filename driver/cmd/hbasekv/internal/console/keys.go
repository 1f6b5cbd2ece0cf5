package console

import (
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/advise"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/heat"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// Bounds of a map.
const (
	maxMapRows    = 300
	maxMapColumns = 480
	maxBound      = 256 // bytes that are shown of a range's first and last key
)

// keyRange is a row of the map. Bounds are bytes; none is null.
type keyRange struct {
	Database  string `json:"database"`
	Table     string `json:"table"`
	Partition string `json:"partition"`
	Start     []byte `json:"start"`
	End       []byte `json:"end"`
	By        []by   `json:"by"`
}

// by are statements that ask for a range, with their share from 0 to 1. Kind is empty where no statement asks, Shape where the
// account may not see others' statements.
type by struct {
	Kind  string  `json:"kind"`
	Shape string  `json:"shape,omitempty"`
	Share float64 `json:"share"`
}

// keyMap is the answer. Cells are those that are not empty: row, column, reads, writes, bytes read, bytes written.
type keyMap struct {
	Counted bool         `json:"counted"`
	Sampled bool         `json:"sampled"` // it is known which statements ask
	Every   int64        `json:"every"`   // milliseconds between two looks at the counters
	Begun   int64        `json:"begun"`
	Step    int64        `json:"step"` // milliseconds
	Times   []int64      `json:"times"`
	Rows    []keyRange   `json:"rows"`
	Cells   [][6]float64 `json:"cells"`
}

// keys answers with what was asked of ranges of keys, of the tables that the account may read: keys are data.
func (c *Console) keys(w http.ResponseWriter, r *http.Request, in *login) {
	var ask struct {
		From, To        int64 // milliseconds since 1970
		Database, Table string
	}
	if !read(w, r, &ask) {
		return
	}
	var authority *rights.Authority
	err := c.inSession(r, in, "", func(s *sqlfront.Session) (err error) {
		authority, err = s.Authority(r.Context())
		return err
	})
	if err != nil {
		reply(w, nil, err)
		return
	}
	now := time.Now()
	q := heat.Question{From: time.UnixMilli(ask.From), To: time.UnixMilli(ask.To), MaxRows: maxMapRows, MaxColumns: maxMapColumns,
		Shows: func(of *heat.Range) bool {
			return (ask.Table == "" || of.Table == ask.Table && of.Database == ask.Database) &&
				authority.Table(rights.Select, of.Database, of.Table, of.Group) == nil
		}}
	if q.To.After(now) || ask.To == 0 {
		q.To = now
	}
	if oldest := now.Add(-7 * 24 * time.Hour); q.From.Before(oldest) {
		q.From = oldest
	}
	reply(w, c.shown(c.heat.Map(q), authority.May(rights.Process|rights.Super)), nil)
}

func (c *Console) shown(m *heat.Map, shapes bool) keyMap {
	out := keyMap{Counted: c.heat.Counts(), Sampled: c.heat.Samples(), Every: heat.Every.Milliseconds(), Step: m.Step.Milliseconds(), Times: []int64{}, Rows: []keyRange{}, Cells: [][6]float64{}}
	if !m.Begun.IsZero() {
		out.Begun = m.Begun.UnixMilli()
	}
	for _, t := range m.Times {
		out.Times = append(out.Times, t.UnixMilli())
	}
	for i, of := range m.Rows {
		out.Rows = append(out.Rows, keyRange{of.Database, of.Table, of.Partition, beginning(of.Start), beginning(of.End), callers(m.By[i], shapes)})
		for j, a := range m.Cells[i] {
			if a != (heat.Amount{}) {
				out.Cells = append(out.Cells, [6]float64{float64(i), float64(j), few(a.Reads), few(a.Writes), few(a.ReadBytes), few(a.WrittenBytes)})
			}
		}
	}
	return out
}

// few is a figure with the few digits that a page shows: what is shared among ranges has many.
func few(f float64) float64 { return math.Round(f*10) / 10 }

func beginning(key []byte) []byte { return key[:min(len(key), maxBound)] }

// callers are who asks for a range; of statements with the same kind and no shape the shares are one.
func callers(all []heat.Share, shapes bool) []by {
	out := []by{}
	for _, s := range all {
		one := by{s.Kind, s.Shape, s.Share}
		if !shapes {
			one.Shape = ""
		}
		at := slices.IndexFunc(out, func(o by) bool { return o.Kind == one.Kind && o.Shape == one.Shape })
		if at < 0 {
			out = append(out, one)
		} else {
			out[at].Share += one.Share
		}
	}
	return out
}

// adviseSample is how many rows are looked at for the advice of a page.
const adviseSample = 5000

// advise answers with what hbasekv advise says of a table that the account may read.
func (c *Console) advise(w http.ResponseWriter, r *http.Request, in *login) {
	var ask struct{ Database, Table string }
	if !read(w, r, &ask) {
		return
	}
	err := c.inSession(r, in, "", func(s *sqlfront.Session) error {
		authority, err := s.Authority(r.Context())
		if err != nil {
			return err
		}
		store, err := c.sessions.Store()
		if err != nil {
			return err
		}
		catalog, err := store.Catalog(r.Context())
		if err != nil {
			return err
		}
		group := ""
		if t := catalog.Table(ask.Database, ask.Table); t != nil {
			group = t.Group
		}
		return authority.Table(rights.Select, ask.Database, ask.Table, group)
	})
	if err != nil {
		reply(w, nil, err)
		return
	}
	select {
	case c.advising <- struct{}{}:
		defer func() { <-c.advising }()
	default:
		reply(w, nil, mysqlerr.New(mysqlerr.LockWaitTimeout, "Another page is being advised: try again"))
		return
	}
	a, err := advise.Table(r.Context(), c.db, lex.QuoteName(ask.Database)+"."+lex.QuoteName(ask.Table), advise.Options{Sample: adviseSample})
	if err != nil {
		reply(w, nil, err)
		return
	}
	reply(w, struct {
		Report   string   `json:"report"`
		Warnings []string `json:"warnings"`
	}{a.Report(), a.Warnings()}, nil)
}
