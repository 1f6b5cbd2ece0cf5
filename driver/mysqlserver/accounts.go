package mysqlserver

import (
	"bufio"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
)

// The authentication plugins that an Account may have.
const (
	NativePassword = "mysql_native_password"
	CachingSHA2    = "caching_sha2_password"
)

// Account is one who may log in.
type Account struct {
	User string
	// Host is from where, as MySQL's patterns of % and _; localhost is a socket and
	// the loopback addresses. Empty is localhost.
	Host string
	// Plugin is NativePassword or CachingSHA2; empty is NativePassword.
	Plugin string
	// Secret is what the plugin keeps of the password, as MySQL's
	// authentication_string; empty where none is asked for.
	Secret string
	// RequireTLS refuses a login without TLS, RequireX509 one without a certificate
	// of the client that Options.TLS has verified.
	RequireTLS, RequireX509 bool
}

// NewAccount makes an account with a password. It fails for an unknown plugin.
func NewAccount(user, host, plugin, password string) (Account, error) {
	a := Account{User: user, Host: host, Plugin: plugin}
	if err := a.complete(); err != nil {
		return a, err
	}
	switch {
	case password == "":
	case a.Plugin == CachingSHA2:
		a.Secret = newSHA2Secret(password)
	default:
		a.Secret = nativeSecret(password)
	}
	return a, nil
}

// complete fills in the defaults, and checks the rest.
func (a *Account) complete() error {
	if a.Host == "" {
		a.Host = "localhost"
	}
	if a.Plugin == "" {
		a.Plugin = NativePassword
	}
	ok := a.Secret == ""
	switch a.Plugin {
	case NativePassword:
		ok = ok || validNative(a.Secret)
	case CachingSHA2:
		_, _, valid := splitSHA2(a.Secret)
		ok = ok || valid
	default:
		return fmt.Errorf("the account %s has the plugin %q: use %s or %s", a, a.Plugin, NativePassword, CachingSHA2)
	}
	if !ok {
		return fmt.Errorf("the account %s has a secret that is not one of %s", a, a.Plugin)
	}
	return nil
}

// String is user@host.
func (a *Account) String() string { return a.User + "@" + a.Host }

// nativeSecret is * and the hexadecimal SHA1(SHA1(password)).
func nativeSecret(password string) string {
	one := sha1.Sum([]byte(password))
	two := sha1.Sum(one[:])
	return "*" + strings.ToUpper(hex.EncodeToString(two[:]))
}

func validNative(secret string) bool {
	digest, err := hex.DecodeString(strings.TrimPrefix(secret, "*"))
	return err == nil && len(digest) == sha1.Size && secret[0] == '*'
}

// Accounts are those who may log in. It may be used by many goroutines, and changed
// while a server uses it.
type Accounts struct {
	mu   sync.RWMutex
	list []Account // those with fewer wildcards first
	// digests are SHA256(SHA256(password)) by the secret of those who have logged in.
	digests map[string][32]byte
}

// NewAccounts is a list of accounts; later ones of a user and a host replace
// earlier ones.
func NewAccounts(list ...Account) (*Accounts, error) {
	a := &Accounts{}
	return a, a.Replace(list)
}

// Replace puts other accounts in the place of all. After an error they are as they
// were.
func (a *Accounts) Replace(list []Account) error {
	sorted := make([]Account, 0, len(list))
	for _, each := range list {
		if err := each.complete(); err != nil {
			return err
		}
		same := func(o Account) bool { return o.User == each.User && o.Host == each.Host }
		sorted = append(slices.DeleteFunc(sorted, same), each)
	}
	slices.SortStableFunc(sorted, func(x, y Account) int { return wildness(x.Host) - wildness(y.Host) })
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list, a.digests = sorted, nil
	return nil
}

// wildness is how little a pattern says.
func wildness(host string) int {
	n := strings.IndexAny(host, "%_")
	if n < 0 {
		return -1
	}
	return 1<<10 - n
}

// find is the account of a user who comes from one of those hosts.
func (a *Accounts) find(user string, hosts []string) (Account, bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	for _, each := range a.list {
		if each.User == user && slices.ContainsFunc(hosts, func(h string) bool { return likeHost(each.Host, h) }) {
			return each, true
		}
	}
	return Account{}, false
}

