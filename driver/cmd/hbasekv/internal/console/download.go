package console

import (
	"cmp"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/export"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/fileformat"
	"github.com/hbasekv/hbasekv/driver/internal/values"
	"github.com/hbasekv/hbasekv/sqlfront"
)

// A browser saves what it is led to, and a link carries no token: a download is asked for by a request
// with one, and fetched by a ticket, which is good once and for ticketTime.
const (
	ticketTime = time.Minute
	maxTickets = 256
)

type tickets struct {
	mu  sync.Mutex
	all map[string]download
}

type download struct {
	statement
	format *fileformat.Format
	of     *login
	until  time.Time
}

// add keeps a download, unless there are too many that nobody has fetched.
func (t *tickets) add(d download, now time.Time) (ticket string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for ticket, each := range t.all {
		if now.After(each.until) {
			delete(t.all, ticket)
		}
	}
	if len(t.all) >= maxTickets {
		return "", false
	}
	if t.all == nil {
		t.all = map[string]download{}
	}
	ticket, d.until = random(), now.Add(ticketTime)
	t.all[ticket] = d
	return ticket, true
}

// take is the download of a ticket of that login.
func (t *tickets) take(ticket string, of *login, now time.Time) (download, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	d, ok := t.all[ticket]
	if !ok || d.of != of {
		return d, false
	}
	delete(t.all, ticket)
	return d, now.Before(d.until)
}

// prepareDownload answers with a ticket.
func (c *Console) prepareDownload(w http.ResponseWriter, r *http.Request, in *login) {
	var ask struct {
		SQL, Database, Format string
	}
	if !read(w, r, &ask) {
		return
	}
	format, err := fileformat.Named(ask.Format)
	if err != nil || format != fileformat.CsvFile && format != fileformat.TsvFile && format != fileformat.ParquetFile {
		fail(w, http.StatusBadRequest, "rows are downloaded as csv, tsv or parquet")
		return
	}
	ticket, ok := c.tickets.add(download{statement: statement{SQL: ask.SQL, Database: ask.Database}, format: format, of: in}, time.Now())
	if !ok {
		fail(w, http.StatusTooManyRequests, "too many downloads wait to be fetched")
		return
	}
	reply(w, struct {
		Ticket string `json:"ticket"`
	}{ticket}, nil)
}

var contentTypes = map[*fileformat.Format]string{fileformat.CsvFile: "text/csv; charset=utf-8",
	fileformat.TsvFile: "text/tab-separated-values; charset=utf-8", fileformat.ParquetFile: "application/vnd.apache.parquet"}

// download sends the rows of a statement as a file. Its head is sent with the first rows, so that a
// statement that fails before is told; one that fails later cuts the connection off, which a browser shows as a failed
// download.
func (c *Console) download(w http.ResponseWriter, r *http.Request, in *login) {
	d, ok := c.tickets.take(r.PathValue("ticket"), in, time.Now())
	if !ok {
		fail(w, http.StatusNotFound, "there is no such download: ask for it again")
		return
	}
	unhurried(w)
	begun := false
	err := c.inSession(r, in, d.Database, func(s *sqlfront.Session) error {
		rows, _, err := c.run(r.Context(), s, d.SQL)
		if err != nil {
			return err
		}
		if rows == nil {
			return nil
		}
		defer rows.Close()
		file, err := export.NewRowWriter(&patient{w: w}, d.format, columnsOf(rows.Columns()))
		if err != nil {
			return err
		}
		h := w.Header()
		h.Set("Content-Type", contentTypes[d.format])
		h.Set("Content-Disposition", `attachment; filename="result.`+strings.ToLower(d.format.Name)+`"`)
		begun = true
		return cmp.Or(copyRows(rows, file), file.Close(), rows.Close())
	})
	switch {
	case err == nil:
	case begun:
		panic(http.ErrAbortHandler) // the client must not take a part for the whole
	default:
		reply(w, nil, err)
	}
}

// patient moves the deadline of an answer on as its reader reads.
type patient struct {
	w     http.ResponseWriter
	moved time.Time
}

func (p *patient) Write(b []byte) (int, error) {
	if time.Since(p.moved) > time.Second {
		unhurried(p.w)
		p.moved = time.Now()
	}
	return p.w.Write(b)
}

func columnsOf(columns []sqlfront.Column) []export.Column {
	out := make([]export.Column, len(columns))
	for i, c := range columns {
		out[i] = export.Column{Name: c.Name, Type: values.TypeName(c.Type)}
		if precision, scale, ok := values.PrecisionScale(c.Type); ok {
			out[i].Precision, out[i].Scale = precision, scale
		}
	}
	return out
}

func copyRows(rows sqlfront.Rows, to interface{ Write([][]byte) error }) error {
	fields := make([][]byte, len(rows.Columns()))
	for {
		row, err := rows.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i, v := range row {
			if fields[i] = nil; !v.IsNull() {
				fields[i] = v.AsBytes()
				if fields[i] == nil {
					fields[i] = []byte{}
				}
			}
		}
		if err := to.Write(fields); err != nil {
			return err
		}
	}
}
