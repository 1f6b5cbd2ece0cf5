package cellkey

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateDocs = flag.Bool("docs.update", false, "draw docs/key.svg again")

// TestPicture draws the bytes of a cell's key for docs/architecture.md.
func TestPicture(t *testing.T) {
	const at = 1_700_000_000_000
	row, qualifier := []byte("a\x00n"), []byte("city")
	whole := AppendCell(nil, 7, row, qualifier, at)
	space, inRow := len(AppendSpace(nil, 7)), len(AppendRow(nil, 7, row))
	column := len(AppendColumn(nil, 7, row, qualifier))
	drawn := drawKey([]keyPart{
		{"key space 7", "", whole[:space], "#f3e0ef"},
		{"row a\\0n", "byte 00 is written 00 ff;|00 01 ends the part", whole[space:inRow], "#dbe8fb"},
		{"qualifier city", "00 01 ends the part", whole[inRow:column], "#e3f3df"},
		{fmt.Sprintf("timestamp %d", int64(at)), "complemented: newer is less", whole[column:], "#fdeecb"},
	})
	const file = "../../../../docs/key.svg"
	if *updateDocs {
		require.NoError(t, os.WriteFile(file, []byte(drawn), 0o644))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, drawn, string(got), "run with -docs.update")
}

type keyPart struct {
	name, note string
	bytes      []byte
	colour     string
}

// drawKey draws a box for each byte, in hexadecimal, with the parts' names above.
func drawKey(parts []keyPart) string {
	const size = 27
	var b strings.Builder
	x := 12
	for _, p := range parts {
		fmt.Fprintf(&b, `<text x="%d" y="22" font-size="13" fill="#1c2733">%s</text>`+"\n", x, p.name)
		for _, c := range p.bytes {
			fmt.Fprintf(&b, `<rect x="%d" y="32" width="%d" height="30" fill="%s" stroke="#44546a"/>`+"\n", x, size, p.colour)
			fmt.Fprintf(&b, `<text x="%d" y="52" font-size="13" text-anchor="middle" font-family="monospace" fill="#1c2733">%02x</text>`+"\n",
				x+size/2, c)
			x += size
		}
		for i, line := range strings.Split(p.note, "|") { // a line no longer than its part
			fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="11" fill="#4a5563">%s</text>`+"\n", x-size*len(p.bytes), 80+15*i, line)
		}
		x += 10
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d 106" font-family="sans-serif">
<rect width="100%%" height="100%%" fill="#ffffff"/>
%s</svg>
`, x+2, b.String())
}
