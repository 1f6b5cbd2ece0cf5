package main

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/console"
)

// readyTime is how long the store may take to answer /readyz.
const readyTime = 2 * time.Second

// startHTTP serves on the address of --http until stop is called, and is ready until
// ctx ends.
func (c *serveCommand) startHTTP(ctx context.Context, db *sql.DB) (stop func(), err error) {
	if c.http == "" {
		return func() {}, nil
	}
	l, err := net.Listen("tcp", c.http)
	if err != nil {
		return nil, err
	}
	if err := c.checkHTTP(l.Addr()); err != nil {
		l.Close()
		return nil, err
	}
	protocol := "http"
	if !isLoopback(l.Addr()) && c.certificates != nil {
		protocol, l = "https", tls.NewListener(l, c.certificates.Config())
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(driver.Collector(db), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := c.httpHandler(ctx, db, registry)
	fmt.Fprintf(c.out, "hbasekv: metrics on %s://%s/metrics\n", protocol, l.Addr())
	ctx, end := context.WithCancel(ctx)
	if c.console && (isLoopback(l.Addr()) || protocol == "https") {
		if err := c.addConsole(ctx, mux, db, registry, isLoopback(l.Addr())); err != nil {
			end()
			l.Close()
			return nil, err
		}
		fmt.Fprintf(c.out, "hbasekv: console on %s://%s%s\n", protocol, l.Addr(), console.Prefix)
	}
	server := c.httpServer(mux)
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			c.log.Error("http", "error", err)
		}
	}()
	return func() {
		end()
		server.Close()
	}, nil
}

// addConsole adds the console, which records keys over time until ctx ends.
func (c *serveCommand) addConsole(ctx context.Context, mux *http.ServeMux, db *sql.DB, figures prometheus.Gatherer, loopback bool) error {
	pages, err := console.New(ctx, db, console.Options{Accounts: sourceOf(c.accounts), Writes: c.writes, Loopback: loopback,
		Log: c.log, Figures: figures, Slow: &c.slow})
	if err != nil {
		return err
	}
	mux.Handle(console.Prefix, pages)
	mux.Handle("GET /{$}", http.RedirectHandler(console.Prefix, http.StatusSeeOther))
	go pages.Run(ctx)
	return nil
}

// checkHTTP refuses, unless --insecure is set, an address that other machines reach
// without TLS, and profiles on one, which reveal statements and cost processor time: there
// is no password.
func (c *serveCommand) checkHTTP(at net.Addr) error {
	switch {
	case isLoopback(at) || c.insecure:
		return nil
	case c.pprof:
		return fmt.Errorf("--http %s can be reached from other machines, without a password: "+
			"with --pprof, give an address of this machine, or --insecure", at)
	case c.certificates == nil:
		return fmt.Errorf("--http %s can be reached from other machines: "+
			"it needs a certificate for TLS, or --insecure", at)
	}
	return nil
}

func isLoopback(at net.Addr) bool {
	tcp, ok := at.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// Limits for clients of --http.
const (
	httpHeaderTime  = 10 * time.Second // to send a request's header, or for the TLS handshake
	httpReadTime    = 30 * time.Second
	httpIdleTime    = 2 * time.Minute // between two requests
	httpWriteTime   = 5 * time.Minute // to read the answer; a profile takes the requested time
	httpHeaderBytes = 16 << 10
	httpConnections = 128
	httpScrapes     = 8 // at once
)

func (c *serveCommand) httpServer(handler http.Handler) *http.Server {
	return &http.Server{Handler: handler, ErrorLog: slog.NewLogLogger(c.log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: httpHeaderTime, ReadTimeout: httpReadTime, WriteTimeout: httpWriteTime,
		IdleTimeout: httpIdleTime, MaxHeaderBytes: httpHeaderBytes, ConnState: atMost(httpConnections)}
}

// atMost closes connections above n: the store needs the descriptors.
func atMost(n int64) func(net.Conn, http.ConnState) {
	var open atomic.Int64
	return func(conn net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			if open.Add(1) > n {
				conn.Close()
			}
		case http.StateClosed, http.StateHijacked:
			open.Add(-1)
		}
	}
}

func (c *serveCommand) httpHandler(ctx context.Context, db *sql.DB, registry *prometheus.Registry) *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(c.log.Handler(), slog.LevelError), ErrorHandling: promhttp.ContinueOnError,
		MaxRequestsInFlight: httpScrapes}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := ready(ctx, r.Context(), db); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ok\n")
	})
	if c.pprof {
		addPprof(mux)
	}
	return mux
}

// ready is why no client should come now, or nil: the server is about to end, or the
// store accepts no writes or does not answer.
func ready(serving, asked context.Context, db *sql.DB) error {
	if serving.Err() != nil {
		return errors.New("the server is about to end")
	}
	ctx, cancel := context.WithTimeout(asked, readyTime)
	defer cancel()
	sessions, err := driver.SessionsOf(ctx, db)
	if err != nil {
		return err
	}
	switch h, err := sessions.Health(); {
	case err != nil:
		return err
	case h.Err != nil:
		return fmt.Errorf("writes are refused: %w", h.Err)
	}
	var n int
	return db.QueryRowContext(ctx, "SELECT COUNT(*) FROM information_schema.SCHEMATA").Scan(&n)
}

func addPprof(mux *http.ServeMux) {
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
}
