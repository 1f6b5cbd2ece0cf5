package typed

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// TestIndexBuildBesideWriters builds indexes of a typed table and of a family while others write them in every way that
// there is. Each index then has the entries of all rows and no others, and gives the rows that a scan gives.
func TestIndexBuildBesideWriters(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, a int, b varchar(20) COLLATE utf8mb4_general_ci)",
		"CREATE TABLE u$f (K varbinary(4), Q varbinary(9), T bigint, V varbinary(20), PRIMARY KEY (K, Q, T))",
		"CREATE TABLE m (id varbinary(4) PRIMARY KEY, a int, b varchar(20)) HBASE_TABLE = 'u' HBASE_COLUMNS = ':key, f:a#b, f:b'")
	fillNumbered(t, db, 11)
	harness.Must(t, db, "INSERT INTO m SELECT UNHEX(LPAD(HEX(id + 2147483648), 8, '0')), a, CONCAT('n', a % 30) FROM t")
	w := newIndexWriters(t, db)
	for range harness.InShort(1, 6) {
		for _, statement := range []string{"CREATE INDEX b ON t (b, a)", "CREATE INDEX v ON u$f (V(8), Q)",
			"ALTER TABLE t ADD UNIQUE a (a), ADD INDEX ba (b(2))", "CREATE INDEX q ON u$f (Q, V)"} {
			before := w.written()
			w.during(func() { harness.Must(t, db, statement) })
			t.Log(statement, "beside", w.written()-before, "writes")
			w.requireSound()
		}
		harness.Must(t, db, "ALTER TABLE t DROP INDEX a, DROP INDEX ba, DROP INDEX b", "DROP INDEX v ON u$f", "DROP INDEX q ON u$f")
	}
}

// indexWriters write the table t and the family u$f in several ways, each in a goroutine.
type indexWriters struct {
	t      *testing.T
	db     *sql.DB
	client *rowapi.Client
	counts [6]atomic.Int64
	number atomic.Int32 // the next value of t.a, which no other row has
	ways   []func(r *rand.Rand) error
}

func newIndexWriters(t *testing.T, db *sql.DB) *indexWriters {
	sessions, err := driver.SessionsOf(t.Context(), db)
	require.NoError(t, err)
	store, err := sessions.Store()
	require.NoError(t, err)
	w := &indexWriters{t: t, db: db, client: rowapi.New(store, rowapi.Options{})}
	w.number.Store(1 << 20)
	w.ways = []func(r *rand.Rand) error{w.rows, w.cells, w.mapped, w.hbase, w.load, w.bulk}
	return w
}

func (w *indexWriters) written() (sum int64) {
	for i := range w.counts {
		sum += w.counts[i].Load()
	}
	return sum
}

// during writes in all ways while fn runs, and in each at least once.
func (w *indexWriters) during(fn func()) {
	var over atomic.Bool
	var wg sync.WaitGroup
	for i, way := range w.ways {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), uint64(w.counts[i].Load())))
			for once := true; once || !over.Load(); once = false {
				if err := way(r); unexpected(err) {
					w.t.Errorf("%d: %v", i, err)
					return
				}
				w.counts[i].Add(1)
			}
		})
	}
	fn()
	over.Store(true)
	wg.Wait()
}

// unexpected reports whether an error is another than those of writers that meet others or an index.
func unexpected(err error) bool {
	duplicate := (*kv.DuplicateEntryError)(nil)
	if mistake := (*mysql.MySQLError)(nil); errors.As(err, &mistake) {
		return !slices.Contains([]uint16{1062, 1205, 1213, 1412}, mistake.Number)
	}
	return err != nil && !errors.Is(err, rowapi.ErrBusy) && !errors.As(err, &duplicate)
}

