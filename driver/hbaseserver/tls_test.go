package hbaseserver_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	own  *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, pool: x509.NewCertPool()}
	template := certificate("authority")
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	a.key = must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key))
	a.own = must[*x509.Certificate](t)(x509.ParseCertificate(der))
	a.pool.AddCert(a.own)
	return a
}

func certificate(name string) *x509.Certificate {
	return &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
}

// issue makes a certificate for a server or a client.
func (a *authority) issue(name string) tls.Certificate {
	key := must[*ecdsa.PrivateKey](a.t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := certificate(name)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	der := must[[]byte](a.t)(x509.CreateCertificate(rand.Reader, template, a.own, &key.PublicKey, a.key))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// files writes a certificate with its key, and the authority, as PEM.
func (a *authority) files(c tls.Certificate) (own, trusted string) {
	dir := a.t.TempDir()
	own, trusted = filepath.Join(dir, "own.pem"), filepath.Join(dir, "trusted.pem")
	key := must[[]byte](a.t)(x509.MarshalPKCS8PrivateKey(c.PrivateKey))
	text := append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]})...)
	require.NoError(a.t, os.WriteFile(own, text, 0o600))
	require.NoError(a.t, os.WriteFile(trusted, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.own.Raw}), 0o600))
	return own, trusted
}

// server is the TLS configuration of a server.
func (a *authority) server() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{a.issue("server")}, ClientCAs: a.pool,
		ClientAuth: tls.VerifyClientCertIfGiven}
}

// dial is gohbase's option for a client with certificates, or without.
func (a *authority) dial(own ...tls.Certificate) gohbase.Option {
	config := &tls.Config{RootCAs: a.pool, Certificates: own}
	return gohbase.RegionDialer((&tls.Dialer{Config: config}).DialContext)
}

// TestCertificates: the common name of a client's certificate selects the account, which must require a
// certificate, whatever name the client gives.
func TestCertificates(t *testing.T) {
	a := newAuthority(t)
	s := serve(t, ":memory:", hbaseserver.Options{TLS: a.server()})
	s.exec("CREATE TABLE t$f"+familyOfT, "CREATE USER ann@localhost REQUIRE X509", "GRANT SELECT ON `default`.t TO ann@localhost",
		"CREATE USER bob@localhost REQUIRE SUBJECT '/CN=bob'", "GRANT INSERT, UPDATE ON `default`.t TO bob@localhost",
		"CREATE USER secret@localhost IDENTIFIED BY 'x' REQUIRE X509", "CREATE USER eve@localhost REQUIRE SUBJECT '/CN=other'",
		"CREATE USER locked@localhost REQUIRE X509 ACCOUNT LOCK", "CREATE USER secured@localhost REQUIRE SSL",
		"GRANT SELECT ON `default`.t TO secured@localhost")
	try := func(write bool, options ...gohbase.Option) error {
		c := gohbase.NewClient(s.zookeeper, append(options, quiet)...)
		defer c.Close()
		ctx, cancel := context.WithTimeout(s.ctx, 20*time.Second)
		defer cancel()
		if write {
			_, err := c.Put(must[*hrpc.Mutate](t)(hrpc.NewPutStr(ctx, "t", "a", values("f", "q", "v"))))
			return err
		}
		_, err := c.Get(must[*hrpc.Get](t)(hrpc.NewGetStr(ctx, "t", "a")))
		return err
	}
	ann, bob := a.dial(a.issue("ann")), a.dial(a.issue("bob"))
	require.NoError(t, try(false, ann, gohbase.EffectiveUser("root")))
	require.ErrorContains(t, try(true, ann), "AccessDeniedException")
	require.NoError(t, try(true, bob))
	require.ErrorContains(t, try(false, bob), "AccessDeniedException")
	require.NoError(t, try(false, a.dial(), gohbase.EffectiveUser("secured")))

	refused := func(user string, own ...tls.Certificate) {
		t.Helper()
		conn, err := tls.Dial("tcp", s.calls, &tls.Config{RootCAs: a.pool, Certificates: own})
		require.NoError(t, err)
		require.Equal(t, "security.AccessDeniedException", s.rawOver(conn, user, "MasterService").exception(), user)
	}
	for _, name := range []string{"secret", "eve", "locked", "nobody"} {
		refused("root", a.issue(name))
	}
	refused("ann") // it says a name, but has no certificate
	plain, err := net.Dial("tcp", s.calls)
	require.NoError(t, err)
	require.Equal(t, "security.AccessDeniedException", s.rawOver(plain, "secured", "MasterService").exception())
	require.EqualValues(t, 6, s.figure("hbasekv_connections_aborted_total.."))

	other := newAuthority(t) // the server does not trust it
	conn, err := tls.Dial("tcp", s.calls, &tls.Config{RootCAs: a.pool, Certificates: []tls.Certificate{other.issue("ann")}})
	if err == nil {
		_, err = conn.Read(make([]byte, 1)) // in TLS 1.3 the client learns of it after the handshake
	}
	require.Error(t, err)
}

