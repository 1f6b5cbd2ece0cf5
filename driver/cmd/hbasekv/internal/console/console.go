package console

import (
	"context"
	"database/sql"
	"embed"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/heat"
	"github.com/hbasekv/hbasekv/driver/internal/client"
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/privilege"
)

// Prefix is the path below which the console answers.
const Prefix = "/console/"

// Options say how a console serves.
type Options struct {
	// Accounts are those who may log in; nil are those that the store keeps.
	Accounts privilege.Source
	// Writes lets statements change what is in the store, by the rights of the account.
	Writes bool
	// Loopback says that only this machine reaches the listener, so that the names of others in a request
	// come from a page that pretends to be of this machine.
	Loopback bool
	Log      *slog.Logger
	// Figures are those of the server.
	Figures prometheus.Gatherer
	// Slow has the statements that took long; nil is none.
	Slow *SlowStatements
}

// Console answers requests below Prefix.
type Console struct {
	options  Options
	db       *sql.DB
	sessions *driver.Sessions
	accounts privilege.Source
	logins   logins
	throttle client.Throttle
	heat     *heat.Recorder
	limits   kv.Limits     // of the store
	running  chan struct{} // has room for one more statement
	advising chan struct{}
	tickets  tickets
	mux      *http.ServeMux
}

// maxRunning is how many statements of the console run at a time.
const maxRunning = 32

//go:embed static
var static embed.FS

// New makes a console of a database of the driver hbasekv. The error is that of reading its store's
// accounts.
func New(ctx context.Context, db *sql.DB, o Options) (*Console, error) {
	sessions, err := driver.SessionsOf(ctx, db)
	if err != nil {
		return nil, err
	}
	store, err := sessions.Store()
	if err != nil {
		return nil, err
	}
	c := &Console{options: o, db: db, sessions: sessions, accounts: o.Accounts, heat: heat.New(store), limits: kv.LimitsOf(store),
		throttle: client.Throttle{First: client.FirstDelay}, running: make(chan struct{}, maxRunning), advising: make(chan struct{}, 1)}
	if c.accounts == nil {
		if c.accounts, err = sessions.Accounts(); err != nil {
			return nil, err
		}
	}
	return c, c.route()
}

// Run records keys over time until ctx ends.
func (c *Console) Run(ctx context.Context) { c.heat.Run(ctx) }

func (c *Console) route() error {
	files, err := fs.Sub(static, "static")
	if err != nil {
		return err
	}
	c.mux = http.NewServeMux()
	c.mux.Handle("GET "+Prefix, http.StripPrefix(Prefix, http.FileServerFS(files)))
	c.mux.HandleFunc("POST "+Prefix+"api/login", c.login)
	c.mux.HandleFunc("GET "+Prefix+"api/session", c.asked(c.session))
	for name, answer := range map[string]handler{"logout": c.logout, "query": c.query, "download": c.prepareDownload, "keys": c.keys,
		"partitions": c.partitions, "now": c.now, "advise": c.advise} {
		c.mux.HandleFunc("POST "+Prefix+"api/"+name, c.told(answer))
	}
	c.mux.HandleFunc("GET "+Prefix+"api/download/{ticket}", c.asked(c.download))
	for _, method := range []string{"GET ", "POST "} {
		c.mux.HandleFunc(method+Prefix+"api/", func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusNotFound, "there is no such request") })
	}
	return nil
}

// ServeHTTP implements http.Handler.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	harden(w.Header())
	if c.options.Loopback && !namesThisMachine(r.Host) {
		fail(w, http.StatusMisdirectedRequest, "this console is reached as localhost or 127.0.0.1")
		return
	}
	if strings.HasPrefix(r.URL.Path, Prefix+"api/") {
		w.Header().Set("Cache-Control", "no-store")
	} else {
		w.Header().Set("Cache-Control", "no-cache")
	}
	c.mux.ServeHTTP(w, r)
}

// harden has the browser load nothing but the console's own files, and show the console in no other page.
func harden(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "+
		"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// namesThisMachine is true of the names that no other machine's can be: a name that somebody else's
// DNS leads to this machine would be an origin of theirs.
func namesThisMachine(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	ip := net.ParseIP(strings.Trim(name, "[]"))
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// unhurried lets an answer take as long as its reader goes on reading.
func unhurried(w http.ResponseWriter) {
	on := http.NewResponseController(w) // of a server without deadlines there is none to move
	_ = on.SetWriteDeadline(time.Now().Add(readingTime))
	_ = on.SetReadDeadline(time.Time{}) // the request is there: its end is that of the connection
}

// readingTime is how long a reader may leave a part of an answer unread.
const readingTime = 10 * time.Minute
