package rights

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"sync"
)

// Decoy is an account in place of one that does not exist, so that a client cannot tell which accounts exist:
// its plugin is one that real accounts have, and always the same for the same name.
func (a *Accounts) Decoy(user string) *Account {
	plugin := a.decoyPlugin(user)
	if plugin == CachingSHA2 {
		return &Account{Plugin: plugin, Secret: decoySHA2()}
	}
	return &Account{Plugin: plugin, Secret: NewSecret(plugin, rand.Text())}
}

// decoySHA2 is made only once, since that takes as long as checking a password.
var decoySHA2 = sync.OnceValue(func() string { return NewSecret(CachingSHA2, rand.Text()) })

// decoyPlugin chooses by a hash of the name under a secret key.
func (a *Accounts) decoyPlugin(user string) string {
	var used []string
	for _, plugin := range []string{NativePassword, CachingSHA2} {
		if slices.ContainsFunc(a.sorted, func(each *Account) bool { return each.Plugin == plugin && each.Secret != "" }) {
			used = append(used, plugin)
		}
	}
	if len(used) == 0 {
		return NativePassword
	}
	hash := hmac.New(sha256.New, a.secretKey())
	hash.Write([]byte(user))
	return used[int(hash.Sum(nil)[0])%len(used)]
}

// secretKey is the key that is stored with the accounts, so that a name gets the same plugin after a restart.
// Accounts of a file have none; their contents are as secret.
func (a *Accounts) secretKey() []byte {
	if a.key != nil {
		return a.key
	}
	hash := sha256.New()
	for _, each := range a.sorted {
		hash.Write([]byte(each.Name.String() + each.Secret))
	}
	return hash.Sum(nil)
}

// newKey is a random key.
func newKey() []byte {
	key := make([]byte, sha256.Size)
	rand.Read(key) // it never fails
	return key
}
