package advise

import (
	"bytes"
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/partition"
)

// trialRows is the maximum number of rows of a trial table.
const trialRows = 20_000

// trial is a layout that was tried with the sampled rows.
type trial struct {
	name string
	// definition and layout are the two parts of CREATE TABLE.
	definition, layout string
	// key is what the rows' keys become, with %[1]s for K.
	key string
	// rows and newest are the distributions of all rows and of the newest ones.
	rows, newest counts
	names        []string // of the partitions
	queries      []explained
}

// plainKey leaves keys unchanged.
const plainKey = "%[1]s"

// explained is the result of EXPLAIN for a query.
type explained struct {
	partitions int
	scans      bool    // it reads ranges of rows, not known rows
	cells      float64 // at most, as EXPLAIN estimates them in the trial
	limit      float64 // of LIMIT, or infinite
	err        error
}

// trialStore is an in-memory store with the tables of the advised one's database.
type trialStore struct {
	db    *sql.DB
	conn  *sql.Conn
	table *advisedTable
	rows  []sampledRow
	since int64
}

func openTrials(ctx context.Context, t *advisedTable, since int64) (*trialStore, error) {
	cfg, err := driver.ParseDSN(":memory:")
	if err != nil {
		return nil, err
	}
	cfg.DB = t.database
	connector, err := driver.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	s := &trialStore{db: sql.OpenDB(connector), table: t, rows: t.sample.thin(trialRows), since: since}
	if s.conn, err = s.db.Conn(ctx); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	for _, create := range t.others {
		// Without a table that cannot be created, only queries over it are not explained.
		_, _ = s.conn.ExecContext(ctx, create)
	}
	return s, nil
}

func (s *trialStore) Close() error { return errors.Join(s.conn.Close(), s.db.Close()) }

// try finds out what a layout does to the rows and the queries.
func (s *trialStore) try(ctx context.Context, t *trial, queries []string) error {
	if _, err := s.conn.ExecContext(ctx, "DROP TABLE IF EXISTS "+s.table.name); err != nil {
		return fmt.Errorf("trying %s: %w", t.name, err)
	}
	without := make([]explained, len(queries))
	for i, q := range queries {
		without[i] = s.explain(ctx, q)
	}
	if _, err := s.conn.ExecContext(ctx, t.definition+"\n"+t.layout); err != nil {
		return fmt.Errorf("trying %s: %w", t.name, err)
	}
	if err := s.fill(ctx, t); err != nil {
		return err
	}
	if err := s.measure(ctx, t); err != nil {
		return err
	}
	for i, q := range queries {
		e := explained{err: errOtherTable}
		if without[i].err != nil {
			e = s.explain(ctx, q)
		}
		t.queries = append(t.queries, e)
	}
	return nil
}

// errOtherTable is the error of a query that does not need the table.
var errOtherTable = errors.New("it does not read this table")

// fill writes the rows, the newest with T = 1 and the others with T = 0.
func (s *trialStore) fill(ctx context.Context, t *trial) error {
	for batch := range slices.Chunk(s.rows, 500) {
		key := fmt.Sprintf(t.key, "?")
		values, args := make([]string, len(batch)), make([]any, 0, 4*len(batch))
		for i, r := range batch {
			values[i] = "(" + key + ", '', ?, '')"
			for range strings.Count(key, "?") {
				args = append(args, r.key)
			}
			args = append(args, r.newest >= s.since)
		}
		if _, err := s.conn.ExecContext(ctx, "REPLACE INTO "+s.table.name+" (K, Q, T, V) VALUES "+strings.Join(values, ", "), args...); err != nil {
			return fmt.Errorf("trying %s: %w", t.name, err)
		}
	}
	return nil
}

// measure counts what is in each partition by row; of partitions by time, the
// first has all rows.
func (s *trialStore) measure(ctx context.Context, t *trial) error {
	byTime := quoteName(s.table.magnitude)
	var err error
	t.names, err = column(ctx, s.conn, `SELECT COALESCE(IF(PARTITION_EXPRESSION = ?, COALESCE(SUBPARTITION_NAME, PARTITION_NAME), PARTITION_NAME), '')
FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND (COALESCE(PARTITION_EXPRESSION, '') <> ? OR PARTITION_ORDINAL_POSITION = 1)
ORDER BY PARTITION_ORDINAL_POSITION, SUBPARTITION_ORDINAL_POSITION`, byTime, s.table.plain, byTime)
	if err != nil {
		return err
	}
	t.names = slices.Compact(t.names) // with subpartitions, names repeat
	for _, name := range t.names {
		from := s.table.name
		if name != "" {
			from += " PARTITION (" + quoteName(name) + ")"
		}
		var rows, newest int64
		if err := s.conn.QueryRowContext(ctx, "SELECT COUNT(*), COALESCE(SUM(T), 0) FROM "+from).Scan(&rows, &newest); err != nil {
			return err
		}
		t.rows = append(t.rows, rows)
		t.newest = append(t.newest, newest)
	}
	return nil
}

