package sqlfront_test

import (
	"context"
	"flag"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

var treesN = flag.Int("trees.n", 150, "random statements that eight sessions run at once")

// treeHash hashes everything that a tree refers to, including unexported fields and the number of each node
// that is reached twice.
type treeHash struct {
	hash maphash.Hash
	seen map[reached]int
}

type reached struct {
	at uintptr
	as reflect.Type
}

var treeSeed = maphash.MakeSeed()

func hashTree(tree any) uint64 {
	h := treeHash{seen: map[reached]int{}}
	h.hash.SetSeed(treeSeed)
	h.add(reflect.ValueOf(tree))
	return h.hash.Sum64()
}

func (h *treeHash) add(v reflect.Value) {
	if !v.IsValid() {
		h.note("nil")
		return
	}
	h.note(v.Type().String())
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && h.first(reached{v.Pointer(), v.Type()}) {
			h.add(v.Elem())
		}
	case reflect.Interface:
		h.add(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			h.add(v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		h.note(v.Len())
		for i := range v.Len() {
			h.add(v.Index(i))
		}
	default:
		h.note(v) // fmt prints what v holds, unexported or not
	}
}

func (h *treeHash) note(what any) { fmt.Fprintln(&h.hash, what) }

// first is false if the pointer was followed before.
func (h *treeHash) first(r reached) bool {
	n, known := h.seen[r]
	if !known {
		n = len(h.seen)
		h.seen[r] = n
	}
	h.note(n)
	return !known
}

// together is a statement that eight sessions plan and run at the same time, the first time and once more.
type together struct {
	engine   *sqlfront.Engine
	sessions [8]*sqlfront.Session
}

func newTogether(t testing.TB, e *sqlfront.Engine, use string) *together {
	g := &together{engine: e}
	for i := range g.sessions {
		g.sessions[i] = newSession(t, e, fmt.Sprint(i))
		mustExec(t, g.sessions[i], "SET innodb_lock_wait_timeout = 1")
		if use != "" {
			mustExec(t, g.sessions[i], "USE "+use)
		}
	}
	return g
}

func (g *together) close() {
	for _, s := range g.sessions {
		_ = s.Close()
	}
}

// run checks that the statement's tree stays as it was.
func (g *together) run(t *testing.T, sql string, args []value.Value) {
	st, err := g.sessions[0].Prepare(context.Background(), sql)
	if err != nil {
		return
	}
	args = slices.Clip(args) // a statement's literals are appended in place if there is room
	before := hashTree(st.Parsed)
	for range 2 {
		g.each(func(s *sqlfront.Session) { execute(s, st, args) })
		require.Equal(t, before, hashTree(st.Parsed), "the tree was written: %s", sql)
	}
	// Each by itself finds the plan, or makes it concurrently with the others.
	g.each(func(s *sqlfront.Session) {
		own, err := s.Prepare(context.Background(), "/* new */ "+sql)
		if err == nil {
			execute(s, own, args)
		}
	})
	require.Equal(t, before, hashTree(st.Parsed), "the tree was written: %s", sql)
}

// each calls f for all sessions, which begin at the same moment.
func (g *together) each(f func(s *sqlfront.Session)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for _, s := range g.sessions {
		all.Go(func() { <-start; f(s) })
	}
	close(start)
	all.Wait()
}

// execute reads the statement's result. Its error is left to other tests.
func execute(s *sqlfront.Session, st *sqlfront.Statement, args []value.Value) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	rows, err := s.Query(ctx, st, args)
	if err != nil {
		return
	}
	for err == nil {
		_, err = rows.Next()
	}
	_ = rows.Close()
}

// isPlanned reports whether a statement is planned: SELECT and the writing statements.
func isPlanned(sql string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(comment.ReplaceAllString(sql, "")), " ")
	switch strings.ToUpper(strings.Trim(word, "(\n")) {
	case "SELECT", "WITH", "INSERT", "REPLACE", "UPDATE", "DELETE", "EXPLAIN":
		return !strings.Contains(strings.ToUpper(sql), "_LOCK(") // it waits for the others
	}
	return false
}

// TestTreesAreNotWritten: all executions of a statement share its tree, so planning and running must not
// change it. Eight sessions run all recorded statements at the same time, which the race detector watches.
func TestTreesAreNotWritten(t *testing.T) {
	datadriven.Walk(t, "testdata/recorded", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, c *datadriven.TestData) string {
			tables, seed := 2, "-5"
			c.MaybeScanArgs(t, "tables", &tables)
			c.MaybeScanArgs(t, "seed", &seed)
			e := newEngine(t)
			s := recordedDatabase(t, e, tables, seed)
			g := newTogether(t, e, "hb")
			for _, text := range strings.Split(c.Input, "\n;;\n") {
				sql, list, _ := strings.Cut(text, "\nargs ")
				if args := recordedArgs(t, list); isPlanned(sql) {
					g.run(t, sql, args)
				} else {
					_ = recordedAnswer(s, sql, args)
				}
				_, _ = exec(s, "COMMIT")
			}
			g.close()
			require.NoError(t, s.Close())
			return c.Expected
		})
	})
}

