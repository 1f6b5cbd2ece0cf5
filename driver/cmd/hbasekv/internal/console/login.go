package console

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/driver/internal/client"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// How long a login lasts, and how many there are.
const (
	idleTime  = time.Hour
	lifeTime  = 12 * time.Hour
	maxLogins = 1024
	maxUser   = 128 // bytes of a name
)

const cookieName = "hbasekv_console"

// login is a browser that has logged in.
type login struct {
	account    sqlfront.Account
	secret     string // of the account: a new password ends the login
	token      string // which each request that does something carries
	begun      time.Time
	used       time.Time
	identified rights.Identity
}

// logins are those of the console, by the hash of their cookie.
type logins struct {
	mu  sync.Mutex
	all map[[sha256.Size]byte]*login
}

// add keeps a login and gives its cookie.
func (l *logins) add(in *login, now time.Time) string {
	cookie := random()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[[sha256.Size]byte]*login{}
	}
	var oldest [sha256.Size]byte
	for key, each := range l.all {
		if each.over(now) {
			delete(l.all, key)
		} else if o := l.all[oldest]; o == nil || each.used.Before(o.used) {
			oldest = key
		}
	}
	if len(l.all) >= maxLogins {
		delete(l.all, oldest)
	}
	l.all[sha256.Sum256([]byte(cookie))] = in
	return cookie
}

// of is the login of a cookie, or nil.
func (l *logins) of(cookie string, now time.Time) *login {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := sha256.Sum256([]byte(cookie))
	in := l.all[key]
	if in == nil || in.over(now) {
		delete(l.all, key)
		return nil
	}
	in.used = now
	return in
}

func (l *logins) remove(cookie string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, sha256.Sum256([]byte(cookie)))
}

func (in *login) over(now time.Time) bool {
	return now.Sub(in.used) > idleTime || now.Sub(in.begun) > lifeTime
}

// random is a text that nobody can guess.
func random() string {
	b := make([]byte, 32)
	rand.Read(b) // which never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// login lets a browser in.
func (c *Console) login(w http.ResponseWriter, r *http.Request) {
	var given struct{ User, Password string }
	if !sameOrigin(r) {
		fail(w, http.StatusForbidden, "the request comes from another site")
		return
	}
	if !read(w, r, &given) {
		return
	}
	in, why := c.authenticate(r, given.User, given.Password)
	if in == nil {
		fail(w, http.StatusUnauthorized, why)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: c.logins.add(in, time.Now()), Path: Prefix, HttpOnly: true,
		Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode})
	c.session(w, r, in)
}

// authenticate is the login of one who knows the account's password; else why there is none.
func (c *Console) authenticate(r *http.Request, user, password string) (*login, string) {
	peer := addressOf(r)
	where, hosts := client.Whence(peer)
	accounts, err := c.accounts.Accounts(r.Context())
	if err != nil {
		return nil, err.Error()
	}
	var account *rights.Account
	if len(user) <= maxUser {
		account = accounts.Find(user, hosts)
	}
	known := account != nil
	if !known {
		account = accounts.Decoy(user)
	}
	right := isPassword(account, password) && known && client.Meets(account, r.TLS) && (client.IsLocal(peer) || proves(account))
	user = strings.ToValidUTF8(user[:min(len(user), maxUser)], "?")
	if right && !account.Locked {
		c.throttle.Succeeded(hosts[0])
		now := time.Now()
		return &login{account: sqlfront.Account{Name: account.Name, ID: account.ID, User: user, Host: hosts[0], Peer: where},
			secret: account.Secret, token: random(), begun: now, used: now, identified: account.Identity()}, ""
	}
	c.options.Log.Warn("login failed", "user", user, "host", where, "door", "console")
	c.sessions.CountAborted()
	select {
	case <-r.Context().Done():
	case <-time.After(c.throttle.Failed(hosts[0], time.Now())):
	}
	return nil, "Access denied for user '" + user + "'@'" + hosts[0] + "'"
}

