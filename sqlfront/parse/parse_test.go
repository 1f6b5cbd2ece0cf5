package parse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// TestStatements runs testdata/statements: "parse" reads one statement on each line and prints what it is
// read as, or its error; "script" splits its whole input.
func TestStatements(t *testing.T) {
	datadriven.Walk(t, "testdata/statements", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "script" {
				return splitAndPrint(d.Input)
			}
			var b strings.Builder
			for i, sql := range strings.Split(d.Input, "\n") {
				fmt.Fprintf(&b, "%d. %s", i+1, parseAndPrint(sql))
			}
			return b.String()
		})
	})
}

func parseAndPrint(sql string) string {
	p, err := Parse(sql)
	if err != nil {
		return shortened(err)
	}
	return printed(p)
}

func splitAndPrint(script string) string {
	pieces, err := lex.Split(script)
	if err != nil {
		return shortened(err)
	}
	return fmt.Sprintln(len(pieces), "pieces") + strings.Join(pieces, "\n--\n") + "\n"
}

// shortened leaves out the first sentence, which all errors 1064 have.
func shortened(err error) string {
	e := err.(*mysql.MySQLError)
	e.Message = strings.Replace(e.Message, "You have an error in your SQL syntax; check the manual that corresponds to "+
		"your MySQL server version for the right syntax to use ", "... ", 1)
	return e.Error() + "\n"
}
