package rights

import (
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strconv"
	"strings"
)

// The plugins by which passwords are checked.
const (
	NativePassword = "mysql_native_password"
	CachingSHA2    = "caching_sha2_password"
	// DefaultPlugin is the plugin of accounts that name none. Clients of MySQL 9 do not have the other one.
	DefaultPlugin = CachingSHA2
)

// NewSecret is a plugin's stored form of a password; empty for an empty password.
func NewSecret(plugin, password string) string {
	switch {
	case password == "":
		return ""
	case plugin == CachingSHA2:
		return newSHA2Secret(password)
	}
	one := sha1.Sum([]byte(password))
	two := sha1.Sum(one[:])
	return "*" + strings.ToUpper(hex.EncodeToString(two[:]))
}

// ValidSecret reports whether a text is a possible secret of the plugin.
func ValidSecret(plugin, secret string) bool {
	if plugin == CachingSHA2 {
		_, _, ok := splitSHA2(secret)
		return ok
	}
	digits, ok := strings.CutPrefix(secret, "*")
	digest, err := hex.DecodeString(digits)
	return ok && err == nil && len(digest) == sha1.Size
}

// The secret of caching_sha2_password is $A$, the rounds in thousands as three hexadecimal digits, $, a salt
// of 20 bytes and the password's SHA-256 crypt (https://www.akkadia.org/drepper/SHA-crypt.txt).
const (
	sha2Salt    = 20
	sha2Rounds  = 5000
	sha2Prefix  = "$A$005$"
	crypted     = 43 // characters
	maxPassword = 256
)

func newSHA2Secret(password string) string {
	salt := make([]byte, sha2Salt)
	rand.Read(salt) // it never fails
	for i, c := range salt {
		salt[i] = cryptDigits[c&63]
	}
	return sha2Prefix + string(salt) + sha256Crypt(password, salt, sha2Rounds)
}

// splitSHA2 splits a secret.
func splitSHA2(secret string) (salt []byte, rounds int, ok bool) {
	rest, ok := strings.CutPrefix(secret, "$A$")
	if !ok || len(rest) != 4+sha2Salt+crypted || rest[3] != '$' {
		return nil, 0, false
	}
	thousands, err := strconv.ParseUint(rest[:3], 16, 16)
	if err != nil || thousands == 0 {
		return nil, 0, false
	}
	return []byte(rest[4 : 4+sha2Salt]), int(thousands) * 1000, true
}

// CheckSHA2 reports whether a secret of CachingSHA2 belongs to the password.
func CheckSHA2(secret, password string) bool {
	salt, rounds, ok := splitSHA2(secret)
	if !ok || len(password) > maxPassword {
		return false
	}
	want := secret[len(secret)-crypted:]
	return subtle.ConstantTimeCompare([]byte(sha256Crypt(password, salt, rounds)), []byte(want)) == 1
}

// sha256Crypt follows the steps of the specification, whose numbers it quotes.
func sha256Crypt(password string, salt []byte, rounds int) string {
	key := []byte(password)
	b := sha256.New() // 4-8
	b.Write(key)
	b.Write(salt)
	b.Write(key)
	other := b.Sum(nil)
	a := sha256.New() // 1-3
	a.Write(key)
	a.Write(salt)
	a.Write(repeated(other, len(key)))  // 9-10
	for n := len(key); n > 0; n >>= 1 { // 11
		if n&1 != 0 {
			a.Write(other)
		} else {
			a.Write(key)
		}
	}
	digest := a.Sum(nil)
	p, s := sequences(key, salt, digest[0])
	for i := range rounds { // 21
		digest = cryptRound(i, digest, p, s)
	}
	return encodeCrypt(digest)
}

// sequences are P and S, steps 13 to 20.
func sequences(key, salt []byte, first byte) (p, s []byte) {
	dp, ds := sha256.New(), sha256.New()
	for range key {
		dp.Write(key)
	}
	for range 16 + int(first) {
		ds.Write(salt)
	}
	return repeated(dp.Sum(nil), len(key)), repeated(ds.Sum(nil), len(salt))
}

func cryptRound(i int, digest, p, s []byte) []byte {
	c := sha256.New()
	if i%2 != 0 {
		c.Write(p)
	} else {
		c.Write(digest)
	}
	if i%3 != 0 {
		c.Write(s)
	}
	if i%7 != 0 {
		c.Write(p)
	}
	if i%2 != 0 {
		c.Write(digest)
	} else {
		c.Write(p)
	}
	return c.Sum(digest[:0])
}

// repeated is b, repeated up to n bytes.
func repeated(b []byte, n int) []byte {
	out := make([]byte, 0, n+len(b))
	for len(out) < n {
		out = append(out, b...)
	}
	return out[:n]
}

const cryptDigits = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// encodeCrypt is step 22: groups of three bytes that are ten apart, rotated from group to group, as four
// digits of six bits from the lowest.
func encodeCrypt(d []byte) string {
	out := make([]byte, 0, crypted)
	i, j, k := 0, 10, 20
	for range 10 {
		out = appendDigits(out, d[i], d[j], d[k], 4)
		i, j, k = k+1, i+1, j+1
	}
	return string(appendDigits(out, 0, d[31], d[30], 3))
}

func appendDigits(out []byte, high, middle, low byte, n int) []byte {
	w := uint(high)<<16 | uint(middle)<<8 | uint(low)
	for range n {
		out = append(out, cryptDigits[w&63])
		w >>= 6
	}
	return out
}
