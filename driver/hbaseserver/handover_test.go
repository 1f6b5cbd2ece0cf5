package hbaseserver_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/hrpc"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// TestScanOfOneMoment writes into later regions while a client is in the first region of a table: the scan
// does not see the writes, and the next one does.
func TestScanOfOneMoment(t *testing.T) {
	for name, options := range map[string][]func(hrpc.Call) error{"forward": nil, "reversed": {hrpc.Reversed()}} {
		start := map[string]string{"reversed": "z"}[name]
		t.Run(name, func(t *testing.T) {
			s := serve(t, ":memory:", hbaseserver.Options{})
			for _, text := range []string{
				"CREATE TABLE t$f (K varbinary(9), Q varbinary(9), T bigint, V blob, PRIMARY KEY (K, Q, T)) PARTITION BY RANGE " +
					"COLUMNS(K) (PARTITION a VALUES LESS THAN ('h'), PARTITION b VALUES LESS THAN ('p\\0'), " +
					"PARTITION c VALUES LESS THAN (MAXVALUE))",
				"INSERT INTO t$f VALUES ('a', 'q', 1, 'v'), ('c', 'q', 1, 'v'), ('m', 'q', 1, 'v'), ('x', 'q', 1, 'v')",
			} {
				_, err := s.db.Exec(text)
				require.NoError(t, err)
			}
			c := s.client()
			scan := func(after func()) (rows []string) {
				all := append([]func(hrpc.Call) error{hrpc.NumberOfRows(1)}, options...)
				of := c.Scan(must[*hrpc.Scan](t)(hrpc.NewScanRangeStr(s.ctx, "t", start, "", all...)))
				defer of.Close()
				for {
					r, err := of.Next()
					if err == io.EOF {
						return rows
					}
					require.NoError(t, err)
					if rows = append(rows, string(r.Cells[0].Row)); len(rows) == 1 {
						after()
					}
				}
			}
			before := scan(func() {
				_, err := s.db.Exec("INSERT INTO t$f VALUES ('b', 'q', 1, 'v'), ('n', 'q', 1, 'v'), ('w', 'q', 1, 'v')")
				require.NoError(t, err)
			})
			require.ElementsMatch(t, []string{"a", "c", "m", "x"}, before)
			require.Len(t, scan(func() {}), 7)
		})
	}
}
