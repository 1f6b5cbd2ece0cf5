package function

import (
	"crypto/rand"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/recode"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Miscellaneous functions
// (https://dev.mysql.com/doc/refman/5.7/en/miscellaneous-functions.html).
func init() {
	Register(map[string]*Function{
		"ANY_VALUE":    {Min: 1, Max: 1, Type: func(a Args) value.Type { return a.Types[0] }, Nulls: true, Eval: evalFirst},
		"SLEEP":        {Min: 1, Max: 1, Type: SmallNotNull, Nulls: true, Eval: evalSleep, Volatile: true, Numbers: 1},
		"UUID_SHORT":   {Type: FixedNotNull(value.Uint), Eval: evalUUIDShort, Volatile: true},
		"RANDOM_BYTES": {Min: 1, Max: 1, Type: Fixed(value.Bytes), Eval: evalRandomBytes, Volatile: true, Numbers: 1},
		"INET_ATON":    {Min: 1, Max: 1, Type: Maybe(value.Uint), Eval: evalInetAton},
		"INET_NTOA":    {Min: 1, Max: 1, Type: Maybe(value.Text), Eval: evalInetNtoa, Numbers: 1},
		"INET6_ATON":   {Min: 1, Max: 1, Type: Maybe(value.Bytes), Eval: evalInet6Aton},
		"INET6_NTOA":   {Min: 1, Max: 1, Type: Maybe(value.Text), Eval: evalInet6Ntoa},
		"IS_IPV4":      isAddress(netip.Addr.Is4),
		"IS_IPV6":      isAddress(netip.Addr.Is6),

		"CHARSET":   {Min: 1, Max: 1, Type: FixedNotNull(value.Text), Nulls: true, Typed: evalCharset("utf8mb4", "binary")},
		"COLLATION": {Min: 1, Max: 1, Type: FixedNotNull(value.Text), Nulls: true, Typed: evalCharset("utf8mb4_general_ci", "binary")},
	})
}

// lastShort is the last UUID_SHORT. As in MySQL it begins with the server's number, 1, and the seconds of its
// start, so that values do not repeat after a restart.
var lastShort atomic.Uint64

func init() { lastShort.Store(1<<56 | uint64(uint32(time.Now().Unix()))<<24) }

func evalUUIDShort(*Env, []value.Value) (value.Value, error) {
	return value.NewUint(lastShort.Add(1)), nil
}

func evalFirst(_ *Env, args []value.Value) (value.Value, error) { return args[0], nil }

// evalSleep waits; if the context is done it returns its error.
func evalSleep(env *Env, args []value.Value) (value.Value, error) {
	seconds, err := env.Float(args[0])
	if err != nil || args[0].IsNull() || seconds < 0 {
		if err == nil {
			err = env.Warn(mysqlerr.WrongArguments, "Incorrect arguments to sleep.")
		}
		return value.NewInt(0), err
	}
	timer := time.NewTimer(time.Duration(min(seconds, 1e9) * float64(time.Second)))
	defer timer.Stop()
	var done <-chan struct{}
	if env.Ctx != nil {
		done = env.Ctx.Done()
	}
	select {
	case <-timer.C:
		return value.NewInt(0), nil
	case <-done:
		return value.Value{}, env.Ctx.Err()
	}
}

// RandomBytes is n unpredictable bytes.
func RandomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

func evalRandomBytes(env *Env, args []value.Value) (value.Value, error) {
	n, err := env.Integer(args[0])
	if err != nil {
		return value.Value{}, err
	}
	if n < 1 || n > 1024 {
		return value.Value{}, mysqlerr.New(mysqlerr.DataOutOfRange, "length value is out of range in 'random_bytes'")
	}
	return value.NewBytes(RandomBytes(int(n))), nil
}

// maxAddress is longer than any address, in bytes.
const maxAddress = 64

// addressText is a text that may be an address, cut if it is too long for one.
func addressText(v value.Value) string {
	b := v.AsBytes()
	return string(b[:min(len(b), maxAddress)])
}

// evalInetAton reads a.b.c.d, a.b.d or a.d, as inet_aton does.
func evalInetAton(_ *Env, args []value.Value) (value.Value, error) {
	parts := strings.SplitN(addressText(args[0]), ".", 5)
	var n uint64
	for i, p := range parts {
		b, err := strconv.ParseUint(p, 10, 8)
		if err != nil || len(parts) > 4 {
			return value.Value{}, nil
		}
		if i == len(parts)-1 {
			n <<= 8 * (4 - uint(i))
			return value.NewUint(n | b), nil
		}
		n = n<<8 | b
	}
	return value.Value{}, nil
}

func evalInetNtoa(env *Env, args []value.Value) (value.Value, error) {
	n, err := env.Integer(args[0])
	if err != nil || n < 0 || n > 1<<32-1 {
		return value.Value{}, err
	}
	return value.NewString(netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}).String()), nil
}

func evalInet6Aton(_ *Env, args []value.Value) (value.Value, error) {
	addr, err := netip.ParseAddr(addressText(args[0]))
	if err != nil || addr.Zone() != "" {
		return value.Value{}, nil
	}
	return value.NewBytes(addr.AsSlice()), nil
}

func evalInet6Ntoa(_ *Env, args []value.Value) (value.Value, error) {
	addr, ok := netip.AddrFromSlice(args[0].AsBytes())
	if !ok {
		return value.Value{}, nil
	}
	return value.NewString(addr.String()), nil
}

func isAddress(is func(netip.Addr) bool) *Function {
	return &Function{Min: 1, Max: 1, Type: SmallNotNull, Nulls: true, Eval: func(_ *Env, args []value.Value) (value.Value, error) {
		addr, err := netip.ParseAddr(addressText(args[0]))
		return value.NewBool(err == nil && addr.Zone() == "" && is(addr)), nil
	}}
}

// evalCharset distinguishes text from binary strings and numbers.
func evalCharset(text, binary string) func(value.Type, []value.Type) Eval {
	return func(_ value.Type, types []value.Type) Eval {
		return func(_ *Env, args []value.Value) (value.Value, error) {
			if set := recode.Find(types[0].Charset); set != nil && text == "utf8mb4" {
				return value.NewString(set.Name), nil
			} else if set != nil {
				return value.NewString(set.Collation), nil
			}
			kind := types[0].Kind
			if kind == value.Null {
				kind = args[0].Kind()
			}
			if kind != value.Text && kind != value.JSON {
				return value.NewString(binary), nil
			}
			if by := types[0].Collation; strings.HasSuffix(text, "_ci") && kind == value.Text {
				if args[0].Kind() == value.Text {
					by = args[0].Collation()
				}
				return value.NewString(by.String()), nil
			}
			return value.NewString(text), nil
		}
	}
}
