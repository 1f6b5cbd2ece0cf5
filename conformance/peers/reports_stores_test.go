package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// eachReportCell yields the cells of all tables in the order of a load: f and g are
// two families of the same rows.
func eachReportCell(rows int, give func(table string, c cell)) {
	wide := table{rows: rows, columns: 5, versions: 1, value: 100}
	for _, family := range []string{"f", "g"} {
		for row := range rows {
			k := fmt.Appendf(nil, "%03d%09d", row*7919%300, row)
			at := int64(firstTime + row*60_000)
			give(family, cell{k, []byte("carrier"), at, fmt.Appendf(nil, "C%d", row%23)})
			give(family, cell{k, []byte("delay"), at + 1, fmt.Append(nil, row*31%180-20)})
			give(family, cell{k, []byte("tail"), at + 2, fmt.Appendf(nil, "N%05d", row*17%5000)})
		}
	}
	var value []byte
	for row := range rows {
		for column := range 5 {
			value = wide.appendValue(value[:0], row, column, 0)
			give("w", cell{fmt.Appendf(nil, "%012d", row), []byte{'a' + byte(column)}, firstTime + int64(row), value})
		}
	}
}

// A reportStore answers the questions with database/sql.
type reportStore struct {
	name    string
	driver  string
	dsn     func(b *testing.B) string // of a store that is removed after the benchmark
	end     string                    // of CREATE TABLE
	rows    int                       // of an INSERT
	workers int                       // at most
	text    func(r reportQuestion) string
}

var reportStores = []reportStore{
	{"sqlite", "sqlite3", sqliteReports, " WITHOUT ROWID", 1, 1, reportQuestion.ofSQLite},
	{"mariadb", "mysql", mariaDBReports, "", 500, 1, reportQuestion.ofMySQL},
	{"hbasekv", "hbasekv", hbasekvReports, "", 1, 2, reportQuestion.ofMySQL},
	{"hbasekv-97", "hbasekv", hbasekvReports, " PARTITION BY KEY(K) PARTITIONS 97", 1, 2, reportQuestion.ofMySQL},
}

const atUTC = "time_zone=%27%2B00:00%27"

func sqliteReports(b *testing.B) string { return mattnDSN(filepath.Join(b.TempDir(), "s"), "OFF") }

// hbasekvReports lets hbasekv sort, by default, in as much memory as SQLite uses for it with so large a
// cache.
func hbasekvReports(b *testing.B) string {
	return fmt.Sprintf("file:%s?sync=false&queryMemory=%s&cache=%dMiB&%s", filepath.Join(b.TempDir(), "h"), *reportMemory, cacheSize>>20, atUTC)
}

func mariaDBReports(b *testing.B) string {
	if missing := noMariaDB(); missing != "" {
		b.Skip(missing)
	}
	dsn, stop, err := startMariaDB(b.TempDir(), false)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, stop()) })
	return dsn + "?interpolateParams=true&" + atUTC
}

// load loads all cells: nothing is flushed or compacted.
func (s reportStore) load(b *testing.B) *sql.DB {
	db, err := sql.Open(s.driver, s.dsn(b))
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	const columns = "(K varbinary(64), Q varbinary(64), T bigint, V varbinary(200), PRIMARY KEY (K, Q, T))"
	loads := map[string]*reportLoad{}
	for _, table := range []string{"f", "g", "w"} {
		_, err = db.Exec("CREATE TABLE " + table + " " + columns + s.end)
		require.NoError(b, err)
		loads[table] = &reportLoad{b: b, db: db, table: table, rows: s.rows}
	}
	last := loads["f"]
	eachReportCell(*reportRows, func(table string, c cell) {
		if last.table != table {
			last.commit()
			last = loads[table]
		}
		last.insert(c)
	})
	last.commit()
	return db
}

// A reportLoad inserts rows of a table, 1,000 per transaction.
type reportLoad struct {
	b     *testing.B
	db    *sql.DB
	table string
	rows  int // of a statement
	tx    *sql.Tx
	in    int // rows of the transaction
	args  []any
}

func (l *reportLoad) insert(c cell) { l.insertValues(c.k, c.q, c.t, bytes.Clone(c.v)) }

func (l *reportLoad) insertValues(row ...any) {
	l.args = append(l.args, row...)
	if l.in++; l.in%l.rows == 0 {
		l.flush()
	}
	if l.in == 1000 {
		l.commit()
	}
}

