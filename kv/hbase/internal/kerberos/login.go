package kerberos

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"

	"github.com/hbasekv/hbasekv/kv/caught"
)

// Config says as which user to log in, and to which service.
type Config struct {
	// Principal is the user's, such as alice or alice@EXAMPLE.COM; without a realm, the default one of
	// Krb5Conf applies. With a credential cache it may be empty: then it is the cache's own.
	Principal string
	// Keytab is the path of a file with the principal's keys.
	Keytab string
	// Password is the principal's password, used if there is no Keytab.
	Password string
	// CCache is the path of a credential cache, as written by kinit, used if there is neither Keytab nor
	// Password. Empty means the value of KRB5CCNAME, or /tmp/krb5cc_ followed by the user's number.
	CCache string
	// Krb5Conf is the path of krb5.conf; empty means the value of KRB5_CONFIG, or /etc/krb5.conf.
	Krb5Conf string
	// Service is the servers' principal: its first part (hbase) or the whole pattern, such as
	// hbase/_HOST@EXAMPLE.COM, where _HOST is replaced by the name of the server.
	Service string
	// Protection is the protection of the messages of a connection: authentication, integrity or privacy, as
	// in HBase's hbase.rpc.protection, or SASL's auth, auth-int or auth-conf. Empty means the weakest that
	// the server offers.
	Protection string
}

// Login gets tickets. Its methods are safe for concurrent use.
type Login struct {
	config Config
	wanted protection
	user   string // the principal, with its realm
	krb5   *config.Config
	of     service // HBase's

	mu      sync.Mutex // guards the following fields, and each conversation with the KDC
	client  *client.Client
	cache   string    // the path of the credential cache, if the client was made from one
	written time.Time // when that file had been written
	closed  bool
}

