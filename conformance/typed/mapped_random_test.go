package typed

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// TestMappedRandom changes cells through two mappings of shared families, through K, Q, T and V and by
// HBase's operations, and compares the result of each of these with a model.
func TestMappedRandom(t *testing.T) {
	seed := testseed.Of(t)
	for round := range uint64(harness.InShort(2, 6)) {
		db := open(t, "CREATE TABLE u$f"+cells, "CREATE TABLE u$g"+cells, "CREATE TABLE u$h"+cells,
			"CREATE TABLE a (id varchar(9), n int, s varchar(20), b bigint, PRIMARY KEY (id)) HBASE_TABLE = 'u' "+
				"HBASE_COLUMNS = ':key, f:n#b, f:s, g:b'",
			"CREATE TABLE b (id varchar(9), t varchar(20), n int, PRIMARY KEY (id)) HBASE_TABLE = 'u' HBASE_COLUMNS = ':key, f:t, f:n#b'",
			"INSERT INTO u$f VALUES ('r1', 'other', 1, 'o')")
		sessions, err := driver.SessionsOf(t.Context(), db)
		require.NoError(t, err)
		store, err := sessions.Store()
		require.NoError(t, err)
		m := &mappedModel{t: t, db: db, r: rand.New(rand.NewPCG(seed+round, 1)), at: time.Now().UnixMilli(), cells: map[string]string{},
			client: rowapi.New(store, rowapi.Options{})}
		for step := range 60 {
			m.at += 1000
			done := m.step()
			m.compare(fmt.Sprintf("round %d, step %d: %s", round, step, done))
		}
	}
}

// mappedModel holds the newest values of all cells of columns.
type mappedModel struct {
	t      *testing.T
	db     *sql.DB
	r      *rand.Rand
	at     int64             // T of the next cell written without the mappings
	cells  map[string]string // by row, family and qualifier, separated by spaces
	client *rowapi.Client
}

type mappedColumn struct{ name, place string }

var mappedTables = map[string][]mappedColumn{
	"a": {{"n", "f n"}, {"s", "f s"}, {"b", "g b"}},
	"b": {{"t", "f t"}, {"n", "f n"}},
}

// shown returns a value as its column shows it.
func shown(place, v string, there bool) string {
	switch {
	case !there:
		return "NULL"
	case place == "f n" && len(v) != 4:
		return "NULL"
	case place == "f n":
		return strconv.Itoa(int(int32(binary.BigEndian.Uint32([]byte(v)))))
	case place == "g b":
		if _, err := strconv.Atoi(v); err != nil {
			return "NULL"
		}
	}
	return v
}

// stored returns a column's value as its cell stores it.
func stored(place string, n int) string {
	if place == "f n" {
		return string(binary.BigEndian.AppendUint32(nil, uint32(n)))
	}
	return strconv.Itoa(n)
}

func (m *mappedModel) row(table, id string) (values []string, there bool) {
	for _, c := range mappedTables[table] {
		v, has := m.cells[id+" "+c.place]
		there = there || has
		values = append(values, shown(c.place, v, has))
	}
	return values, there
}

func (m *mappedModel) compare(done string) {
	for table := range mappedTables {
		want := []string{}
		for _, id := range m.ids() {
			if values, there := m.row(table, id); there {
				want = append(want, id+" "+strings.Join(values, " "))
			}
		}
		got := harness.Lines(m.t, m.db, "SELECT * FROM "+table+" ORDER BY id")
		require.Equal(m.t, want, got, "%s: %s", table, done)
		require.Equal(m.t, strconv.Itoa(len(want)), harness.Single(m.t, m.db, "SELECT COUNT(*) FROM "+table), done)
	}
	var want []string
	for place, v := range m.cells {
		want = append(want, place+" "+fmt.Sprintf("%X", v))
	}
	got := harness.Lines(m.t, m.db, "SELECT /*+ VERSIONS(1) */ K, F, Q, HEX(V) FROM u WHERE Q <> 'other'")
	require.ElementsMatch(m.t, want, got, done)
	m.compareClient(done)
}

// compareClient reads a row as HBase's clients do.
func (m *mappedModel) compareClient(done string) {
	id := harness.Pick(m.r, m.ids())
	answer, err := m.client.Get(m.t.Context(), rowapi.TableName{Name: "u"}, &rowapi.Get{Row: []byte(id)})
	require.NoError(m.t, err)
	var want, got []string
	for place, v := range m.cells {
		if strings.HasPrefix(place, id+" ") {
			want = append(want, place+" "+v)
		}
	}
	for _, c := range answer.Cells {
		if string(c.Qualifier) != "other" {
			got = append(got, fmt.Sprintf("%s %s %s %s", id, c.Family, c.Qualifier, c.Value))
		}
	}
	require.ElementsMatch(m.t, want, got, done)
}

func (m *mappedModel) ids() []string { return []string{"r0", "r1", "r2", "r3", "r4"} }

func (m *mappedModel) step() string {
	switch m.r.IntN(8) {
	case 0:
		return m.putCell()
	case 1:
		return m.deleteCell()
	case 2:
		return m.deleteRows()
	case 3, 4:
		return m.update()
	}
	return m.insert()
}

