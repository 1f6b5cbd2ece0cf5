package rights

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"sync"
)

// Decoy is the account that stands in for one that does not exist, so that a client cannot tell
// which accounts exist: its plugin is one that real accounts have, and always the same for one
// name.
func (a *Accounts) Decoy(user string) *Account {
	plugin := a.decoyPlugin(user)
	if plugin == CachingSHA2 {
		return &Account{Plugin: plugin, Secret: decoySHA2()}
	}
	return &Account{Plugin: plugin, Secret: NewSecret(plugin, rand.Text())}
}

// decoySHA2 is made once: that takes as long as to check a password.
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

// secretKey is the key that is kept with the accounts, lest a name be asked otherwise after a
// restart. Those of a file have none, and are as secret themselves.
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

// newKey is a key that nobody knows.
func newKey() []byte {
	key := make([]byte, sha256.Size)
	rand.Read(key) // which never fails
	return key
}
