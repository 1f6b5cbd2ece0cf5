package driver

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cutReader returns that many bytes of a text, and then an error.
type cutReader struct {
	text string
	left int
	err  error
}

func (r *cutReader) Read(p []byte) (int, error) {
	n := copy(p, r.text[:min(r.left, 1000)])
	if n == 0 {
		return 0, r.err
	}
	r.text = r.text[n:]
	if r.left -= n; r.left == 0 {
		return n, r.err // with the last bytes
	}
	return n, nil
}

// closedReader is a reader that fails when it is closed.
type closedReader struct {
	io.Reader
	err error
}

func (r *closedReader) Close() error { return r.err }

// leavingReader ends when the context does.
type leavingReader struct {
	cutReader
	cancel func()
}

func (r *leavingReader) Read(p []byte) (int, error) {
	n, err := r.cutReader.Read(p)
	if err == io.EOF {
		r.cancel()
	}
	return n, err
}

var errPlug = errors.New("somebody has pulled the plug")

// aCutSource is a source of data that a program stores.
type aCutSource struct {
	name   string
	length int // in bytes, or in cells
	places int
	rows   int
	// store stores what comes before a place.
	store func(ctx context.Context, db *sql.DB, place int) error
	err   error
}

func linesOf(n, width int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%0*d\tq\t1\tvalue %d\n", width, i, i)
	}
	return b.String()
}

// loadFrom is a LOAD DATA from the reader that open returns.
func loadFrom(t *testing.T, statement string, open func(place int) io.Reader) func(context.Context, *sql.DB, int) error {
	return func(ctx context.Context, db *sql.DB, place int) error {
		RegisterReader(t.Name(), func() io.Reader { return open(place) })
		defer DeregisterReader(t.Name())
		_, err := db.ExecContext(ctx, fmt.Sprintf(statement, "LOCAL INFILE 'Reader::"+t.Name()+"'"))
		return err
	}
}

func cutSources(t *testing.T) []aCutSource {
	const rows, many = 50, 60_000
	small, large := linesOf(rows, 4), linesOf(many, 60)
	require.Greater(t, len(large), 4<<20, "so long that it goes to the table as files")
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := io.WriteString(z, small)
	require.NoError(t, errors.Join(err, z.Close()))
	reader := func(text string, err error) func(int) io.Reader {
		return func(place int) io.Reader { return &cutReader{text, place, err} }
	}
	const plain, replace = "LOAD DATA %s INTO TABLE t", "LOAD DATA %s REPLACE INTO TABLE t"
	bulk := func(err error, stop bool) func(context.Context, *sql.DB, int) error {
		return func(ctx context.Context, db *sql.DB, place int) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			_, loading := BulkLoad(ctx, db, []string{"t"}, func(yield func(Cell, error) bool) {
				for i := range place {
					if !yield(cellAt(fmt.Sprint(i), 1, "v"), nil) {
						return
					}
				}
				if stop {
					cancel() // and the source ends, as the rows of a query do
				} else {
					yield(Cell{}, err)
				}
			})
			return loading
		}
	}
	return []aCutSource{
		{"LOAD DATA, the input ends too early", len(small), 200, rows, loadFrom(t, plain, reader(small, io.ErrUnexpectedEOF)), io.ErrUnexpectedEOF},
		{"LOAD DATA, an error", len(small), 200, rows, loadFrom(t, plain, reader(small, errPlug)), errPlug},
		{"LOAD DATA, an error that wraps the end", len(small), 200, rows, loadFrom(t, plain, reader(small, fmt.Errorf("far away: %w", io.EOF))), io.EOF},
		{"LOAD DATA, fields that enclose", len(small), 200, rows,
			loadFrom(t, plain+` FIELDS OPTIONALLY ENCLOSED BY '"' LINES STARTING BY '0'`, reader(small, errPlug)), errPlug},
		{"LOAD DATA, an error of Close", len(small), 20, rows, loadFrom(t, plain, func(place int) io.Reader {
			return &closedReader{&cutReader{small, place, io.EOF}, errPlug}
		}), errPlug},
		{"LOAD DATA, gzip", zipped.Len(), 200, rows, loadFrom(t, plain, func(place int) io.Reader {
			r, err := gzip.NewReader(bytes.NewReader(zipped.Bytes()[:place]))
			if err != nil {
				return &cutReader{err: errPlug}
			}
			return r
		}), nil},
		{"LOAD DATA, as files", len(large), 10, many, loadFrom(t, replace, reader(large, io.ErrUnexpectedEOF)), io.ErrUnexpectedEOF},
		{"LOAD DATA, a context that ends", len(small), 200, rows, func(ctx context.Context, db *sql.DB, place int) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			return loadFrom(t, plain, func(int) io.Reader { return &leavingReader{cutReader{small, place, io.EOF}, cancel} })(ctx, db, place)
		}, context.Canceled},
		{"LOAD DATA as files, a context that ends", len(large), 10, many, func(ctx context.Context, db *sql.DB, place int) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			return loadFrom(t, replace, func(int) io.Reader { return &leavingReader{cutReader{large, place, io.EOF}, cancel} })(ctx, db, place)
		}, nil},
		{"BulkLoad, an error", 3000, 200, 3000, bulk(errPlug, false), errPlug},
		{"BulkLoad, a context that ends", 3000, 200, 3000, bulk(nil, true), context.Canceled},
	}
}

// TestCutOffSources: if a program's source fails, nothing of it is stored, and the error is
// the source's.
func TestCutOffSources(t *testing.T) {
	db, err := sql.Open(Name, ":memory:")
	require.NoError(t, err)
	defer db.Close()
	run(t, db, "CREATE TABLE t (K varbinary(100), Q varbinary(100), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T))")
	for _, each := range cutSources(t) {
		t.Run(each.name, func(t *testing.T) {
			for i := range each.places {
				place := each.length * i / each.places
				err := each.store(t.Context(), db, place)
				require.Error(t, err, place)
				if each.err != nil {
					require.ErrorIs(t, err, each.err)
				}
				require.Equal(t, "0", one(t, db, "SELECT COUNT(*) FROM t"), "cut at %d of %d", place, each.length)
			}
		})
	}
}

// TestCutOffInTransaction: a load that fails leaves the transaction unchanged.
func TestCutOffInTransaction(t *testing.T) {
	db, err := sql.Open(Name, ":memory:")
	require.NoError(t, err)
	defer db.Close()
	run(t, db, "CREATE TABLE t (K varbinary(100), Q varbinary(100), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T))")
	tx, err := db.Begin()
	require.NoError(t, err)
	defer tx.Rollback()
	_, err = tx.Exec("INSERT INTO t VALUES ('before', 'q', 1, 'v')")
	require.NoError(t, err)
	text := linesOf(50, 4)
	RegisterReader(t.Name(), func() io.Reader { return &cutReader{text, len(text) / 2, io.ErrUnexpectedEOF} })
	defer DeregisterReader(t.Name())
	_, err = tx.Exec("LOAD DATA LOCAL INFILE 'Reader::" + t.Name() + "' INTO TABLE t")
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.NoError(t, tx.Commit())
	require.Equal(t, "before", one(t, db, "SELECT GROUP_CONCAT(K) FROM t"))
}