// proves is true of an account that not everybody can log in as.
func proves(a *rights.Account) bool { return a.Secret != "" || a.NeedsCertificate() }

// isPassword compares a password, in a time that does not tell where it differs.
func isPassword(a *rights.Account, password string) bool {
	switch {
	case a.Secret == "" || password == "":
		return a.Secret == "" && password == ""
	case a.Plugin == rights.CachingSHA2:
		return rights.CheckSHA2(a.Secret, password)
	}
	return subtle.ConstantTimeCompare([]byte(rights.NewSecret(a.Plugin, password)), []byte(a.Secret)) == 1
}

// addressOf is where a request comes from.
func addressOf(r *http.Request) net.Addr {
	at, err := net.ResolveTCPAddr("tcp", r.RemoteAddr)
	if err != nil {
		return &net.TCPAddr{} // which is no machine
	}
	return at
}

// handler answers a request of a browser that has logged in.
type handler func(http.ResponseWriter, *http.Request, *login)

// asked is a handler of requests that change nothing.
func (c *Console) asked(answer handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if in := c.loggedIn(r); in != nil {
			answer(w, r, in)
			return
		}
		fail(w, http.StatusUnauthorized, "log in first")
	}
}

// told is a handler of requests that do something: they come from a page of this console.
func (c *Console) told(answer handler) http.HandlerFunc {
	return c.asked(func(w http.ResponseWriter, r *http.Request, in *login) {
		switch {
		case !sameOrigin(r):
			fail(w, http.StatusForbidden, "the request comes from another site")
		case subtle.ConstantTimeCompare([]byte(r.Header.Get("X-CSRF-Token")), []byte(in.token)) != 1:
			fail(w, http.StatusForbidden, "the request does not carry the token of this login")
		default:
			answer(w, r, in)
		}
	})
}

// loggedIn is the login of a request, or nil: of an account that is still there, with the same password
// and by a connection as it asks for.
func (c *Console) loggedIn(r *http.Request) *login {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return nil
	}
	in := c.logins.of(cookie.Value, time.Now())
	if in == nil {
		return nil
	}
	accounts, err := c.accounts.Accounts(r.Context())
	if err != nil {
		return nil
	}
	account := accounts.Identified(in.identified)
	if account == nil || account.Locked || account.Secret != in.secret || !client.Meets(account, r.TLS) {
		return nil
	}
	return in
}

// sameOrigin is true of what a page of this console sends: browsers tell where a POST comes from.
func sameOrigin(r *http.Request) bool {
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return r.Header.Get("Origin") == scheme+r.Host && (site == "" || site == "same-origin")
}

// session says who has logged in, and what the console may do.
func (c *Console) session(w http.ResponseWriter, r *http.Request, in *login) {
	answer := struct {
		User     string `json:"user"`
		Token    string `json:"token"`
		Writes   bool   `json:"writes"`
		Process  bool   `json:"process"` // sees others' statements
		Database string `json:"database"`
		Counted  bool   `json:"counted"` // the store counts what is asked of partitions
		Locks    bool   `json:"locks"`   // it has row locks, which transactions wait for
		Merges   bool   `json:"merges"`  // it can make one partition of two
	}{User: in.account.User + "@" + in.account.Host, Token: in.token, Writes: c.options.Writes, Counted: c.heat.Counts(),
		Locks: c.limits.RowLocks, Merges: c.merges(), Database: c.sessions.Options().Database}
	err := c.inSession(r, in, "", func(s *sqlfront.Session) error {
		authority, err := s.Authority(r.Context())
		answer.Process = authority.May(rights.Process | rights.Super)
		return err
	})
	reply(w, answer, err)
}

// logout ends a login.
func (c *Console) logout(w http.ResponseWriter, r *http.Request, _ *login) {
	if cookie, err := r.Cookie(cookieName); err == nil {
		c.logins.remove(cookie.Value)
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Path: Prefix, MaxAge: -1, HttpOnly: true, Secure: r.TLS != nil,
		SameSite: http.SameSiteStrictMode})
	reply(w, struct{}{}, nil)
}
