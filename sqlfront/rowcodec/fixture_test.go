package rowcodec

import (
	"bufio"
	"encoding/hex"
	"flag"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The fixtures are written by HBase's own classes. They are rewritten with -java.classpath, which
// kv/hbase/hbase-local prints.
var classpath = flag.String("java.classpath", "", "write the fixtures anew by HBase's classes there; it takes Java 17")

const fixtures = "testdata/hbase.txt"

func writeFixtures(t *testing.T) {
	out, err := exec.Command("java", "-Xmx256m", "-cp", *classpath, "testdata/Encodings.java").Output()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(fixtures, out, 0o644))
}

// javaFloat parses a float that Java has printed.
func javaFloat(t *testing.T, text string, bits int) float64 {
	switch text {
	case "NaN":
		return math.NaN()
	case "Infinity":
		return math.Inf(1)
	case "-Infinity":
		return math.Inf(-1)
	}
	f, err := strconv.ParseFloat(text, bits)
	require.NoError(t, err)
	return f
}

func exact(t *testing.T, text string) value.Value {
	v, whole := value.ParseExact([]byte(text))
	require.True(t, whole, text)
	return v
}

// TestFixtures writes and reads what HBase's classes write.
func TestFixtures(t *testing.T) {
	if *classpath != "" {
		writeFixtures(t)
	}
	f, err := os.Open(fixtures)
	require.NoError(t, err)
	defer f.Close()
	counts, lines := map[string]int{}, bufio.NewScanner(f)
	for lines.Scan() {
		part := strings.Split(lines.Text(), "\t")
		require.Len(t, part, 3, lines.Text())
		want, err := hex.DecodeString(part[2])
		require.NoError(t, err)
		kind, class, _ := strings.Cut(part[0], " ")
		if kind == "bytes" {
			bytesFixture(t, class, part[1], want)
		} else {
			orderedFixture(t, class, part[1], want)
		}
		counts[part[0]]++
	}
	require.NoError(t, lines.Err())
	require.Len(t, counts, 19)
	t.Log(counts)
}

func bytesFixture(t *testing.T, class, text string, want []byte) {
	sizes := map[string]int{"short": 2, "int": 4, "long": 8, "float": 4, "double": 8}
	switch class {
	case "boolean":
		c := boolCell("x")
		got, err := c.append(nil, exact(t, text))
		require.NoError(t, err)
		require.Equal(t, want, got)
	case "decimal":
		d := exact(t, text)
		if want[0]&0x80 == 0 { // otherwise the scale is negative, which no DECIMAL has
			require.Equal(t, hex.EncodeToString(want), hex.EncodeToString(appendBigDecimal(nil, d)), text)
		}
		back, ok := readBigDecimal(want)
		require.True(t, ok, text)
		require.Equal(t, d.String(), back.String())
	case "string":
		require.Equal(t, text, hex.EncodeToString(want))
	case "float", "double":
		if text == "NaN" {
			return // there are many NaNs
		}
		if bits := 8 * sizes[class]; bits == 32 {
			require.Equal(t, uint64(math.Float32bits(float32(javaFloat(t, text, bits)))), readFixed(want, false), text)
		} else {
			require.Equal(t, math.Float64bits(javaFloat(t, text, bits)), readFixed(want, false), text)
		}
	default:
		n := exact(t, text).AsInt()
		require.Equal(t, want, appendFixed(nil, uint64(n), sizes[class]), text)
		require.Equal(t, n, int64(readFixed(want, true)), text)
	}
}

func orderedFixture(t *testing.T, class, text string, want []byte) {
	var got []byte
	var v value.Value
	switch class {
	case "null":
		got = []byte{codeNull}
	case "numeric":
		v = exact(t, text)
		got = appendNumeric(nil, v)
	case "float32", "float64":
		bits, _ := strconv.Atoi(strings.TrimPrefix(class, "float"))
		f := javaFloat(t, text, bits)
		if v = value.NewFloat(f); !isReal(f) || f == 0 && math.Signbit(f) {
			got = want // SQL does not have it
			break
		}
		got = appendOrderedFloat(nil, f, bits/8)
	case "string", "blob", "blobcopy":
		b, err := hex.DecodeString(text)
		require.NoError(t, err)
		switch v = value.NewBytes(b); class {
		case "string":
			got, v = appendOrderedString(nil, b), value.NewText(b)
		case "blob":
			got = appendOrderedBlob(nil, b)
		default:
			got = want // it is only read
		}
	default:
		size, _ := strconv.Atoi(strings.TrimPrefix(class, "int"))
		v = exact(t, text)
		got = appendOrderedInt(nil, v.AsInt(), size/8)
	}
	require.Equal(t, hex.EncodeToString(want), hex.EncodeToString(got), "%s %s", class, text)
	back, size := readOrdered(append(want[:len(want):len(want)], 0x80, 1)[:len(want)])
	require.Equal(t, len(want), size, "%s %s", class, text)
	if f := back.Float(); back.Kind() == value.Float && !isReal(f) {
		return
	}
	order, _ := value.Compare(v, back)
	require.True(t, order == 0, "%s %s: %s", class, text, back)
	require.Equal(t, v.IsNull(), back.IsNull())
}