// putCell writes a cell without the mappings; it may not be a value of the column's type.
func (m *mappedModel) putCell() string {
	id, place := harness.Pick(m.r, m.ids()), harness.Pick(m.r, []string{"f n", "f s", "f t", "g b"})
	v := harness.Pick(m.r, []string{"x", "", "12", stored(place, m.r.IntN(9)-4)})
	family, qualifier, _ := strings.Cut(place, " ")
	if m.r.IntN(2) == 0 {
		harness.Must(m.t, m.db, fmt.Sprintf("INSERT INTO u$%s VALUES ('%s', '%s', %d, %s)", family, id, qualifier, m.at, harness.Lit(v)))
	} else {
		put := rowapi.NewPut([]byte(id)).AddAt(family, []byte(qualifier), m.at, []byte(v))
		require.NoError(m.t, m.client.Put(m.t.Context(), rowapi.TableName{Name: "u"}, put))
	}
	m.cells[id+" "+place] = v
	return fmt.Sprintf("put %s %s %q", id, place, v)
}

func (m *mappedModel) deleteCell() string {
	if len(m.cells) == 0 {
		return ""
	}
	key := harness.Pick(m.r, slices.Sorted(maps.Keys(m.cells)))
	parts := strings.Split(key, " ")
	d := rowapi.NewDelete([]byte(parts[0])).Add(rowapi.DeleteColumns, parts[1], []byte(parts[2]), math.MaxInt64-1)
	require.NoError(m.t, m.client.Delete(m.t.Context(), rowapi.TableName{Name: "u"}, d))
	delete(m.cells, key)
	return "delete " + key
}

func (m *mappedModel) deleteRows() string {
	table, id := harness.Pick(m.r, []string{"a", "b"}), harness.Pick(m.r, m.ids())
	_, there := m.row(table, id)
	statement := fmt.Sprintf("DELETE FROM %s WHERE id = '%s'", table, id)
	require.Equal(m.t, there, harness.Affected(m.t, m.db, statement) == 1, statement)
	for _, c := range mappedTables[table] {
		delete(m.cells, id+" "+c.place)
	}
	return statement
}

// set sets a column of a row to a number, or to NULL.
func (m *mappedModel) set(id, place string, n int) {
	if n == null {
		delete(m.cells, id+" "+place)
		return
	}
	m.cells[id+" "+place] = stored(place, n)
}

const null = -100

func literal(n int) string {
	if n == null {
		return "NULL"
	}
	return strconv.Itoa(n)
}

func (m *mappedModel) update() string {
	table, id := harness.Pick(m.r, []string{"a", "b"}), harness.Pick(m.r, m.ids())
	c, n := harness.Pick(m.r, mappedTables[table]), harness.Pick(m.r, []int{null, 1, 2, 3})
	statement := fmt.Sprintf("UPDATE %s SET %s = %s WHERE id = '%s'", table, c.name, literal(n), id)
	_, there := m.row(table, id)
	before := maps.Clone(m.cells)
	if there {
		m.set(id, c.place, n)
	}
	if _, left := m.row(table, id); there && !left {
		m.cells = before
		_, err := m.db.Exec(statement)
		harness.RequireErrorNumber(m.t, 1048, err)
		return statement
	}
	harness.Must(m.t, m.db, statement)
	return statement
}

func (m *mappedModel) insert() string {
	table, id := harness.Pick(m.r, []string{"a", "b"}), harness.Pick(m.r, m.ids())
	verb, tail := harness.Pick(m.r, []string{"INSERT", "INSERT IGNORE", "REPLACE", "ODKU"}), ""
	columns := mappedTables[table]
	given := make([]int, len(columns))
	names, values := []string{"id"}, []string{"'" + id + "'"}
	for i, c := range columns {
		if given[i] = null; m.r.IntN(2) == 0 {
			given[i] = harness.Pick(m.r, []int{null, m.r.IntN(9)})
			names, values = append(names, c.name), append(values, literal(given[i]))
		}
	}
	if verb == "ODKU" {
		verb, tail = "INSERT", fmt.Sprintf(" ON DUPLICATE KEY UPDATE %s = 7", columns[0].name)
	}
	statement := fmt.Sprintf("%s INTO %s (%s) VALUES (%s)%s", verb, table, strings.Join(names, ", "), strings.Join(values, ", "), tail)
	_, there := m.row(table, id)
	want := 0
	empty := !slices.ContainsFunc(given, func(n int) bool { return n != null })
	switch {
	case there && tail != "":
		m.set(id, columns[0].place, 7)
	case there && verb == "INSERT":
		want = 1062
	case there && verb == "INSERT IGNORE":
	case empty && verb == "INSERT IGNORE": // only a warning, and no row
	case empty:
		want = 1048
	default:
		for i, c := range columns {
			m.set(id, c.place, given[i])
		}
	}
	_, err := m.db.Exec(statement)
	require.EqualValues(m.t, want, harness.NumberOf(err), "%s: %v", statement, err)
	return statement
}
