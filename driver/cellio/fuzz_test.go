package cellio_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/hbasekv/hbasekv/driver/cellio"
)

// readable are the formats that have a Reader.
var readable = []cellio.Format{cellio.Text, cellio.CSV, cellio.JSONLines, cellio.Shell, cellio.TSV}

// FuzzReaders: no input makes a reader panic or loop forever, and the writers of
// the exact formats preserve what a reader returns.
func FuzzReaders(f *testing.F) {
	for _, text := range []string{
		"r f:q @1 v\n", "row,qualifier,timestamp,value\nr,q,1,v\n", `{"row":"r","qualifier":"q","timestamp":1}`,
		"ROW                   COLUMN+CELL\n r                    column=f:q, timestamp=1, v\n" +
			"                      alue=x\n1 row(s)\n",
		"ROW  COLUMN+CELL\n r column=f:q, timestamp=2024-01-01T00:00Z, value=\\x\n", "ROW   COLUMN+CELL\n\n \n x"} {
		for _, format := range readable {
			f.Add(uint8(format), []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, format uint8, text []byte) {
		r, err := cellio.NewReader(bytes.NewReader(text), readable[int(format)%len(readable)])
		if err != nil {
			return
		}
		for reads := 0; ; reads++ {
			if reads > len(text)+1 {
				t.Fatal("more cells than bytes")
			}
			c, err := r.Read()
			var bad *cellio.BadLine
			switch {
			case errors.As(err, &bad):
				continue
			case err != nil:
				if err != io.EOF && readable[int(format)%len(readable)] != cellio.Shell {
					t.Fatal(err)
				}
				return
			}
			for _, exact := range []cellio.Format{cellio.CSV, cellio.TSV, cellio.JSONLines} {
				if exact == cellio.JSONLines && !bytes.Equal([]byte(c.Family), bytes.ToValidUTF8([]byte(c.Family), nil)) {
					continue // families are names
				}
				again, err := readAll(bytes.NewReader([]byte(write(t, exact, c))), exact)
				if err != nil || len(again) != 1 || !bytes.Equal(again[0].Row, c.Row) || !bytes.Equal(again[0].Value, c.Value) ||
					!bytes.Equal(again[0].Qualifier, c.Qualifier) || (again[0].Value == nil) != (c.Value == nil) {
					t.Fatalf("%+v is read again as %+v, %v", c, again, err)
				}
			}
		}
	})
}