// treeForms are forms that the planner rewrites.
var treeForms = []string{
	"DELETE FROM plain AS a WHERE a.K = 'a' AND a.Q = 'no'",
	"DELETE FROM plain AS a WHERE a.K IN (SELECT b.K FROM hashed b WHERE b.V = a.V) LIMIT 1",
	"UPDATE plain AS a SET a.V = CONCAT(a.V, 'x') WHERE a.K LIKE 'a%' ORDER BY a.K, a.Q LIMIT 2",
	"UPDATE plain p JOIN (SELECT K, MAX(V) V FROM hashed GROUP BY K) d ON p.K = d.K SET p.V = d.V",
	"UPDATE plain p, (SELECT DISTINCT K FROM ranges) d SET p.V = 'z' WHERE p.K = d.K",
	"INSERT INTO plain (K, Q, T, V) VALUES ('n', 'q', 1, 'v') ON DUPLICATE KEY UPDATE V = CONCAT(V, VALUES(V)), T = T + 0",
	"INSERT IGNORE INTO plain SELECT K, Q, T, V FROM hashed WHERE K > 'a'",
	"INSERT INTO plain (K, Q, V) SELECT 'n', 'r', 'v' FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM plain WHERE K = 'n')",
	"REPLACE INTO plain SET K = 'r', Q = 'q', V = DEFAULT",
	"SELECT * FROM plain NATURAL JOIN hashed ORDER BY 1, 2 DESC, T",
	"SELECT K, a.V, b.V FROM plain a LEFT JOIN ranges b USING (K, Q) WHERE b.V IS NOT NULL HAVING K > '' ORDER BY b.V",
	"SELECT K k, COUNT(*) n FROM plain GROUP BY 1 HAVING n > 0 ORDER BY n DESC, k LIMIT 3",
	"SELECT x.k, SUM(x.n) FROM (SELECT K k, LENGTH(V) n FROM plain UNION ALL SELECT K, T FROM hashed) x GROUP BY x.k",
	"WITH w AS (SELECT K, V FROM plain), v AS (SELECT K FROM w) SELECT w.* FROM w JOIN v ON w.K = v.K WHERE w.V > 'a'",
	"(SELECT K FROM plain ORDER BY V LIMIT 1) UNION (SELECT Q FROM hashed) ORDER BY 1 LIMIT 2",
	"SELECT MAX(CASE WHEN Q = 'q' THEN V END) q, K FROM times GROUP BY K HAVING q IS NOT NULL",
	"SELECT odd.*, named.T FROM odd JOIN named ON odd.V = named.K WHERE named.V LIKE 'a%'",
	"SELECT K FROM plain WHERE (K, Q) > ('a', 'q') AND V IN ('x', NULL, 12) AND T BETWEEN -1 AND 9 FOR UPDATE",
	"SELECT /*+ VERSIONS(2) */ * FROM plain FOR SYSTEM_TIME AS OF 5 p WHERE K = ANY (SELECT K FROM ranges)",
	"EXPLAIN FORMAT=TREE SELECT p.K FROM plain p WHERE EXISTS (SELECT 1 FROM hashed h WHERE h.K = p.K AND p.V <> h.V)",
	"SELECT GROUP_CONCAT(DISTINCT V ORDER BY V DESC SEPARATOR '|'), @x := COUNT(*) FROM plain WHERE NOT K = 'b' XOR T = 1",
}

// TestTreesOfAllFormsAreNotWritten is TestTreesAreNotWritten for forms, and for random statements.
func TestTreesOfAllFormsAreNotWritten(t *testing.T) {
	random := sharedGen{rand.New(rand.NewPCG(testseed.Of(t), 3))}
	g := newTogether(t, sharedEngine(t), "")
	defer g.close()
	for _, sql := range treeForms {
		_, err := g.sessions[0].Prepare(context.Background(), sql)
		require.NoError(t, err, sql)
		g.run(t, sql, nil)
	}
	for range *treesN {
		g.run(t, random.statement(), nil)
	}
}

// TestTreeHashSees: the hash distinguishes a tree from changed ones.
func TestTreeHashSees(t *testing.T) {
	s := newSession(t, newEngine(t), "a")
	hash := func(sql string) uint64 {
		st, err := s.Prepare(context.Background(), sql)
		require.NoError(t, err)
		tree := *st.Parsed
		tree.Text = "" // it differs anyway
		return hashTree(tree)
	}
	one := hash("DELETE FROM t AS a WHERE a.K = 'x'")
	require.Equal(t, one, hash("DELETE  FROM t AS a WHERE a.K = 'x'"))
	for _, sql := range []string{
		"DELETE FROM t AS b WHERE a.K = 'x'", "DELETE FROM t WHERE a.K = 'x'", "DELETE FROM t AS a WHERE K = 'x'",
		"DELETE FROM t AS a WHERE a.K = 'y'", "DELETE FROM t AS a WHERE (a.K = 'x')", "DELETE FROM t AS a WHERE a.K = ?",
	} {
		require.NotEqual(t, one, hash(sql), sql)
	}
}
