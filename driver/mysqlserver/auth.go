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

// nonceLength is how many random bytes a client mixes with its password.
const nonceLength = 20

// authentication is one attempt to log in.
type authentication struct {
	*conn
	account *rights.Account
	known   bool // the account is one
	// usedPassword says in the error whether one was sent.
	usedPassword bool
}

// check asks the client until it has shown that it knows the password, or not. plugin
// and answer are what it sent with the greeting's nonce.
func (a *authentication) check(plugin string, answer []byte) (bool, error) {
	wanted := a.wants(plugin)
	if wanted != plugin || plugin != rights.NativePassword && len(answer) == 0 { // it has seen no nonce of its plugin
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

// wants is the plugin that the client is to answer by. An account without a password takes what the
// client has: clients of MySQL 9 know caching_sha2_password alone, and old ones do not know it.
func (a *authentication) wants(plugin string) string {
	if a.account.Secret == "" && (plugin == rights.NativePassword || plugin == rights.CachingSHA2) {
		return plugin
	}
	return a.account.Plugin
}

// switchTo asks for another plugin's answer, with the greeting's nonce as MySQL does: to
// change the user, some clients mix the one and some the other with the password.
func (a *authentication) switchTo(plugin string) ([]byte, error) {
	b := append(a.Begin(), eofHeader)
	b = packet.AppendTerminated(b, plugin)
	b = append(append(b, a.nonce...), 0)
	return a.ask(b)
}

// ask sends a packet and reads what the client answers.
func (a *authentication) ask(b []byte) ([]byte, error) {
	if err := a.End(b); err != nil {
		return nil, err
	}
	if err := a.Flush(); err != nil {
		return nil, err
	}
	return a.Read()
}

// checkNative takes SHA1(password) out of the answer, which is that combined with
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

// checkSHA2 is done with the answer where the account has logged in before, and else
// asks for the password itself.
func (a *authentication) checkSHA2(answer []byte) (bool, error) {
	if a.quickSHA2(answer) {
		return true, a.End(append(a.Begin(), moreDataAuth, 3))
	}
	password, err := a.askPassword()
	if err != nil {
		return false, err
	}
	if same := rights.CheckSHA2(a.account.Secret, password); !same || !a.known { // which take as long
		return false, nil
	}
	one := sha256.Sum256([]byte(password))
	a.server.digests.remember(a.account.Secret, sha256.Sum256(one[:]))
	return true, nil
}

// quickSHA2 takes SHA256(password) out of the answer, which is that combined with
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

// askPassword gets the password: as it is where nobody else can read it, else encrypted with the
// server's public key, which a client of the same machine may leave out.
func (a *authentication) askPassword() (string, error) {
	sent, err := a.ask(append(a.Begin(), moreDataAuth, 4))
	if err != nil {
		return "", err
	}
	if a.private() {
		return strings.TrimSuffix(string(sent), "\x00"), nil
	}
	key, local := serverKey(), client.IsLocal(a.socket.RemoteAddr())
	if len(sent) == 1 && sent[0] == 2 { // it has no key, and is going to use it
		local = false
		b := append(a.Begin(), moreDataAuth)
		if sent, err = a.ask(append(b, publicPEM(key)...)); err != nil {
			return "", err
		}
	}
	plain, err := rsa.DecryptOAEP(sha1.New(), rand.Reader, key, sent, nil)
	switch {
	case err != nil && local: // MariaDB's client library encrypts nothing on its own machine
		return strings.TrimSuffix(string(sent), "\x00"), nil
	case err != nil:
		return "", nil // a wrong password
	}
	for i := range plain {
		plain[i] ^= a.nonce[i%nonceLength]
	}
	return strings.TrimSuffix(string(plain), "\x00"), nil
}

// serverKey is the key pair under which clients without TLS send their passwords. It
// is made for the first of them.
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

// randomPrintable is n random bytes, of which none is zero or $.
func randomPrintable(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // which never fails
	for i := range b {
		if b[i] &= 0x7f; b[i] == 0 || b[i] == '$' {
			b[i]++
		}
	}
	return b
}

// maxDigests is how many passwords are known by their digests.
const maxDigests = 4096

// digests are SHA256(SHA256(password)) by the secret of those who have logged in.
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
