package driver

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
)

// late makes FuzzExpressions look for statements that end later than lateAfter.
var late = flag.Bool("late", false, "let FuzzExpressions fail where a statement ends late after its deadline")

const (
	fuzzDeadline = 200 * time.Millisecond
	lateAfter    = 500 * time.Millisecond
	// hangs is how long a statement may run after its deadline on a busy machine.
	hangs = time.Minute
	// fuzzMemory is how much memory the process may use during a statement, in
	// addition to what it used before: what fuzzDSN allows, and garbage that the
	// collector has not found yet.
	fuzzMemory = 320 << 20
)

// fuzzDSN limits a statement to what fuzzMemory allows: its expressions hold twice
// maxAllowedPacket, and the row that is returned is copied, and so is one that is
// kept.
const fuzzDSN = MemoryPath + "?cache=1MiB&maxAllowedPacket=32MiB&queryMemory=32MiB"

// FuzzExpressions runs random expressions over all functions, with arguments of
// many megabytes. The input is the choices of the generator. It finds panics,
// crashes, memory use beyond fuzzMemory, statements that do not end when their
// context does, and with -late those that end late.
func FuzzExpressions(f *testing.F) {
	db, err := sql.Open(Name, fuzzDSN)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	debug.SetMemoryLimit(fuzzMemory)
	percent := debug.SetGCPercent(100) // not TestMain's: the memory is measured
	f.Cleanup(func() { debug.SetGCPercent(percent) })
	for _, seed := range []string{"", "1", "a long text gives other choices", "\x01\x02\x03\x04\x05\x06\x07\x08",
		strings.Repeat("\x07\xff\x10", 40)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g := choices{data: data}
		cancelAt := int64(0)
		if g.below(2) == 0 {
			cancelAt = int64(1 + g.below(64))
		}
		text := "SELECT " + g.list(4)
		if g.below(8) == 0 {
			text = "DO " + g.list(4)
		}
		runFuzzed(t, db, text, cancelAt)
	})
}

// expressionsSeed and expressionsN say what TestRandomExpressions runs.
var (
	expressionsSeed = flag.Uint64("expressions.seed", 1, "seed of TestRandomExpressions")
	expressionsN    = flag.Int("expressions.n", 2000, "how many expressions TestRandomExpressions runs")
)

// TestRandomExpressions runs the expressions of FuzzExpressions without texts of
// megabytes, and with values at the ends of their ranges: many of them, to find
// panics.
func TestRandomExpressions(t *testing.T) {
	db, r := open(t, MemoryPath), rand.NewChaCha8([32]byte{byte(*expressionsSeed), byte(*expressionsSeed >> 8)})
	for range *expressionsN {
		data := make([]byte, 64)
		_, _ = r.Read(data)
		g := choices{data: data, small: true}
		runSmall(t, db, "SELECT "+g.list(3))
	}
}

func runSmall(t *testing.T, db *sql.DB, text string) {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("-expressions.seed %d: %s: %v", *expressionsSeed, text, p)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), fuzzDeadline) // of SLEEP and BENCHMARK
	defer cancel()
	err := readAll(ctx, db, text)
	var known *mysql.MySQLError
	if err != nil && !errors.As(err, &known) && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("-expressions.seed %d: %s: %v", *expressionsSeed, text, err)
	}
}

// countingContext ends after endAt calls of Err, if that is not 0, or at its
// deadline.
type countingContext struct {
	context.Context
	endAt int64
	asked atomic.Int64
}

func (c *countingContext) Err() error {
	if n := c.asked.Add(1); c.endAt > 0 && n >= c.endAt {
		return context.Canceled
	}
	return c.Context.Err()
}

// mostLooks is how often an ended context is checked before the statement ends:
// by each of the layers on the way up.
const mostLooks = 64

func runFuzzed(t *testing.T, db *sql.DB, text string, cancelAt int64) {
	within, cancel := context.WithTimeout(context.Background(), fuzzDeadline)
	defer cancel()
	ctx := &countingContext{Context: within, endAt: cancelAt}
	before := residentNow(t)
	watchdog := time.AfterFunc(fuzzDeadline+hangs, func() {
		panic(fmt.Sprintf("still running %v after its deadline: %.2000s\n%s", hangs, text, allStacks()))
	})
	start := time.Now()
	err := readAll(ctx, db, text)
	took := time.Since(start)
	watchdog.Stop()
	if peak := residentPeak(t); peak-before > fuzzMemory && !raceDetector { // it has memory of its own
		t.Fatalf("%d MiB more than the %d MiB before: %.4000s", (peak-before)>>20, before>>20, text)
	}
	if asked := ctx.asked.Load(); cancelAt > 0 && asked > cancelAt+mostLooks {
		t.Fatalf("went on for %d looks after it was cancelled: %.4000s", asked-cancelAt, text)
	} else if cancelAt > 0 && asked > cancelAt && !errors.Is(err, context.Canceled) && err == nil {
		t.Fatalf("cancelled at look %d of %d and without an error: %.4000s", cancelAt, asked, text)
	}
	if *late && took > lateAfter {
		t.Fatalf("took %v under a deadline of %v (%v): %.4000s", took, fuzzDeadline, err, text)
	}
}