func (l *reportLoad) flush() {
	if len(l.args) == 0 {
		return
	}
	var err error
	if l.tx == nil {
		l.tx, err = l.db.Begin()
		require.NoError(l.b, err)
	}
	_, err = l.tx.Exec("INSERT INTO "+l.table+" VALUES (?, ?, ?, ?)"+strings.Repeat(", (?, ?, ?, ?)", len(l.args)/4-1), l.args...)
	require.NoError(l.b, err)
	l.args = l.args[:0]
}

func (l *reportLoad) commit() {
	l.flush()
	if l.tx != nil {
		require.NoError(l.b, l.tx.Commit())
	}
	l.tx, l.in = nil, 0
}

// A pebbleReports has the cells in Pebble's own keys: the rows of a table as they
// are or, as in a partitioned table, each after the number of its partition.
type pebbleReports struct {
	db         *pebble.DB
	partitions int
	loaded     bool
}

// benchPebbleReports reads all keys and values of a table.
func benchPebbleReports(b *testing.B, partitions int) {
	s, err := openPebble(b.TempDir(), false)
	require.NoError(b, err)
	defer s.close()
	p := &pebbleReports{db: s.(*rawStore).db, partitions: partitions}
	for _, table := range []string{"f", "w"} {
		for workers := 1; workers <= 2; workers++ {
			b.Run(fmt.Sprintf("%s-scan/%d", table, workers), func(b *testing.B) {
				p.load(b)
				timed(b, func() { p.scan(b, table, workers) })
			})
		}
	}
}

// key is the key at which a row begins.
func (p *pebbleReports) key(table string, k []byte) []byte {
	prefix := rawPrefix(nil, table)
	if p.partitions > 1 {
		h := fnv.New32a()
		h.Write(k)
		prefix = append(prefix, byte(h.Sum32()%uint32(p.partitions)))
	}
	return append(prefix, k...)
}

func (p *pebbleReports) load(b *testing.B) {
	if p.loaded {
		return
	}
	p.loaded = true
	load := pebbleLoad{b: b, db: p.db}
	eachReportCell(*reportRows, func(table string, c cell) {
		key := p.key(table, c.k)
		c.k = key[len(rawPrefix(nil, table)):]
		load.set(rawKey(nil, table, c), c.v)
	})
	load.commit()
}

// A pebbleLoad writes cells under raw keys in batches.
type pebbleLoad struct {
	b     *testing.B
	db    *pebble.DB
	batch *pebble.Batch // nil if nothing has been written since the last commit
}

func (l *pebbleLoad) set(key, v []byte) {
	if l.batch == nil {
		l.batch = l.db.NewBatch()
	}
	require.NoError(l.b, l.batch.Set(key, v, nil))
	if l.batch.Count() == 1000 {
		l.commit()
	}
}

func (l *pebbleLoad) commit() {
	if l.batch != nil {
		require.NoError(l.b, l.batch.Commit(pebble.NoSync))
		l.batch = nil
	}
}

// scan reads a table, or each half of it on its own goroutine.
func (p *pebbleReports) scan(b *testing.B, table string, workers int) {
	from, middle, to := rawPrefix(nil, table), p.middleOf(table), append([]byte(table), 1)
	if workers == 1 {
		scanPebbleSpan(b, p.db, from, to)
		return
	}
	var both sync.WaitGroup
	both.Go(func() { scanPebbleSpan(b, p.db, from, middle) })
	both.Go(func() { scanPebbleSpan(b, p.db, middle, to) })
	both.Wait()
}

// middleOf is the key below which half of a table's cells are.
func (p *pebbleReports) middleOf(table string) []byte {
	switch prefix := rawPrefix(nil, table); {
	case p.partitions > 1:
		return append(prefix, byte(p.partitions/2))
	case table == "f":
		return append(prefix, "150"...)
	default:
		return fmt.Appendf(prefix, "%012d", *reportRows/2)
	}
}

func scanPebbleSpan(b *testing.B, db *pebble.DB, from, to []byte) {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	assert.NoError(b, err)
	read := 0
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.ValueAndErr()
		assert.NoError(b, err)
		read += len(it.Key()) + len(v)
	}
	assert.NotZero(b, read)
	assert.NoError(b, it.Close())
}
