package value

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestParseDecimalOfManyDigits: digits that cannot matter are not read, since a value may have a megabyte of
// them.
func TestParseDecimalOfManyDigits(t *testing.T) {
	many := strings.Repeat("9", 1<<20)
	zeros := strings.Repeat("0", 1<<20)
	for text, want := range map[string]string{
		many:                 strings.Repeat("9", 65),
		"-" + many:           "-" + strings.Repeat("9", 65),
		many + ".5e-9999":    strings.Repeat("9", 65),
		"+" + zeros + "7.25": "7.25",
		"-" + zeros + "3":    "-3",
		"0." + many:          "1." + strings.Repeat("0", 30),
		"0." + zeros + "1":   "0." + strings.Repeat("0", 30),
		zeros:                "0",
		"12." + zeros + "e3": "12000." + strings.Repeat("0", 30),
	} {
		d, _ := ParseDecimal([]byte(text))
		require.Equal(t, want, NewDecimal(d).String(), "%.20s of %d bytes", text, len(text))
	}
}