func allStacks() []byte {
	stacks := make([]byte, 1<<20)
	return stacks[:runtime.Stack(stacks, true)]
}

func readAll(ctx context.Context, db *sql.DB, text string) error {
	rows, err := db.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

// residentNow is the resident memory of the process, and resets the peak to it.
// It first returns what earlier statements have left.
func residentNow(t *testing.T) int64 {
	if runtime.GOOS != "linux" {
		t.Skip("the peak of the resident memory is read from /proc")
	}
	if residentField(t, "VmRSS:") > fuzzMemory/2 {
		debug.FreeOSMemory()
	}
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
	return residentField(t, "VmHWM:")
}

func residentPeak(t *testing.T) int64 { return residentField(t, "VmHWM:") }

func residentField(t *testing.T, name string) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(status, []byte(name))
	n, err := strconv.ParseInt(string(bytes.Fields(rest)[0]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}

// choices makes expressions from bytes, each of which is one decision. When they
// are used up, the simplest choice is made.
type choices struct {
	data []byte
	size int
	// small leaves out texts of megabytes and what only they reach.
	small bool
}

// below is a number below n, which is at most 256.
func (g *choices) below(n int) int {
	if len(g.data) == 0 {
		return 0
	}
	c := g.data[0]
	g.data = g.data[1:]
	return int(c) % n
}

func (g *choices) of(list ...string) string { return list[g.below(len(list))] }

// list is expressions separated by commas.
func (g *choices) list(depth int) string {
	items := []string{g.expr(depth)}
	for g.below(4) == 1 {
		items = append(items, g.expr(depth))
	}
	return strings.Join(items, ", ")
}

// maxFuzzed is the maximum length of a generated statement, in bytes.
const maxFuzzed = 8 << 10

func (g *choices) expr(depth int) string {
	text := g.any(depth)
	if g.size += len(text); g.size > maxFuzzed {
		g.data = nil
	}
	return text
}

func (g *choices) any(depth int) string {
	if depth == 0 || len(g.data) == 0 {
		return g.leaf()
	}
	e := func() string { return g.expr(depth - 1) }
	kinds := 16
	if g.small {
		kinds = 19
	}
	switch g.below(kinds) {
	case 0:
		return g.leaf()
	case 16, 17:
		return g.edge()
	case 18:
		return g.call(depth)
	case 1, 2:
		return g.huge(depth)
	case 3:
		return "(" + e() + g.of(" LIKE ", " NOT LIKE ", " REGEXP ", " = ", " < ", " <=> ") + e() + ")"
	case 4:
		return "(" + e() + g.of(" + ", " - ", " * ", " / ", " DIV ", " % ", " & ", " << ", " AND ", " OR ",
			" XOR ") + e() + ")"
	case 5:
		return "(" + e() + " IN (" + g.list(depth-1) + "))"
	case 6:
		return "CAST(" + e() + " AS " + g.of("CHAR", "BINARY", "JSON", "SIGNED", "UNSIGNED", "DECIMAL(65,30)", "DATE",
			"DATETIME(6)", "TIME",
			"CHAR(1000000)", "BINARY(4294967295)", "BINARY(30000000)", "DOUBLE") + ")"
	case 7:
		return "CASE " + e() + " WHEN " + e() + " THEN " + e() + " ELSE " + e() + " END"
	case 8:
		return "(SELECT " + e() + ")"
	case 9:
		return g.aggregate(depth)
	case 10:
		return "(" + e() + g.of(" COLLATE utf8mb4_bin", " COLLATE utf8mb4_general_ci", " COLLATE utf8mb4_0900_ai_ci",
			" COLLATE utf8mb4_unicode_ci", " IS NULL", " IS TRUE",
			" COLLATE binary") + ")"
	case 11:
		return "(" + e() + " BETWEEN " + e() + " AND " + e() + ")"
	}
	return g.call(depth)
}

func (g *choices) call(depth int) string {
	signatures := bind.Functions()
	s := signatures[(g.below(256)+256*g.below(8))%len(signatures)]
	if s.Name == "GET_LOCK" || s.Name == "SLEEP" {
		return s.Name + g.of("(1)", "('a')", "('a', 0)")
	}
	n := s.Min
	for n < s.Max || s.Max < 0 && n < 12 {
		if g.below(3) > 0 {
			break
		}
		n++
	}
	args := make([]string, n)
	for i := range args {
		args[i] = g.expr(depth - 1)
	}
	return s.Name + "(" + strings.Join(args, ", ") + ")"
}

func (g *choices) aggregate(depth int) string {
	rows := "SELECT " + g.expr(depth-1) + " AS x"
	for g.below(3) > 0 {
		rows += " UNION ALL SELECT " + g.expr(depth-1)
	}
	call := g.of("GROUP_CONCAT(x)", "GROUP_CONCAT(DISTINCT x ORDER BY x DESC SEPARATOR '')", "JSON_ARRAYAGG(x)",
		"JSON_OBJECTAGG(x, x)", "COUNT(DISTINCT x)",
		"MAX(x)", "SUM(x)", "BIT_XOR(x)", "AVG(DISTINCT x)")
	return "(SELECT " + call + " FROM (" + rows + ") d" + strconv.Itoa(depth) + ")"
}

func (g *choices) leaf() string {
	return g.of("1", "'a'", "NULL", "''", "'abc'", "-1", "'$'", "'$**[*]'", "'$[0]'", "'all'", "2.5", "1e308", "'%a%'",
		"'2020-01-01'", "'%W%M'", "0", "','",
		"'a[ab]{500}c'", "'(a|ab)*c'", "30000000", "9223372036854775807", "X'00FF'", "'_%_%b'", "'[1,2]'",
		"'{\"a\": [1]}'", "@x", "@x := 1", "3",
		"'1'", "36", "512", "TRUE", "DATE '2020-02-29'", "RAND()", "@@max_allowed_packet", "'ä'")
}

// edge is a value at the end of a type's range, or a use of a unit.
func (g *choices) edge() string {
	if g.below(4) == 1 {
		unit := g.of("MICROSECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "SECOND_MICROSECOND",
			"DAY_MICROSECOND", "DAY_SECOND", "YEAR_MONTH")
		a, b := g.edge(), g.edge()
		return g.of("EXTRACT("+unit+" FROM "+a+")", "("+a+" + INTERVAL "+b+" "+unit+")",
			"DATE_SUB("+a+", INTERVAL "+g.leaf()+" "+unit+")",
			"TIMESTAMPDIFF("+g.of("DAY", "MONTH", "MICROSECOND")+", "+a+", "+b+")")
	}
	return g.of("-9223372036854775808", "18446744073709551615", "9223372036854775808", "-18446744073709551615",
		"1e-308", "-1e308", "4294967296", "2147483648", "-2147483649", "65536", "255", "'1e400'", "'-inf'", "'nan'",
		"99999999999999999999999999999999999999999999999999999999999999999", "-0.000000000000000000000000000001", "-0.0",
		"'0000-00-00'", "'0000-01-01'", "'9999-12-31 23:59:59.999999'", "'-838:59:59.999999'", "TIME '838:59:59'",
		"TIMESTAMP '9999-12-31 23:59:59.999999'", "DATE '0001-01-01'", "FROM_DAYS(0)", "MAKETIME(-838, 59, 59.999999)",
		"'2020-02-30'", "'\\0'", "X''", "X'F09F98'", "'ß'", "'ﬀ'", "'\\\\'", "'%'", "'_'", "'{}'", "'[]'", "'\"'",
		"'$.a[last]'", "'$.\"a\"'", "b'1'", "0x", "NOW(6)", "UUID()", "'+14:00'", "'%Y%y%j%X%V%x%v%U%u%w%W%a%D%f%p%r%T'",
		"JSON_ARRAY(1, 'a', NULL, 1.5)", "JSON_OBJECT('a', JSON_ARRAY())")
}

// huge is a text of up to 64 MiB: one that repeats, with other ends, or brackets.
func (g *choices) huge(depth int) string {
	of := g.of("'a'", "'ab'", "'ä'", "'9'", "' '", "'%'", "'_'", "'%a'", "','", "'a,'", "'1,'", "'\"a\",'", "'[]'",
		"X'00'", "X'FF'", "'('", "'a|'", "'[a-z]'",
		"'\\\\\\\\'", "''''", "'{\"a\":'", "'[0]'", "'**[0]'", "'%W'", "'1 '", "'.'", "'-'", "'\\n'", "'0'", "'é'", "'😀'",
		"'a{9}'", "'\\\\pL'")
	count := g.of("10", "100", "1000", "65536", "1000000", "4194304", "8388608", "16777216", "30000000", "33554432",
		"35000000", "1e9")
	if g.small {
		count = g.of("0", "1", "2", "3", "10", "63", "64", "65", "255", "256", "300")
	}
	text := "REPEAT(" + of + ", " + count + ")"
	if g.below(8) == 0 && depth > 1 {
		text = "REPEAT(" + g.expr(depth-1) + ", " + count + ")"
	}
	switch g.below(6) {
	case 0:
		return "CONCAT(" + text + ", " + g.leaf() + ")"
	case 1:
		return "CONCAT('[', " + text + ", '1]')"
	case 2:
		return "CONCAT('$', " + text + ")"
	case 3:
		return "CONCAT('%', " + text + ", 'b%')"
	}
	return text
}