func (w *indexWriters) exec(format string, args ...any) error {
	statement := fmt.Sprintf(format, args...)
	if _, err := w.db.Exec(statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

func rowOf(id int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(id)^1<<31) }

func (w *indexWriters) next() []byte {
	return binary.BigEndian.AppendUint32(nil, uint32(w.number.Add(1)))
}

func (w *indexWriters) rows(r *rand.Rand) error {
	id := r.IntN(3000)
	switch r.IntN(4) {
	case 0:
		return w.exec("REPLACE INTO t VALUES (%d, %d, 'n%d')", id, w.number.Add(1), r.IntN(30))
	case 1:
		return w.exec("UPDATE t SET b = 'N%d' WHERE id BETWEEN %d AND %d", r.IntN(30), id, id+r.IntN(5))
	case 2:
		return w.exec("DELETE FROM t WHERE id = %d", id)
	}
	return w.exec("INSERT INTO t VALUES (%d, %d, NULL) ON DUPLICATE KEY UPDATE b = CONCAT('n', id), a = %[2]d", id, w.number.Add(1))
}

func (w *indexWriters) cells(r *rand.Rand) error {
	table, row := harness.Pick(r, []string{"t$d", "u$f"}), rowOf(r.IntN(3000))
	switch r.IntN(4) {
	case 0:
		return w.exec("INSERT INTO %s (K, Q, V) VALUES (X'%X', 'b', 'n%d'), (X'%[2]X', 'a', X'%[4]X')", table, row, r.IntN(30), w.next())
	case 1:
		return w.exec("UPDATE %s SET V = 'n%d' WHERE K = X'%X' AND Q = 'b'", table, r.IntN(30), row)
	case 2:
		return w.exec("DELETE FROM %s WHERE K = X'%X' AND Q = '%s'", table, row, harness.Pick(r, []string{"", "a", "b"}))
	}
	return w.exec("DELETE FROM %s FOR SYSTEM_TIME ALL WHERE K = X'%X' ORDER BY T DESC LIMIT 1", table, row)
}

func (w *indexWriters) mapped(r *rand.Rand) error {
	row := rowOf(r.IntN(3000))
	switch r.IntN(3) {
	case 0:
		return w.exec("REPLACE INTO m VALUES (X'%X', %d, 'n%d')", row, w.number.Add(1), r.IntN(30))
	case 1:
		return w.exec("UPDATE m SET b = 'N%d' WHERE id = X'%X'", r.IntN(30), row)
	}
	return w.exec("DELETE FROM m WHERE id = X'%X'", row)
}

func (w *indexWriters) hbase(r *rand.Rand) error {
	ctx, row := context.Background(), rowOf(r.IntN(3000))
	of := harness.Pick(r, [][2]string{{"t", "d"}, {"u", "f"}})
	table, family := rowapi.TableName{Name: of[0]}, of[1]
	switch r.IntN(4) {
	case 0:
		return w.client.Delete(ctx, table, rowapi.NewDelete(row))
	case 1:
		return w.client.Delete(ctx, table, rowapi.NewDelete(row).Add(rowapi.DeleteColumn, family, []byte("b"), rowapi.Latest))
	case 2:
		_, err := w.client.Append(ctx, table, rowapi.NewAppend(row).Add(family, []byte("b"), []byte("x")))
		return err
	}
	put := rowapi.NewPut(row).Add(family, nil, []byte{1}).Add(family, []byte("a"), w.next())
	return w.client.Put(ctx, table, put.Add(family, []byte("b"), fmt.Appendf(nil, "n%d", r.IntN(30))))
}

func (w *indexWriters) load(r *rand.Rand) error {
	var lines strings.Builder
	for range 1 + r.IntN(20) {
		fmt.Fprintf(&lines, "%d\t%d\tn%d\n", r.IntN(3000), w.number.Add(1), r.IntN(30))
	}
	name := w.t.Name()
	driver.RegisterReader(name, func() io.Reader { return strings.NewReader(lines.String()) })
	return w.exec("LOAD DATA LOCAL INFILE 'Reader::%s' REPLACE INTO TABLE t", name)
}

func (w *indexWriters) bulk(r *rand.Rand) error {
	_, err := driver.BulkLoad(context.Background(), w.db, []string{"t$d", "u$f"}, func(yield func(driver.Cell, error) bool) {
		for range 1 + r.IntN(20) {
			row, at, table := rowOf(r.IntN(3000)), time.Now().UnixMilli()+r.Int64N(1000)-500, r.IntN(2)
			for q, v := range map[string]string{"": "\x01", "a": string(w.next()), "b": fmt.Sprint("n", r.IntN(30))} {
				if !yield(driver.Cell{K: row, Q: []byte(q), T: at, V: []byte(v), Table: table}, nil) {
					return
				}
			}
		}
	})
	return err
}

// requireSound compares the indexes that there are with rows and cells.
func (w *indexWriters) requireSound() {
	w.t.Helper()
	for _, name := range []string{"t", "u$f", "m"} {
		requireSoundTable(w.t, w.db, name)
	}
	for query, index := range map[string]string{"SELECT id FROM t # WHERE b LIKE 'n1%' ORDER BY id": "b", "SELECT id, a FROM t # WHERE a > 1000000 ORDER BY id": "a",
		"SELECT id FROM t # WHERE b LIKE 'n2%' ORDER BY  id": "ba", "SELECT K, Q, HEX(V) FROM u$f # WHERE V = 'n7' ORDER BY K, Q": "v",
		"SELECT K FROM u$f # WHERE Q = 'b' AND V LIKE 'n2%' ORDER BY K": "q"} {
		if harness.Single(w.t, w.db, "SELECT COUNT(*) FROM information_schema.STATISTICS WHERE INDEX_NAME = ?", index) == "0" {
			continue
		}
		want := harness.Lines(w.t, w.db, strings.Replace(query, "#", "IGNORE INDEX ("+index+")", 1))
		got := harness.Lines(w.t, w.db, strings.Replace(query, "#", "FORCE INDEX ("+index+")", 1))
		require.Equal(w.t, want, got, query)
	}
}

// reading reads lines, between which it does something.
type reading struct {
	lines   []string
	between func()
}

func (r *reading) Read(p []byte) (int, error) {
	if len(r.lines) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.lines[0])
	if r.lines[0] = r.lines[0][n:]; r.lines[0] == "" {
		r.lines = r.lines[1:]
		r.between()
	}
	return n, nil
}