// explain counts the partitions that a query reads; its placeholders get keys of
// the sample, in ascending order.
func (s *trialStore) explain(ctx context.Context, query string) explained {
	n := 0
	err := s.conn.Raw(func(c any) error {
		stmt, err := c.(sqldriver.ConnPrepareContext).PrepareContext(ctx, "EXPLAIN "+query)
		if err != nil {
			return err
		}
		n = stmt.NumInput()
		return stmt.Close()
	})
	if err != nil {
		return explained{err: err}
	}
	args := make([]any, n)
	for i := range args {
		args[i] = []byte{}
		if len(s.rows) > 0 {
			args[i] = s.rows[len(s.rows)*(i+1)/(n+1)].key
		}
	}
	rows, err := s.conn.QueryContext(ctx, "EXPLAIN "+query, args...)
	if err != nil {
		return explained{err: err}
	}
	defer rows.Close()
	out := readExplained(rows)
	if out.scans && out.err == nil {
		out.limit, out.err = s.limit(ctx, query, args)
	}
	return out
}

var limited = regexp.MustCompile(`^-> Limit (\d+)`)

// limit is the LIMIT of a query, which only EXPLAIN FORMAT=TREE shows, or infinite.
func (s *trialStore) limit(ctx context.Context, query string, args []any) (float64, error) {
	var tree string
	if err := s.conn.QueryRowContext(ctx, "EXPLAIN FORMAT=TREE "+query, args...).Scan(&tree); err != nil {
		return 0, err
	}
	if m := limited.FindStringSubmatch(tree); m != nil {
		return strconv.ParseFloat(m[1], 64)
	}
	return math.Inf(1), nil
}

func readExplained(rows *sql.Rows) (out explained) {
	for rows.Next() {
		var partitions, kind sql.NullString
		var cells sql.NullFloat64
		var ignored sql.RawBytes
		into := []any{&ignored, &ignored, &ignored, &partitions, &kind, &ignored, &ignored, &ignored, &ignored, &cells, &ignored, &ignored}
		if err := rows.Scan(into...); err != nil {
			return explained{err: err}
		}
		if !kind.Valid {
			continue
		}
		out.scans = out.scans || kind.String == "range" || kind.String == "index" || kind.String == "ALL"
		out.cells += cells.Float64
		out.partitions++
		if partitions.String != "" {
			out.partitions += strings.Count(partitions.String, ",")
		}
	}
	out.err = rows.Err()
	return out
}

// trials are the layouts to try.

func (a *Advice) trials() []*trial {
	t, n := a.table, a.count.n
	out := []*trial{
		{name: "as it is", definition: t.definition, layout: strings.TrimPrefix(t.layout, "no partitions"), key: plainKey},
	}
	if t.can(partition.Key) {
		out = append(out, &trial{name: "KEY(K)", definition: t.definition, layout: keyLayout("K", n), key: plainKey})
	}
	for _, length := range a.prefixLengths() {
		if !t.can(partition.PrefixKey) {
			break
		}
		name, definition := t.withPrefix(t.definition, length)
		out = append(out, &trial{
			name: fmt.Sprintf("KEY(first %d)", length), definition: definition, key: plainKey,
			layout: keyLayout(name, n),
		})
	}
	if splits := quantiles(t.sample.rows, n); len(splits) > 0 {
		out = append(out, &trial{name: "RANGE", definition: t.definition, layout: rangeLayout(splits), key: plainKey})
	}
	out = append(out, a.salted())
	if turned := a.turned(); turned != nil {
		out = append(out, turned)
	}
	return out
}

// can reports whether the table's store supports the partitioning.
func (t *advisedTable) can(m partition.Method) bool {
	return slices.Contains(t.limits.Partitionings, m)
}