// TestNames: a client without TLS acts as the account that it names, if that requires nothing.
func TestNames(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	require.NoError(t, s.admin().CreateTable(hrpc.NewCreateTable(s.ctx, []byte("t"), map[string]map[string]string{"f": nil})))
	s.exec("CREATE USER ann@localhost IDENTIFIED BY 'x'", "ALTER USER root@localhost IDENTIFIED BY 'y'",
		"CREATE USER open@localhost")
	for _, user := range []string{"root", "ann", "nobody", ""} {
		require.Equal(t, "security.AccessDeniedException", s.rawAs(user, "MasterService").exception(), user)
	}
	running(t, s.rawAs("open", "MasterService"))
}

// TestPlainIsRefused: a client without TLS is refused if other machines can reach the server, unless Insecure
// is set.
func TestPlainIsRefused(t *testing.T) {
	a := newAuthority(t)
	address := otherAddress(t)
	for _, insecure := range []bool{false, true} {
		s := &served{t: t}
		s.db = openDB(t, ":memory:")
		s.ctx = context.Background()
		s.exec("CREATE USER ann@'%' REQUIRE X509", "DROP USER root@localhost", "CREATE USER 'any'@'%' ACCOUNT LOCK")
		calls, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() {
			ended <- hbaseserver.Serve(ctx, calls, nil, s.db, hbaseserver.Options{TLS: a.server(), Insecure: insecure})
		}()
		s.calls = calls.Addr().String()
		conn, err := tls.Dial("tcp", s.calls, &tls.Config{RootCAs: a.pool, ServerName: "localhost",
			Certificates: []tls.Certificate{a.issue("ann")}})
		require.NoError(t, err)
		running(t, s.rawOver(conn, "", "MasterService"))
		s.exec("CREATE USER later@'%'")
		conn, err = tls.Dial("tcp", s.calls, &tls.Config{RootCAs: a.pool, ServerName: "localhost"})
		require.NoError(t, err)
		if later := s.rawOver(conn, "later", "MasterService"); insecure {
			running(t, later)
		} else {
			require.Equal(t, "security.AccessDeniedException", later.exception(), "an account made since, that asks for nothing")
		}
		plain := s.rawAs("ann", "MasterService")
		if insecure {
			require.Equal(t, "security.AccessDeniedException", plain.exception())
		} else {
			closed(t, plain.conn)
		}
		cancel()
		require.NoError(t, <-ended)
	}
}

// otherAddress is an address of this machine that others may reach.
func otherAddress(t *testing.T) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, each := range all {
		if n, ok := each.(*net.IPNet); ok && n.IP.IsGlobalUnicast() && n.IP.To4() != nil {
			return n.IP.String()
		}
	}
	t.Skip("this machine has no address but its own")
	return ""
}

// TestZooKeeperByTLS: a client also looks the server up over TLS, as far as its dialer supports it.
func TestZooKeeperByTLS(t *testing.T) {
	a := newAuthority(t)
	s := serve(t, ":memory:", hbaseserver.Options{TLS: a.server()})
	s.exec("CREATE TABLE t$f"+familyOfT, "INSERT INTO t$f VALUES ('a', 'q', 1, 'v')")
	var dialed atomic.Int32
	dialer := &tls.Dialer{Config: &tls.Config{RootCAs: a.pool}}
	c := s.client(a.dial(), gohbase.ZooKeeperDialer(func(ctx context.Context, network, addr string) (net.Conn, error) {
		dialed.Add(1)
		return dialer.DialContext(ctx, network, addr)
	}))
	got, err := c.Get(must[*hrpc.Get](t)(hrpc.NewGetStr(s.ctx, "t", "a")))
	require.NoError(t, err)
	require.Len(t, got.Cells, 1)
	require.NotZero(t, dialed.Load())
}
