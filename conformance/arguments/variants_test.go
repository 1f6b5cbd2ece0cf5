package arguments

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/generate"
	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// told is an answer with the codes of its warnings.
type told struct {
	oracle.Answer
	warnings string
}

// tell runs a statement, prepared if there are arguments.
func tell(t testing.TB, conn *sql.Conn, text string, ordered bool, args ...any) told {
	ctx := context.Background()
	a := told{Answer: oracle.Answer{SQL: text, Ordered: ordered}}
	rows, err := conn.QueryContext(ctx, text, args...)
	if err == nil {
		types, _ := rows.ColumnTypes()
		for _, c := range types {
			a.Types = append(a.Types, oracle.KindName(c.DatabaseTypeName()))
		}
		a.JSON = oracle.JSONColumns(types)
		a.Rows, err = harness.PrintRows(rows)
	}
	if err != nil {
		a.Rows, a.Types, a.Error = nil, nil, harness.ErrorNumber(err)
		return a
	}
	a.warnings = codesOf(t, conn)
	return a
}

func codesOf(t testing.TB, conn *sql.Conn) string {
	rows, err := conn.QueryContext(context.Background(), "SHOW WARNINGS")
	require.NoError(t, err)
	defer rows.Close()
	var codes []string
	for rows.Next() {
		var level, message string
		var code int
		require.NoError(t, rows.Scan(&level, &code, &message))
		codes = append(codes, strconv.Itoa(code))
	}
	slices.Sort(codes)
	return strings.Join(slices.Compact(codes), " ")
}

// sameTold says how the answers for a literal and for an argument differ.
func sameTold(literal, prepared told) string {
	literal.Columns, prepared.Columns = nil, nil
	if kind := oracle.Difference(literal.Answer, prepared.Answer); kind != "" {
		return kind
	}
	if literal.warnings != prepared.warnings {
		return fmt.Sprintf("warnings %q %q", literal.warnings, prepared.warnings)
	}
	return ""
}

func explain(v generate.Variant, literal, prepared told) string {
	return fmt.Sprintf("%s %#v\n literal:  %v %s %s\n prepared: %v %s %s", v.Prepared, v.Args, literal.Types, literal.Print(), literal.warnings,
		prepared.Types, prepared.Print(), prepared.warnings)
}