// salted is the layout with a bucket's byte before each key, and a range per
// bucket.
func (a *Advice) salted() *trial {
	buckets := min(max(16, a.count.n), 256)
	var splits [][]byte
	for i := 1; i < buckets; i++ {
		splits = append(splits, []byte{byte(i)})
	}
	return &trial{
		name: fmt.Sprintf("SALT(K, %d)", buckets), definition: a.table.longer(1), layout: rangeLayout(splits),
		key: fmt.Sprintf("SALT(%%[1]s, %d)", buckets),
	}
}

func keyLayout(column string, n int) string {
	return fmt.Sprintf("PARTITION BY KEY(%s) PARTITIONS %d", column, n)
}

func rangeLayout(splits [][]byte) string {
	words := make([]string, len(splits))
	for i, s := range splits {
		words[i] = literal(s)
	}
	return "PARTITION BY RANGE COLUMNS(K) SPLITS (" + strings.Join(words, ", ") + ")"
}

// literal is a SQL literal for bytes.
func literal(b []byte) string {
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\'' || c == '\\' {
			return fmt.Sprintf("X'%X'", b)
		}
	}
	return "'" + string(b) + "'"
}

// prefixLengths are the lengths of key prefixes that may be worth hashing: the
// first few bytes, and all before a separator if that is at the same offset in
// all keys.
func (a *Advice) prefixLengths() []int {
	shortest := 1 << 16
	for _, r := range a.table.sample.rows {
		shortest = min(shortest, len(r.key))
	}
	var out []int
	for _, n := range []int{1, 2, 3, 4, 6, 8} {
		if n < shortest {
			out = append(out, n)
		}
	}
	if _, at := separator(a.table.sample.rows); at > 0 && !slices.Contains(out, at) {
		out = append(out, at)
	}
	return out
}

// separator is a character that all keys contain, but not at the beginning; at
// is the offset of the first one, or 0 if that varies.
func separator(rows []sampledRow) (sep string, at int) {
	for _, c := range []string{"#", "|", "/", ":", "_", ",", ";", "-", "."} {
		at = -1
		for _, r := range rows {
			i := bytes.Index(r.key, []byte(c))
			switch {
			case i <= 0:
				at = -2
			case at == -1:
				at = i
			case at >= 0 && at != i:
				at = 0
			}
			if at == -2 {
				break
			}
		}
		if at >= 0 {
			return c, at
		}
	}
	return "", 0
}

// quantiles are up to n-1 keys that divide the rows evenly, no longer than
// necessary to differ from the key before.
func quantiles(rows []sampledRow, n int) [][]byte {
	var out [][]byte
	for i := 1; i < n; i++ {
		at := len(rows) * i / n
		if at == 0 || at >= len(rows) {
			continue
		}
		key, before := rows[at].key, rows[at-1].key
		same := 0
		for same < len(before) && same < len(key) && before[same] == key[same] {
			same++
		}
		split := key[:min(same+1, len(key))]
		if len(out) == 0 || bytes.Compare(out[len(out)-1], split) < 0 {
			out = append(out, split)
		}
	}
	return out
}

// withPrefix adds a generated column of K's first bytes to the definition.
func (t *advisedTable) withPrefix(original string, n int) (name, definition string) {
	name = "K_PREFIX"
	if slices.ContainsFunc(t.prefixes, func(p string) bool { return strings.EqualFold(p, name) }) {
		name = fmt.Sprintf("K_PREFIX%d", n)
	}
	column := fmt.Sprintf("  %s varbinary(%d) GENERATED ALWAYS AS (substring(K, 1, %d)),\n", name, n, n)
	return name, strings.Replace(original, "  PRIMARY KEY", column+"  PRIMARY KEY", 1)
}

var keyLength = regexp.MustCompile("`K` varbinary\\((\\d+)\\)")

// maxKey is the maximum length of a row key in any table.
const maxKey = 65_535

// longer is the definition with K longer by that many bytes.
func (t *advisedTable) longer(by int) string {
	return keyLength.ReplaceAllStringFunc(t.definition, func(s string) string {
		n, _ := strconv.Atoi(keyLength.FindStringSubmatch(s)[1])
		return fmt.Sprintf("`K` varbinary(%d)", min(n+by, maxKey))
	})
}

// as is a definition with another table name.
func (t *advisedTable) as(definition, name string) string {
	return strings.Replace(definition, "CREATE TABLE "+t.name, "CREATE TABLE "+quoteName(name), 1)
}

// copyName is the name for a copy of the table, in a group of its own.
func (t *advisedTable) copyName() string {
	if group, family, ok := strings.Cut(t.plain, "$"); ok {
		return group + "_new$" + family
	}
	return t.plain + "_new"
}
