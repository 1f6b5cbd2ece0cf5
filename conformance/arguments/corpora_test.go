package arguments

import (
	"database/sql"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/generate"
	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

var argumentsN = flag.Int("arguments.n", 500, "number of statements that run with their literals as arguments, of each corpus")

// A fixed seed, unlike in the live comparison: what a new seed finds is not
// caused by the change at hand.
var argumentsFrom = flag.Uint64("arguments.seed", 7, "seed of the statements that run with their literals as arguments")

// ownExpression: two placeholders are never the same expression, nor are a
// placeholder and a literal, whatever their values. MySQL and MariaDB also
// confuse grouped and distinct ones.
func ownExpression(prepared told) bool { return prepared.Error == 1055 || prepared.Error == 3065 }

// signedPosition: an integer in ORDER BY is a position even with a sign, and no
// column has such a number; -? is an expression.
func signedPosition(text string, literal told) bool {
	return literal.Error == 1054 && orderedBySigned.MatchString(text)
}

// temporalOfString: {d ?} is the argument itself, because MySQL's grammar has {d 'text'} only
// for texts.
func temporalOfString(text string) bool { return temporalForm.MatchString(text) }

var temporalForm = regexp.MustCompile(`(?i)\{(?:d|t|ts) \?`)

var orderedBySigned = regexp.MustCompile(`(?i)\b(?:ORDER|GROUP) BY (?:[^()]*, )?-\?`)

// asLiterals runs statements with arguments and with literals, which must
// answer the same.
func asLiterals(t *testing.T, r *rand.Rand, db *sql.DB, next func() (text string, ordered, ok bool)) {
	conn := harness.Conn(t, db)
	count := 0
	for range *argumentsN {
		text, ordered, ok := next()
		if !ok {
			break
		}
		for _, v := range generate.VariantsOf(r, text, ordered, 2) {
			prepared := tell(t, conn, v.Prepared, v.Ordered, v.Args...)
			if prepared.Error == 1064 || ownExpression(prepared) {
				continue
			}
			count++
			literal := tell(t, conn, v.Literal, v.Ordered)
			if kind := sameTold(literal, prepared); kind != "" && !signedPosition(v.Prepared, literal) &&
				!temporalOfString(v.Prepared) {
				t.Errorf("%s: %s", kind, explain(v, literal, prepared))
			}
		}
	}
	t.Logf("%d statements with arguments", count)
}

// TestSelectsWithArguments: a generated SELECT has the same answer with
// arguments as with literals.
func TestSelectsWithArguments(t *testing.T) {
	seed := *argumentsFrom
	t.Logf("-arguments.seed=%d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	asLiterals(t, r, oracle.OpenTables(t, "key"), selectsOf(r))
}

// TestRecordedWithArguments is TestSelectsWithArguments for the recorded SELECTs.
func TestRecordedWithArguments(t *testing.T) {
	seed := *argumentsFrom
	t.Logf("-arguments.seed=%d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	recorded := slices.Concat(oracle.ReadRecorded[oracle.Answer](t, oracle.SelectsFile), oracle.ReadRecorded[oracle.Answer](t, oracle.QueriesFile), oracle.ReadRecorded[oracle.Answer](t, oracle.SetsFile))
	order := r.Perm(len(recorded))
	asLiterals(t, r, oracle.OpenTables(t, "none"), func() (string, bool, bool) {
		if len(order) == 0 {
			return "", false, false
		}
		a := recorded[order[0]]
		order = order[1:]
		return oracle.Starless(a.SQL), a.Ordered, true
	})
}

// TestExpressionsWithArguments is the same for every recorded expression.
func TestExpressionsWithArguments(t *testing.T) {
	seed := *argumentsFrom
	t.Logf("-arguments.seed=%d", seed)
	r := rand.New(rand.NewPCG(seed, 3))
	expressions := recordedExpressions(t)
	require.Greater(t, len(expressions), 5500)
	order := r.Perm(len(expressions))
	asLiterals(t, r, oracle.OpenTables(t, "range"), func() (string, bool, bool) {
		if len(order) == 0 {
			return "", false, false
		}
		e := expressions[order[0]]
		order = order[1:]
		return "SELECT " + e + " FROM v ORDER BY K, Q, T LIMIT 5", true, true
	})
}

// otherEachTime are expressions that read the clock, are random, or depend on what
// the session did before.
var otherEachTime = regexp.MustCompile(`RAND|SLEEP|UUID|_COUNT\(\)|RELEASE_ALL_LOCKS`)

// recordedExpressions are those that the tests of expressions compare with
// MariaDB's answers, except otherEachTime.
func recordedExpressions(t *testing.T) []string {
	data, err := os.ReadFile("../../sqlfront/expr/testdata/generated.txt")
	require.NoError(t, err)
	var out []string
	add := func(e string) {
		if e != "" && !strings.HasPrefix(e, "#") && !otherEachTime.MatchString(e) {
			out = append(out, e)
		}
	}
	for line := range strings.Lines(string(data)) {
		e, _, _ := strings.Cut(line, "\t")
		add(e)
	}
	files, err := filepath.Glob("../../sqlfront/expr/testdata/oracle/*")
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for block := range strings.SplitSeq(string(data), "\n\n") {
			input, _, _ := strings.Cut(block, "\n----")
			for _, line := range strings.Split(input, "\n")[1:] {
				add(strings.TrimSpace(line))
			}
		}
	}
	return out
}

// TestWritesWithArguments: statements that write do the same with arguments as
// with literals, and leave the same table.
func TestWritesWithArguments(t *testing.T) {
	seed := *argumentsFrom
	t.Logf("-arguments.seed=%d", seed)
	r := rand.New(rand.NewPCG(seed, 4))
	g := generate.NewWriteGen(r)
	var dbs [2]*sql.DB
	for i := range dbs {
		dbs[i] = oracle.OpenTables(t, "key")
		harness.Must(t, dbs[i], oracle.CreateTable("w", "key"))
	}
	for i := range *argumentsN / 2 {
		text := g.Statement()
		for j, v := range generate.VariantsOf(r, text, true, 1) {
			if i%oracle.Episode == 0 && j == 0 {
				oracle.ResetWrites(t, dbs[0], oracle.EmptyOwn)
				oracle.ResetWrites(t, dbs[1], oracle.EmptyOwn)
			}
			prepared := oracle.Write(t, dbs[0], v.Prepared, false, oracle.EmptyOwn, v.Args...)
			if prepared.Error == 1064 {
				continue
			}
			literal := oracle.Write(t, dbs[1], v.Literal, false, oracle.EmptyOwn)
			require.Equal(t, literal.Error, prepared.Error, "%s %#v", v.Prepared, v.Args)
			require.Empty(t, oracle.WriteDifference(literal, prepared), "%s %#v", v.Prepared, v.Args)
			require.Equal(t, literal.Rows, prepared.Rows, "%s %#v", v.Prepared, v.Args)
		}
	}
}

const (
	argumentsFile  = "../testdata/mariadb/arguments.jsonl.gz"
	argumentsSeed  = 20261123
	argumentsCount = 1500
)

// preparedAnswer is MariaDB's answer to a statement that it prepared.
type preparedAnswer struct {
	oracle.Answer
	Args []recordedArg `json:"args"`
}

// recordedArg is an argument as its Go type and its text.
type recordedArg struct{ Type, Text string }

func recordArg(v any) recordedArg {
	if at, ok := v.(time.Time); ok {
		return recordedArg{"time.Time", at.Format(time.RFC3339Nano)}
	}
	return recordedArg{fmt.Sprintf("%T", v), fmt.Sprint(v)}
}

func (a recordedArg) value(t *testing.T) (v any) {
	var err error
	switch a.Type {
	case "<nil>":
	case "string":
		v = a.Text
	case "int64":
		v, err = strconv.ParseInt(a.Text, 10, 64)
	case "uint64":
		v, err = strconv.ParseUint(a.Text, 10, 64)
	case "float64":
		v, err = strconv.ParseFloat(a.Text, 64)
	case "bool":
		v = a.Text == "true"
	case "time.Time":
		v, err = time.Parse(time.RFC3339Nano, a.Text)
	default:
		t.Fatalf("an argument of type %s", a.Type)
	}
	require.NoError(t, err)
	return v
}

// TestPreparedByMariaDB compares with MariaDB's recorded answers to statements
// that it prepared itself.
func TestPreparedByMariaDB(t *testing.T) {
	if *harness.MariaDB != "" && *harness.Record {
		recordPrepared(t)
	}
	recorded := oracle.ReadRecorded[preparedAnswer](t, argumentsFile)
	require.Greater(t, len(recorded), argumentsCount)
	conn := harness.Conn(t, oracle.OpenTables(t, "prefix"))
	for i, want := range recorded {
		if testing.Short() && i%10 != 0 {
			continue
		}
		var args []any
		for _, a := range want.Args {
			args = append(args, a.value(t))
		}
		got := tell(t, conn, want.SQL, want.Ordered, args...)
		if got.Columns = want.Columns; oracle.Unlisted(want.Answer, got.Answer) != "" {
			t.Error(oracle.Explain(want.Answer, got.Answer), args)
		}
	}
}

// recordPrepared leaves out the few statements whose answers differ.
func recordPrepared(t *testing.T) {
	peer, conn := harness.Conn(t, oracle.OpenMariaDB(t)), harness.Conn(t, oracle.OpenTables(t, "key"))
	r := rand.New(rand.NewPCG(argumentsSeed, 5))
	next := selectsOf(r)
	var out []preparedAnswer
	for range argumentsCount {
		text, ordered, _ := next()
		for _, v := range generate.VariantsOf(r, text, ordered, 2) {
			if hasBytes(v) {
				continue
			}
			want, got := tell(t, peer, v.Prepared, ordered, v.Args...), tell(t, conn, v.Prepared, ordered, v.Args...)
			if oracle.Difference(want.Answer, got.Answer) != "" {
				t.Log(oracle.Explain(want.Answer, got.Answer), v.Args)
				continue
			}
			line := preparedAnswer{Answer: want.Answer}
			for _, a := range v.Args {
				line.Args = append(line.Args, recordArg(a))
			}
			out = append(out, line)
		}
	}
	oracle.WriteRecorded(t, argumentsFile, out)
}

// hasBytes: for MariaDB a []byte is a text like any other; here it is a binary
// string.
func hasBytes(v generate.Variant) bool {
	return slices.ContainsFunc(v.Args, func(a any) bool { _, ok := a.([]byte); return ok })
}

// TestLivePrepared compares new statements with what a live server prepares. If
// the server answers its own literals differently from hbasekv, the class is
// that of TestLiveQueries.
func TestLivePrepared(t *testing.T) {
	if *harness.MariaDB == "" {
		t.Skip("no -mariadb: the recorded answers alone were compared")
	}
	peer, conn := harness.Conn(t, oracle.OpenMariaDB(t)), harness.Conn(t, oracle.OpenTables(t, "key"))
	r := rand.New(rand.NewPCG(testseed.Of(t), 5))
	next := selectsOf(r)
	count := oracle.Classes{}
	for range *harness.OracleN {
		text, ordered, _ := next()
		for _, v := range generate.VariantsOf(r, text, ordered, 2) {
			if hasBytes(v) {
				continue
			}
			want, got := tell(t, peer, v.Prepared, ordered, v.Args...), tell(t, conn, v.Prepared, ordered, v.Args...)
			if oracle.Difference(want.Answer, got.Answer) == "" {
				continue
			}
			literal := tell(t, peer, v.Literal, ordered)
			if class := preparedClass(literal, want, got); class != "" {
				count[class]++
				continue
			}
			t.Error("unlisted: "+oracle.Explain(want.Answer, got.Answer), v.Args, literal.Types, literal.Print())
		}
	}
	// Prepared, MariaDB refuses more groups over derived tables than otherwise.
	require.LessOrEqual(t, count["group over a derived table"]+count["own expression"], *harness.OracleN/20+5)
	delete(count, "group over a derived table")
	delete(count, "own expression")
	count.Check(t, 3**harness.OracleN)
}

// preparedClass is the class of a difference from MariaDB's prepared statement.
func preparedClass(literal, want, got told) string {
	switch class := oracle.ListedClass(want.Answer, got.Answer); {
	case want.Error == math.MaxUint16:
		return "no answer of the server"
	case class != "":
		return class
	case ownExpression(got):
		return "own expression"
	case oracle.Difference(literal.Answer, got.Answer) == "" && oracle.Difference(want.Answer, literal.Answer) != "":
		return "MariaDB's argument is not its literal"
	}
	return ""
}

// selectsOf generates SELECTs.
func selectsOf(r *rand.Rand) func() (text string, ordered, ok bool) {
	g, s := generate.NewQueryGen(r), &generate.SelectGen{R: r}
	return func() (string, bool, bool) {
		if r.IntN(3) == 0 {
			q := s.Statement()
			return oracle.Starless(q.SQL), q.Ordered, true
		}
		q := g.Statement()
		return q.Root.String(), q.Ordered, true
	}
}
