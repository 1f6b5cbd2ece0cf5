package typed

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/driver"
)

// hasGenerated reports whether a column is generated.
func (d *drawnTable) hasGenerated() bool {
	return slices.ContainsFunc(d.types, func(t drawnType) bool { return t.generated() })
}

// compareLoads loads the same lines into both tables.
func compareLoads(t *testing.T, ours, theirs *sql.DB, d *drawnTable, r *rand.Rand) bool {
	how := harness.Pick(r, []string{"", "IGNORE", "REPLACE"})
	text, columns := d.lines(r, how == "REPLACE") // without a value for each column MySQL's error is 1364, MariaDB's none
	open := func() io.Reader { return strings.NewReader(text) }
	driver.RegisterReader(t.Name(), open)
	mysql.RegisterReaderHandler(t.Name(), open)
	statement := fmt.Sprintf("LOAD DATA LOCAL INFILE 'Reader::%s' %s INTO TABLE t (%s)", t.Name(), how, columns)
	n, err := affected(ours, statement)
	m, want := affected(theirs, statement)
	if !sameNumber(err, want) || n != m {
		t.Errorf("%s of %q\n  ours:   %d %v\n  theirs: %d %v", statement, text, n, err, m, want)
		return false
	}
	same := compareRows(t, ours, theirs, "SELECT * FROM t ORDER BY "+d.key())
	if !same {
		t.Logf("%s of %q", statement, text)
	}
	return same
}

// lines are some lines of a file for LOAD DATA, and the columns of their fields: all, or the key and some others.
func (d *drawnTable) lines(r *rand.Rand, all bool) (text, columns string) {
	var list []int
	var names []string
	for i, typ := range d.types {
		if !typ.generated() && (all || i < d.keys || r.IntN(4) > 0) {
			list, names = append(list, i), append(names, fmt.Sprintf("c%d", i))
		}
	}
	for range 1 + r.IntN(4) {
		fields := make([]string, len(list))
		for i, column := range list {
			fields[i] = field(d.literal(r, column))
		}
		text += strings.Join(fields, "\t") + "\n"
	}
	return text, strings.Join(names, ", ")
}

// field is a literal as LOAD DATA reads it.
func field(literal string) string {
	switch {
	case literal == "NULL" || literal == "DEFAULT":
		return `\N`
	case strings.HasPrefix(literal, "X'"):
		raw, _ := hex.DecodeString(literal[2 : len(literal)-1])
		return strings.NewReplacer("\x00", `\0`, `\`, `\\`).Replace(string(raw))
	}
	return strings.Trim(literal, "'")
}
