package collation

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestWeightsOfAllCharacters compares the weights of every character: those of general_ci, unicode_ci and
// unicode_520_ci with WEIGHT_STRING of a MariaDB 10.11, those of 0900 with what a program in Python reads in
// Unicode's allkeys.txt by MySQL's rules. The SHA-256 of all of them, each preceded by its length in two
// bytes, is recorded.
func TestWeightsOfAllCharacters(t *testing.T) {
	for c, want := range map[Collation]string{
		General:     "b0d37d6442d76c3f0d712cbbbdde229f4ca87f2cc1fedf9a92498005f6003d20",
		Unicode:     "88ae1f00a34a5e557a096b31511f003925ef2ecaaab3dce445f82798718c34f1",
		Unicode520:  "5cb3ce2438d51aa1d9203bca78664f1209847a86a6793c87238c85ef9fedb3f1",
		AccentsNot:  "a73edba368606c3c4d18bae6e860c2d246fb61854828140797e272ae063f6040",
		Accents:     "bcd68bf24218a1d49370f0ccc78b4044eadd4aa410876893457c35e2784e8698",
		AccentsCase: "a241ea066367a58d32d6680469d4e148e7ef337db1ccf2226adbae384f40ae58",
	} {
		sum := sha256.New()
		var weights []byte
		for r := rune(0); r <= utf8.MaxRune; r++ {
			if !utf8.ValidRune(r) {
				continue
			}
			weights = c.AppendWeights(weights[:0], utf8.AppendRune(nil, r))
			sum.Write(binary.BigEndian.AppendUint16(nil, uint16(len(weights))))
			sum.Write(weights)
		}
		require.Equal(t, want, hex.EncodeToString(sum.Sum(nil)), "%s", c)
	}
}

// The letters of random texts: case, accents, one letter as two, combining marks, characters without weight,
// spaces, ideographs, syllables, unassigned characters, invalid UTF-8.
var letters = strings.Split("a,A,ä,Ä,á,b,B,e,é,s,S,ß,ss,ẞ,æ,ae,ﬀ,f,i,ı,İ,I,o,ø,œ,\u0301,\u0308,\u0001,\u200d, ,  ,\u00a0,\u3000,1,¹,½,"+
	"一,丁,㐀,𠀀,가,각,㉮,ア,ｱ,あ,😀,😁,\U000e0100,\U0010ffff,\u0378,-,_,%,\xff,\xc3", ",")

func randomText(r *rand.Rand) (out []byte) {
	for range r.IntN(6) {
		out = append(out, letters[r.IntN(len(letters))]...)
	}
	return out
}

// TestWeightsOfTexts compares with WEIGHT_STRING of MariaDB and MySQL 8.
func TestWeightsOfTexts(t *testing.T) {
	for c, want := range map[Collation]string{Bin: "0000610000e901f600000020", General: "00410045fffd0020", Unicode: "0e330e8bfffd0209",
		Bin0900: "61c3a9f09f988020"} {
		require.Equal(t, want, hex.EncodeToString(c.AppendWeights(nil, []byte("aé😀 "))), "%s", c)
	}
}

// TestCompareIsAnOrder: two texts have the same key exactly if they are equal, and any three are ordered.
func TestCompareIsAnOrder(t *testing.T) {
	const seed = 20261126
	r := rand.New(rand.NewPCG(seed, 0))
	for range 100_000 {
		a, b, c := randomText(r), randomText(r), randomText(r)
		for by := range count {
			ab, bc, ac := by.Compare(a, b), by.Compare(b, c), by.Compare(a, c)
			require.Equal(t, -ab, by.Compare(b, a), "%q and %q by %s", a, b, by)
			require.Equal(t, ab == 0, bytes.Equal(by.AppendKey(nil, a), by.AppendKey(nil, b)), "%q and %q by %s", a, b, by)
			if ab <= 0 && bc <= 0 {
				require.LessOrEqual(t, ac, min(ab, bc), "%q, %q and %q by %s", a, b, c, by)
			}
			spaced := append(bytes.Clone(a), "  "...)
			require.Equal(t, by.PadsSpaces(), by.Compare(a, spaced) == 0, "%q by %s", a, by)
			require.False(t, by.EqualUnpadded(a, spaced), "%q by %s", a, by)
		}
	}
}

