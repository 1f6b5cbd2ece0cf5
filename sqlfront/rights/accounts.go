package rights

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Accounts are the users who may log in. They are immutable.
type Accounts struct {
	sorted []*Account // in the order in which MySQL searches them
	key    []byte     // of Decoy, stored with them; nil for accounts that are not stored
}

// NewAccounts makes Accounts of a list; a later one replaces an earlier one of the same name. The accounts
// must not be changed afterwards.
func NewAccounts(list ...*Account) *Accounts {
	return (&Accounts{}).With(list...)
}

// First are the accounts of a new store: root, who may do everything from this machine, without a password.
var First = NewAccounts(&Account{Name: Root, ID: firstID(Root), Plugin: DefaultPlugin, Global: OnAll | GrantOption})

// With are the accounts with these added, replacing those of the same names.
func (a *Accounts) With(list ...*Account) *Accounts {
	out := slices.Clone(a.sorted)
	for _, each := range list {
		same := func(o *Account) bool { return o.Name == each.Name }
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i] = each
		} else {
			out = append(out, each)
		}
	}
	slices.SortStableFunc(out, order)
	return &Accounts{out, a.key}
}

// Without are the accounts without those of these names.
func (a *Accounts) Without(gone ...Name) *Accounts {
	out := slices.DeleteFunc(slices.Clone(a.sorted), func(o *Account) bool { return slices.Contains(gone, o.Name) })
	return &Accounts{out, a.key}
}

// order is the order in which MySQL searches the account of a client: the most specific hosts first, and for
// each host the account for any user last.
func order(x, y *Account) int {
	return cmp.Or(cmp.Compare(telling(y.Host, 0), telling(x.Host, 0)), cmp.Compare(x.Host, y.Host),
		cmp.Compare(telling(y.User, 0), telling(x.User, 0)))
}

// All are the accounts, in the order in which they are searched.
func (a *Accounts) All() []*Account { return a.sorted }

// Find is the account for a client: a user who connects from a host with one of these names; nil if there is
// none.
func (a *Accounts) Find(user string, hosts []string) *Account {
	for _, each := range a.sorted {
		if (each.User == "" || each.User == user) &&
			slices.ContainsFunc(hosts, func(h string) bool { return matchesHost(each.Host, h) }) {
			return each
		}
	}
	return nil
}

// WithoutProof are the names of the accounts that need neither a password nor a certificate to log in.
func (a *Accounts) WithoutProof() (out []string) {
	for _, each := range a.sorted {
		if each.Secret == "" && !each.NeedsCertificate() && !each.Locked {
			out = append(out, each.Name.Plain())
		}
	}
	return out
}

// Get is the account of that name, or nil.
func (a *Accounts) Get(n Name) *Account {
	n.Host = strings.ToLower(n.Host)
	for _, each := range a.sorted {
		if each.Name == n {
			return each
		}
	}
	return nil
}

// Identified is the account with that identity, or nil.
func (a *Accounts) Identified(i Identity) *Account {
	for _, each := range a.sorted {
		if each.Identity() == i {
			return each
		}
	}
	return nil
}

// stored is the stored form of accounts. An earlier form was only the list.
type stored struct {
	Key      []byte     `json:"key"`
	Accounts []*Account `json:"accounts"`
}

// Encode encodes the accounts in the stored form. The error is that of encoding JSON.
func (a *Accounts) Encode() ([]byte, error) {
	key := a.key
	if key == nil {
		key = newKey()
	}
	return json.Marshal(stored{key, a.sorted})
}

// Decode reads the stored form. The error is that of reading JSON.
func Decode(data []byte) (*Accounts, error) {
	var s stored
	to := any(&s)
	if bytes.HasPrefix(data, []byte("[")) {
		to = &s.Accounts
	}
	if err := json.Unmarshal(data, to); err != nil {
		return nil, err
	}
	for _, each := range s.Accounts {
		if each.ID == 0 {
			each.ID = firstID(each.Name)
		}
	}
	out := NewAccounts(s.Accounts...)
	out.key = s.Key
	return out, nil
}
