package rights

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSHA256Crypt compares with openssl passwd -5.
func TestSHA256Crypt(t *testing.T) {
	require.Equal(t, "5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5", sha256Crypt("Hello world!", []byte("saltstring"), 5000))
	secret := NewSecret(CachingSHA2, "s3cret")
	require.True(t, CheckSHA2(secret, "s3cret"))
	require.False(t, CheckSHA2(secret, "s3cre"))
	require.True(t, ValidSecret(CachingSHA2, secret))
}

// TestNativeSecret compares with MariaDB's PASSWORD('s3cret').
func TestNativeSecret(t *testing.T) {
	require.Equal(t, "*6BB4837EB74329105EE4568DDA7DC67ED2CA2AD9", NewSecret(NativePassword, "123456"))
	require.Empty(t, NewSecret(NativePassword, ""))
	require.False(t, ValidSecret(NativePassword, "6BB4837EB74329105EE4568DDA7DC67ED2CA2AD9"))
	require.False(t, ValidSecret(NativePassword, "*12"))
}

func TestMatchesHost(t *testing.T) {
	for pattern, hosts := range map[string]map[string]bool{
		"":                          {"anywhere": true},
		"%":                         {"": true, "a": true},
		"10.0.%":                    {"10.0.0.1": true, "10.1.0.1": false, "10.0.": true},
		"10.0.0._":                  {"10.0.0.7": true, "10.0.0.77": false, "10.0.0.": false},
		"localhost":                 {"LOCALHOST": true, "localhost2": false},
		"%.x%y":                     {"a.xy": true, "a.xby": true, "a.xbyc": false},
		"192.168.4.0/255.255.252.0": {"192.168.7.9": true, "192.168.8.1": false, "localhost": false, "::1": false},
		"192.168.4.1/255.255.252.0": {"192.168.4.1": false},
		"10.0.0.0/8":                {"10.0.0.1": false},
	} {
		for host, want := range hosts {
			require.Equal(t, want, matchesHost(pattern, host), "%s %s", pattern, host)
		}
	}
}

// TestLikeIsNotExponential: patterns with many wildcards are matched in few steps.
func TestLikeIsNotExponential(t *testing.T) {
	pattern, name := "", ""
	for range 30 {
		pattern += "%a"
		name += "aa"
	}
	require.False(t, Like(pattern+"b", name, 0))
	require.True(t, Like(`a\_%`, "a_b", '\\'))
	require.False(t, Like(`a\_%`, "axb", '\\'))
}

// TestOrderOfAccounts: MySQL searches the account with the most specific host, and then for the user before
// that for any user.
func TestOrderOfAccounts(t *testing.T) {
	var list []*Account
	for _, n := range []Name{{"", "%"}, {"ann", "%"}, {"", "localhost"}, {"ann", "10.%"}, {"bob", "10.0.%"}, {"root", "localhost"}} {
		list = append(list, &Account{Name: n})
	}
	accounts := NewAccounts(list...)
	find := func(user, host string) string { return accounts.Find(user, []string{host}).Plain() }
	require.Equal(t, "@localhost", find("ann", "localhost"))
	require.Equal(t, "root@localhost", find("root", "localhost"))
	require.Equal(t, "ann@10.%", find("ann", "10.0.0.1"))
	require.Equal(t, "bob@10.0.%", find("bob", "10.0.0.1"))
	require.Equal(t, "ann@%", find("ann", "11.0.0.1"))
	require.Equal(t, "@%", find("carl", "11.0.0.1"))
	require.Nil(t, accounts.Without(Name{"", "%"}).Find("carl", []string{"11.0.0.1"}))
}

// TestEncode: what is stored can be read back.
func TestEncode(t *testing.T) {
	a := &Account{ID: NewID(), Name: Name{"ann", "%"}, Plugin: NativePassword, Secret: "*x", Require: RequireX509, Locked: true,
		Global: Select | GrantOption}
	a.Set("shop", "", OnDatabase)
	a.Set("shop", "users", Insert|Update)
	text, err := First.With(a).Encode()
	require.NoError(t, err)
	again, err := Decode(text)
	require.NoError(t, err)
	require.Equal(t, First.With(a).All(), again.All())
	require.Equal(t, a, again.Identified(a.Identity()))
	twice, err := again.Encode()
	require.NoError(t, err)
	require.Equal(t, text, twice, "the key is made once")
	earlier, err := Decode([]byte(`[{"user":"a","host":"b","plugin":"mysql_native_password"}]`))
	require.NoError(t, err)
	require.Equal(t, "a@b", earlier.All()[0].Plain())
	require.NotZero(t, earlier.All()[0].ID)
	_, err = Decode([]byte(`[{"user":"a","host":"b","global":"FLY"}]`))
	require.Error(t, err)
}

// TestPatterns: the privileges on a database are those of the most specific pattern.
func TestPatterns(t *testing.T) {
	a := &Account{}
	a.Set("%", "", Select)
	a.Set(`shop\_1`, "", Insert)
	a.Set("shop__", "", Update)
	require.Equal(t, Insert, a.In("shop_1"))
	require.Equal(t, Update, a.In("shop_2"))
	require.Equal(t, Select, a.In("other"))
	may := &Authority{Accounts: NewAccounts(a), Account: a}
	a.Set("b_", "", OnDatabase|GrantOption)
	require.NoError(t, may.Pattern(OnDatabase|GrantOption, "b_"))
	require.Error(t, may.Pattern(OnDatabase|GrantOption, "b%"), "a wider pattern than was given")
	require.NoError(t, may.Pattern(OnDatabase|GrantOption, `b\_`))
}

// TestDecoys: a user without an account always gets the same plugin, over all users each plugin in use
// occurs, and this remains when accounts have changed and been stored.
func TestDecoys(t *testing.T) {
	require.Equal(t, NativePassword, First.Decoy("x").Plugin)
	sha2 := &Account{Name: Name{"ann", "%"}, Plugin: CachingSHA2, Secret: NewSecret(CachingSHA2, "x")}
	require.Equal(t, CachingSHA2, First.With(sha2).Decoy("x").Plugin)
	text, err := First.With(sha2).Encode()
	require.NoError(t, err)
	before, err := Decode(text)
	require.NoError(t, err)
	native := func(name string) *Account {
		return &Account{Name: Name{name, "%"}, Plugin: NativePassword, Secret: NewSecret(NativePassword, name)}
	}
	before = before.With(native("bob"))
	text, err = before.With(native("carl")).Without(Root).Encode()
	require.NoError(t, err)
	after, err := Decode(text)
	require.NoError(t, err)
	seen := map[string]int{}
	for i := range 200 {
		name := fmt.Sprint("user", i)
		plugin := before.Decoy(name).Plugin
		seen[plugin]++
		require.Equal(t, plugin, after.Decoy(name).Plugin, name)
		require.True(t, ValidSecret(plugin, after.Decoy(name).Secret))
	}
	require.Greater(t, seen[NativePassword], 50)
	require.Greater(t, seen[CachingSHA2], 50)
	file := NewAccounts(sha2, native("bob"))
	require.Equal(t, file.Decoy("x").Plugin, NewAccounts(sha2, native("bob")).Decoy("x").Plugin, "read again")
	require.NotEqual(t, file.secretKey(), NewAccounts(sha2, native("carl")).secretKey())
}
