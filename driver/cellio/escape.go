package cellio

import (
	"fmt"
	"strconv"
	"strings"
)

const upperHex, lowerHex = "0123456789ABCDEF", "0123456789abcdef"

// appendEscaped writes bytes as HBase does: the backslash, and what is not
// printable ASCII, as \xNN. plain decides about the others.
func appendEscaped(out, b []byte, digits string, plain func(c byte) bool) []byte {
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\\' || !plain(c) {
			out = append(out, '\\', 'x', digits[c>>4], digits[c&15])
			continue
		}
		out = append(out, c)
	}
	return out
}

func everything(byte) bool { return true }

// unescape reads \xNN; a backslash before anything else is an error, unless
// letStand is set. The result is never nil.
func unescape(s string, letStand bool) ([]byte, error) {
	out := make([]byte, 0, len(s))
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			return append(out, s...), nil
		}
		out, s = append(out, s[:i]...), s[i:]
		if len(s) >= 4 && (s[1] == 'x' || s[1] == 'X') {
			if b, err := strconv.ParseUint(s[2:4], 16, 8); err == nil {
				out, s = append(out, byte(b)), s[4:]
				continue
			}
		}
		if !letStand {
			return nil, fmt.Errorf(`a backslash stands for a byte as in \x0a, not %q`, s[:min(len(s), 4)])
		}
		out, s = append(out, '\\'), s[1:]
	}
}