// New reads krb5.conf and the user's keys. It does not contact the KDC.
func New(c Config) (*Login, error) {
	l := &Login{config: c, of: parseService(cmp.Or(c.Service, "hbase"))}
	var err error
	if l.wanted, err = parseProtection(c.Protection); err != nil {
		return nil, err
	}
	path := cmp.Or(c.Krb5Conf, os.Getenv("KRB5_CONFIG"), "/etc/krb5.conf")
	err = caught.Do(func() (err error) {
		l.krb5, err = config.Load(path)
		return err
	})
	var unsupported config.UnsupportedDirective
	if err != nil && !errors.As(err, &unsupported) {
		return nil, fmt.Errorf("krb5.conf: %s cannot be read: %w", path, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.load(); err != nil {
		return nil, err
	}
	l.user = l.client.Credentials.UserName() + "@" + l.client.Credentials.Domain()
	l.config.Principal = l.user
	return l, nil
}

// service is the principal of a service.
type service struct {
	name  string
	host  string // empty for the host of the connection
	realm string // empty if krb5.conf decides
}

// parseService parses a first part, such as hbase, or a pattern, such as hbase/_HOST@EXAMPLE.COM.
func parseService(pattern string) service {
	name, rest, _ := strings.Cut(pattern, "/")
	host, realm, _ := strings.Cut(rest, "@")
	if host == "_HOST" {
		host = ""
	}
	return service{name, host, realm}
}

// User returns the principal that logs in, with its realm.
func (l *Login) User() string { return l.user }

// Close ends the renewal of tickets.
func (l *Login) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed = true; l.client != nil {
		l.client.Destroy()
	}
}

// load makes the client from the configuration. l.mu is held.
func (l *Login) load() error {
	c := &l.config
	if c.Keytab == "" && c.Password == "" {
		return l.loadCache()
	}
	name, realm, _ := strings.Cut(c.Principal, "@")
	if realm = cmp.Or(realm, l.krb5.LibDefaults.DefaultRealm); name == "" || realm == "" {
		return fmt.Errorf("the principal '%s' is incomplete: use name@REALM, or set default_realm in krb5.conf", c.Principal)
	}
	// Active Directory does not support FAST.
	option := client.DisablePAFXFAST(true)
	if c.Keytab == "" {
		l.client = client.NewWithPassword(name, realm, c.Password, l.krb5, option)
		return nil
	}
	var keys *keytab.Keytab
	err := caught.Do(func() (err error) {
		keys, err = keytab.Load(c.Keytab)
		return err
	})
	if err != nil {
		return fmt.Errorf("the keytab %s cannot be read: %w", c.Keytab, err)
	}
	if !has(keys, name, realm) {
		return fmt.Errorf("the keytab %s has no key for %s@%s", c.Keytab, name, realm)
	}
	l.client = client.NewWithKeytab(name, realm, keys, l.krb5, option)
	return nil
}

// has reports whether there is a key for a principal.
func has(keys *keytab.Keytab, name, realm string) bool {
	for i := range keys.Entries {
		p := &keys.Entries[i].Principal
		if p.Realm == realm && strings.Join(p.Components, "/") == name {
			return true
		}
	}
	return false
}

// loadCache makes the client from a credential cache. l.mu is held.
func (l *Login) loadCache() error {
	path := cmp.Or(l.config.CCache, os.Getenv("KRB5CCNAME"), "/tmp/krb5cc_"+strconv.Itoa(os.Getuid()))
	if kind, rest, ok := strings.Cut(path, ":"); ok {
		if kind != "FILE" {
			return fmt.Errorf("the type of the credential cache %s is not supported: use a FILE cache", path)
		}
		path = rest
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no keytab, no password and no credential cache %s: run kinit", path)
	}
	if err != nil {
		return fmt.Errorf("the credential cache %s: %w", path, err)
	}
	var made *client.Client
	err = caught.Do(func() error {
		cache, err := credentials.LoadCCache(path)
		if err != nil {
			return err
		}
		made, err = client.NewFromCCache(cache, l.krb5, client.DisablePAFXFAST(true))
		return err
	})
	if err != nil {
		return fmt.Errorf("the credential cache %s cannot be read: %w", path, err)
	}
	got := made.Credentials.UserName() + "@" + made.Credentials.Domain()
	if want := l.config.Principal; want != "" && want != got && want != made.Credentials.UserName() {
		return fmt.Errorf("the credential cache %s belongs to %s, not to %s", path, got, want)
	}
	l.client, l.cache, l.written = made, path, info.ModTime()
	return nil
}

// renewed reads the credential cache again if it has been written since. l.mu is held.
func (l *Login) renewed() error {
	if l.cache == "" {
		return nil
	}
	if info, err := os.Stat(l.cache); err == nil && info.ModTime().Equal(l.written) {
		return nil
	}
	return l.loadCache()
}

// ticket is a ticket for the service of a server.
type ticket struct {
	messages.Ticket
	key         types.EncryptionKey
	credentials *credentials.Credentials // the user's
	service     string
}

// ticket gets a ticket, until the context ends.
func (l *Login) ticket(ctx context.Context, of service, host string) (*ticket, error) {
	type outcome struct {
		got *ticket
		err error
	}
	done := make(chan outcome, 1)
	go func() { // the library does not support contexts; its own limits are seconds
		got, err := l.ask(of, host)
		done <- outcome{got, err}
	}()
	select {
	case o := <-done:
		return o.got, o.err
	case <-ctx.Done():
		return nil, fmt.Errorf("the KDC did not respond in time to the request for %s: %w", l.user, ctx.Err())
	}
}

var errClosed = errors.New("the login is closed")

func (l *Login) ask(of service, host string) (*ticket, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errClosed
	}
	if err := l.renewed(); err != nil {
		return nil, err
	}
	host = strings.ToLower(cmp.Or(of.host, host))
	t := &ticket{service: of.name + "/" + host, credentials: l.client.Credentials}
	if of.realm != "" {
		l.krb5.DomainRealm[host] = of.realm
	}
	err := caught.Do(func() (err error) {
		if err = l.client.AffirmLogin(); err == nil {
			t.Ticket, t.key, err = l.client.GetServiceTicket(t.service)
		}
		return err
	})
	if err != nil {
		return nil, inWords(err, l.user, t.service)
	}
	return t, nil
}
