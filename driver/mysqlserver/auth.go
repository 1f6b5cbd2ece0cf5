package mysqlserver

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"strings"
	"sync"

	"github.com/hbasekv/hbasekv/driver/internal/client"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// nonceLength is the length of the random bytes that a client mixes with its password.
const nonceLength = 20

// authentication is one login attempt.
type authentication struct {
	*conn
	account *rights.Account
	known   bool // the account exists
	// usedPassword says, for the error, whether a password was sent.
	usedPassword bool
}

// check exchanges packets with the client until it is known whether its password is
// right. plugin and answer are what it sent in response to the greeting's nonce.
func (a *authentication) check(plugin string, answer []byte) (bool, error) {
	wanted := a.wants(plugin)
	if wanted != plugin || plugin != rights.NativePassword && len(answer) == 0 { // it has not seen a nonce of its plugin
		var err error
		if answer, err = a.switchTo(wanted); err != nil {
			return false, err
		}
	}
	if wanted == rights.CachingSHA2 && string(answer) == "\x00" { // its empty password
		answer = nil
	}
	if a.usedPassword = len(answer) > 0; !a.usedPassword || a.account.Secret == "" {
		return a.known && !a.usedPassword && a.account.Secret == "", nil
	}
	if a.account.Plugin == rights.CachingSHA2 {
		return a.checkSHA2(answer)
	}
	return a.known && a.checkNative(answer), nil
}

// wants is the plugin that the client must use. For an account without a password it is the
// client's own: clients of MySQL 9 know only caching_sha2_password, and old ones do not know it.
func (a *authentication) wants(plugin string) string {
	if a.account.Secret == "" && (plugin == rights.NativePassword || plugin == rights.CachingSHA2) {
		return plugin
	}
	return a.account.Plugin
}

// switchTo requests the answer of another plugin, with the greeting's nonce as in MySQL:
// to change the user, some clients mix that one with the password and some the new one.
func (a *authentication) switchTo(plugin string) ([]byte, error) {
	b := append(a.Begin(), eofHeader)
	b = packet.AppendTerminated(b, plugin)
	b = append(append(b, a.nonce...), 0)
	return a.ask(b)
}

// ask sends a packet and reads the client's answer.
func (a *authentication) ask(b []byte) ([]byte, error) {
	if err := a.End(b); err != nil {
		return nil, err
	}
	if err := a.Flush(); err != nil {
		return nil, err
	}
	return a.Read()
}

// checkNative recovers SHA1(password) from the answer, which is its XOR with
// SHA1(nonce, SHA1(SHA1(password))).
func (a *authentication) checkNative(answer []byte) bool {
	stored, err := hex.DecodeString(strings.TrimPrefix(a.account.Secret, "*"))
	if err != nil || len(answer) != sha1.Size {
		return false
	}
	mixed := sha1.Sum(append(a.nonce[:nonceLength:nonceLength], stored...))
	subtle.XORBytes(mixed[:], mixed[:], answer)
	again := sha1.Sum(mixed[:])
	return subtle.ConstantTimeCompare(again[:], stored) == 1
}

// checkSHA2 needs only the answer if the account has logged in before; otherwise it
// asks for the password itself.
func (a *authentication) checkSHA2(answer []byte) (bool, error) {
	if a.quickSHA2(answer) {
		return true, a.End(append(a.Begin(), moreDataAuth, 3))
	}
	password, err := a.askPassword()
	if err != nil {
		return false, err
	}
	if same := rights.CheckSHA2(a.account.Secret, password); !same || !a.known { // both take equally long
		return false, nil
	}
	one := sha256.Sum256([]byte(password))
	a.server.digests.remember(a.account.Secret, sha256.Sum256(one[:]))
	return true, nil
}

// quickSHA2 recovers SHA256(password) from the answer, which is its XOR with
// SHA256(SHA256(SHA256(password)), nonce).
func (a *authentication) quickSHA2(answer []byte) bool {
	digest, ok := a.server.digests.of(a.account.Secret)
	if !ok || !a.known || len(answer) != sha256.Size {
		return false
	}
	mixed := sha256.Sum256(append(digest[:len(digest):len(digest)], a.nonce...))
	subtle.XORBytes(mixed[:], mixed[:], answer)
	again := sha256.Sum256(mixed[:])
	return subtle.ConstantTimeCompare(again[:], digest[:]) == 1
}

// askPassword gets the password: in clear if nobody else can read it, otherwise encrypted with
// the server's public key, which a client on the same machine may omit.
func (a *authentication) askPassword() (string, error) {
	sent, err := a.ask(append(a.Begin(), moreDataAuth, 4))
	if err != nil {
		return "", err
	}
	if a.private() {
		return strings.TrimSuffix(string(sent), "\x00"), nil
	}
	key, local := serverKey(), client.IsLocal(a.socket.RemoteAddr())
	if len(sent) == 1 && sent[0] == 2 { // it requests the public key
		local = false
		b := append(a.Begin(), moreDataAuth)
		if sent, err = a.ask(append(b, publicPEM(key)...)); err != nil {
			return "", err
		}
	}
	plain, err := rsa.DecryptOAEP(sha1.New(), rand.Reader, key, sent, nil)
	switch {
	case err != nil && local: // MariaDB's client library does not encrypt on its own machine
		return strings.TrimSuffix(string(sent), "\x00"), nil
	case err != nil:
		return "", nil // a wrong password
	}
	for i := range plain {
		plain[i] ^= a.nonce[i%nonceLength]
	}
	return strings.TrimSuffix(string(plain), "\x00"), nil
}

// serverKey is the key pair with which clients without TLS send their passwords. It
// is generated for the first of them.
var serverKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // the random source never fails
	}
	return key
})

func publicPEM(key *rsa.PrivateKey) []byte {
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		panic(err) // an RSA key can always be written
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// randomPrintable is n random bytes, none of them zero or $.
func randomPrintable(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails
	for i := range b {
		if b[i] &= 0x7f; b[i] == 0 || b[i] == '$' {
			b[i]++
		}
	}
	return b
}

// maxDigests is the maximum number of digests that are kept.
const maxDigests = 4096

// digests are SHA256(SHA256(password)) of the accounts that have logged in, by their secret.
type digests struct {
	mu   sync.Mutex
	list map[string][32]byte
}

func (d *digests) of(secret string) ([32]byte, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	digest, ok := d.list[secret]
	return digest, ok
}

func (d *digests) remember(secret string, digest [32]byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.list == nil || len(d.list) >= maxDigests {
		d.list = map[string][32]byte{}
	}
	d.list[secret] = digest
}