// decoy is what one who has no account is asked, as those are who have one.
func (a *Accounts) decoy() Account {
	a.mu.RLock()
	defer a.mu.RUnlock()
	for _, each := range a.list {
		if each.Plugin == CachingSHA2 && each.Secret != "" {
			return Account{Plugin: CachingSHA2, Secret: decoySHA2()}
		}
	}
	return Account{Plugin: NativePassword, Secret: nativeSecret(string(randomPrintable(nonceLength)))}
}

var decoySHA2 = sync.OnceValue(func() string { return newSHA2Secret(string(randomPrintable(nonceLength))) })

// open are the accounts that need no password.
func (a *Accounts) open() []string {
	a.mu.RLock()
	defer a.mu.RUnlock()
	var out []string
	for _, each := range a.list {
		if each.Secret == "" && !each.RequireX509 {
			out = append(out, each.String())
		}
	}
	return out
}

func (a *Accounts) empty() bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return len(a.list) == 0
}

func (a *Accounts) digest(secret string) ([32]byte, bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	d, ok := a.digests[secret]
	return d, ok
}

func (a *Accounts) remember(secret string, digest [32]byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.digests == nil {
		a.digests = map[string][32]byte{}
	}
	a.digests[secret] = digest
}

// likeHost matches a host with a pattern, in which % is any text and _ any
// character.
func likeHost(pattern, host string) bool {
	pattern, host = strings.ToLower(pattern), strings.ToLower(host)
	for i := 0; i < len(pattern); i++ {
		switch {
		case pattern[i] == '%':
			for ; host != ""; host = host[1:] {
				if likeHost(pattern[i+1:], host) {
					return true
				}
			}
		case host == "":
			return false
		case pattern[i] != '_' && pattern[i] != host[0]:
			return false
		default:
			host = host[1:]
		}
	}
	return host == ""
}

// ReadAccountsFile reads accounts, one a line: user@host, the plugin, its secret or -
// where there is no password, and REQUIRE SSL or REQUIRE X509 where that is asked
// for. Empty lines and those that begin with # say nothing. The file must be readable by
// its owner alone.
func ReadAccountsFile(path string) ([]Account, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("the accounts' file %s may be read by others than its owner: chmod 600", path)
	}
	list, err := readAccounts(f)
	if err != nil {
		return nil, fmt.Errorf("the accounts' file %s: %w", path, err)
	}
	return list, nil
}

func readAccounts(r io.Reader) ([]Account, error) {
	var list []Account
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		a, err := readAccount(words)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err) // which quotes no secret
		}
		list = append(list, a)
	}
	return list, lines.Err()
}

func readAccount(words []string) (Account, error) {
	user, host, ok := cutLast(words[0], "@")
	if !ok || len(words) < 3 {
		return Account{}, fmt.Errorf("write user@host, a plugin and a secret or -")
	}
	a := Account{User: user, Host: host, Plugin: words[1]}
	if a.Secret = words[2]; a.Secret == "-" {
		a.Secret = ""
	} else if digits, ok := strings.CutPrefix(a.Secret, "0x"); ok {
		raw, err := hex.DecodeString(digits)
		if err != nil {
			return a, fmt.Errorf("the account %s has a secret that is not hexadecimal", &a)
		}
		a.Secret = string(raw)
	}
	switch strings.ToUpper(strings.Join(words[3:], " ")) {
	case "":
	case "REQUIRE SSL":
		a.RequireTLS = true
	case "REQUIRE X509":
		a.RequireTLS, a.RequireX509 = true, true
	default:
		return a, fmt.Errorf("behind the secret of %s: write REQUIRE SSL, REQUIRE X509 or nothing", &a)
	}
	return a, a.complete()
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// FormatAccount is the line of an account in an accounts' file.
func FormatAccount(a Account) string {
	secret := a.Secret
	switch {
	case secret == "":
		secret = "-"
	case a.Plugin == CachingSHA2: // which has bytes of any kind in it
		secret = "0x" + hex.EncodeToString([]byte(secret))
	}
	line := a.User + "@" + a.Host + " " + a.Plugin + " " + secret
	switch {
	case a.RequireX509:
		line += " REQUIRE X509"
	case a.RequireTLS:
		line += " REQUIRE SSL"
	}
	return line
}
