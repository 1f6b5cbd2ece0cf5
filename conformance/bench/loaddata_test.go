package bench

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/driver"
)

// BenchmarkLoadData loads one line per iteration, all in one statement: through
// the log, as files, and as the fields of variables.
func BenchmarkLoadData(b *testing.B) {
	for name, how := range map[string][2]string{"Log": {"IGNORE", ""}, "Files": {"REPLACE", ""},
		"Set": {"REPLACE", "(@k, Q, T, @v) SET K = @k, V = CONCAT(@v, '!')"}} {
		b.Run(name, func(b *testing.B) {
			db := harness.OpenDB(b, "file:"+filepath.Join(b.TempDir(), "store")+"?sync=false")
			harness.Must(b, db, "CREATE TABLE t "+harness.PlainTable)
			n, rest := 0, []byte(nil)
			driver.RegisterReader("bench", func() io.Reader {
				return harness.ReaderFunc(func(p []byte) (int, error) {
					if len(rest) == 0 {
						if n == b.N {
							return 0, io.EOF
						}
						rest = fmt.Appendf(rest[:0], "row%08d\tqualifier\t1700000000000\tsome value of forty bytes, or about that\n", n)
						n++
					}
					done := copy(p, rest)
					rest = rest[done:]
					return done, nil
				})
			})
			defer driver.DeregisterReader("bench")
			b.ReportAllocs()
			b.ResetTimer()
			if got := harness.Affected(b, db, "LOAD DATA LOCAL INFILE 'Reader::bench' "+how[0]+" INTO TABLE t "+how[1]); got != int64(b.N) {
				b.Fatal(got)
			}
		})
	}
}

// BenchmarkOutfile writes one row per iteration.
func BenchmarkOutfile(b *testing.B) {
	db := harness.OpenDB(b, "file::memory:?fileDir="+b.TempDir())
	harness.Must(b, db, "CREATE TABLE t "+harness.PlainTable)
	driver.RegisterReader("bench", func() io.Reader {
		n := 0
		return harness.ReaderFunc(func(p []byte) (int, error) {
			if n == b.N {
				return 0, io.EOF
			}
			n++
			return copy(p, fmt.Sprintf("row%08d\tqualifier\t1700000000000\tsome value of forty bytes, or about that\n", n)), nil
		})
	})
	defer driver.DeregisterReader("bench")
	harness.Must(b, db, "LOAD DATA LOCAL INFILE 'Reader::bench' REPLACE INTO TABLE t")
	b.ReportAllocs()
	b.ResetTimer()
	if n := harness.Affected(b, db, "SELECT * FROM t INTO OUTFILE 'out'"); n != int64(b.N) {
		b.Fatal(n)
	}
}