// TestFinerCollations: texts that are equal with accents or case are equal without, and equal bytes are equal
// in all.
func TestFinerCollations(t *testing.T) {
	r := rand.New(rand.NewPCG(20261127, 0))
	for range 100_000 {
		a, b := randomText(r), randomText(r)
		finer := Bin0900.Compare(a, b)
		for _, by := range []Collation{AccentsCase, Accents, AccentsNot} {
			order := by.Compare(a, b)
			if finer == 0 {
				require.Zero(t, order, "%q and %q by %s", a, b, by)
			}
			if by != AccentsCase && order != 0 {
				require.Equal(t, order, finer, "%q and %q by %s", a, b, by)
			}
			finer = order
		}
	}
}

// TestWeightsOfPyuca compares the weights of random texts with those of pyuca, which implements the whole
// algorithm of 9.0.0, for texts that are normalized and have no contractions.
func TestWeightsOfPyuca(t *testing.T) {
	recorded, err := os.ReadFile("testdata/pyuca900.txt")
	require.NoError(t, err)
	texts := 0
	for line := range strings.Lines(string(recorded)) {
		fields := strings.Fields(line)
		text, err := hex.DecodeString(fields[0])
		require.NoError(t, err)
		weights := strings.ReplaceAll(strings.Join(fields[1:], "0000"), "-", "")
		require.Equal(t, weights, hex.EncodeToString(AccentsCase.AppendKey(nil, text)), "%q", text)
		texts++
	}
	require.Equal(t, 1500, texts)
}

// TestExamples has examples of MySQL's manual and the Unicode Collation Algorithm.
func TestExamples(t *testing.T) {
	for _, each := range []struct {
		by   Collation
		a, b string
		want int
	}{
		{General, "ß", "s", 0}, {Unicode, "ß", "ss", 0}, {Unicode520, "ß", "ss", 0}, {AccentsNot, "ß", "ss", 0}, {AccentsCase, "ß", "ss", 1},
		{General, "😀", "😁", 0}, {Unicode, "😀", "😁", 0}, {Unicode520, "😀", "😁", -1}, {AccentsNot, "😀", "😁", -1},
		{Unicode, "a", "a ", 0}, {AccentsNot, "a", "a ", -1}, {Bin, "a", "a ", 0}, {Bin0900, "a", "a ", -1}, {Unicode, "a", "a\t", 1},
		{AccentsNot, "resume", "RÉSUMÉ", 0}, {Accents, "resume", "résumé", -1}, {Accents, "résumé", "RÉSUMÉ", 0}, {AccentsCase, "résumé", "RÉSUMÉ", -1},
		{AccentsNot, "e\u0301", "é", 0}, {AccentsCase, "e\u0301", "é", 0}, {Unicode, "e\u0301", "E", 0}, {General, "e\u0301", "e", 1},
		{AccentsNot, "a-b", "ab", -1}, {AccentsNot, "가", "\u1100\u1161", 0}, {AccentsCase, "가", "\u1100\u1161", 1}, {Unicode, "가", "\u1100\u1161", 1},
		{AccentsNot, "一", "丁", -1}, {AccentsNot, "一", "㐀", -1}, {AccentsNot, "\u0378", "一", 1}, {Unicode, "ł", "l", 1}, {Unicode520, "ł", "l", 0},
	} {
		require.Equal(t, each.want, each.by.Compare([]byte(each.a), []byte(each.b)), "%s and %s by %s", each.a, each.b, each.by)
	}
}

func BenchmarkCompare(b *testing.B) {
	texts := [][2]string{{"The quick brown fox jumps", "the quick brown fox jumpS"}, {"Ärger über Öl", "ärger Über öl"}}
	for _, by := range []Collation{General, Unicode, AccentsNot, AccentsCase} {
		for i, what := range []string{"ascii", "accents"} {
			x, y := []byte(texts[i][0]), []byte(texts[i][1])
			b.Run(by.String()+"/"+what, func(b *testing.B) {
				for b.Loop() {
					by.Compare(x, y)
				}
			})
		}
	}
}
