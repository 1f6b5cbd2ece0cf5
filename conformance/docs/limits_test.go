package docs

import (
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	limit      = regexp.MustCompile(`\| ([\d,]+)( KiB| MiB| GiB| s| min| h)? <!-- (\S+) (\w+) --> \|`)
	limitUnits = map[string]int64{"": 1, " KiB": 1 << 10, " MiB": 1 << 20, " GiB": 1 << 30, " s": 1, " min": 60, " h": 3600}
)

// TestDocsLimits compares each number on the page of limits with the constant or the default that its
// comment names.
func TestDocsLimits(t *testing.T) {
	count := 0
	for i, line := range readPage(t, "docs/limits.md") {
		if strings.Contains(line, "<!--") {
			m := limit.FindStringSubmatch(line)
			require.NotNil(t, m, "docs/limits.md:%d: no number and comment", i+1)
			n, err := strconv.ParseInt(strings.ReplaceAll(m[1], ",", ""), 10, 64)
			require.NoError(t, err)
			require.Equal(t, valueOf(t, m[3], m[4]), n*limitUnits[m[2]], "docs/limits.md:%d: %s of %s", i+1, m[4], m[3])
			count++
		}
	}
	require.Greater(t, count, 50)
}

// valueOf is the first value that a file gives to a name, as a constant, in a literal or in an
// assignment; times are in seconds.
func valueOf(t *testing.T, file, name string) int64 {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("../..", file))
	require.NoError(t, err)
	known := strings.NewReplacer("math.MaxUint32", "(1<<32 - 1)", "time.Second", "1", "time.Minute", "60", "time.Hour", "3600")
	given := regexp.MustCompile(`\b` + name + `\s*[:=]\s*([^=,}\n]+?)\s*(?://.*)?[,}\n]`)
	for _, m := range given.FindAllStringSubmatch(known.Replace(string(source)), -1) {
		value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, m[1])
		if err == nil && value.Value != nil && value.Value.Kind() == constant.Int {
			n, exact := constant.Int64Val(value.Value)
			require.True(t, exact)
			return n
		}
	}
	require.Fail(t, "no value", "%s gives none to %s", file, name)
	return 0
}