// TestLoadBesideIndexBuild builds an index while a file is loaded that can be read once: the load goes on with the
// entries of the index.
func TestLoadBesideIndexBuild(t *testing.T) {
	for i, unique := range []string{"", "UNIQUE "} {
		db := open(t, "CREATE TABLE t (id int PRIMARY KEY, a int)", "INSERT INTO t VALUES (1, 1), (2, 2)")
		name, opened := fmt.Sprint(t.Name(), i), 0
		driver.RegisterReader(name, func() io.Reader {
			opened++
			built := sync.OnceFunc(func() { harness.Must(t, db, "CREATE "+unique+"INDEX a ON t (a)") })
			return &reading{[]string{"2\t20\n3\t", "30\n", "4\t40\n"}, built}
		})
		harness.Must(t, db, "LOAD DATA LOCAL INFILE 'Reader::"+name+"' REPLACE INTO TABLE t")
		require.Equal(t, []string{"1 1", "2 20", "3 30", "4 40"}, harness.Lines(t, db, "SELECT * FROM t FORCE INDEX (a) WHERE a > 0 ORDER BY a"))
		require.Equal(t, 1, opened)
		requireSoundTable(t, db, "t")
	}
}

// TestLoadNumbersAgain builds an index while rows are loaded that get numbers: the load runs again with the same ones.
func TestLoadNumbersAgain(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int AUTO_INCREMENT PRIMARY KEY, a int)")
	built := sync.OnceFunc(func() { harness.Must(t, db, "CREATE INDEX a ON t (a)") })
	driver.RegisterReader(t.Name(), func() io.Reader { return &reading{[]string{"10\n20\n", "30\n"}, built} })
	harness.Must(t, db, "LOAD DATA LOCAL INFILE 'Reader::"+t.Name()+"' INTO TABLE t (a)")
	require.Equal(t, []string{"1 10", "2 20", "3 30"}, harness.Lines(t, db, "SELECT * FROM t ORDER BY id"))
	requireSoundTable(t, db, "t")
}
