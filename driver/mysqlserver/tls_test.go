package mysqlserver_test

import (
	"crypto/tls"
	"crypto/x509/pkix"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/mysqlservertest"
)

// issued is a certificate of an authority, with its key.
func issued(t testing.TB, a *mysqlservertest.Authority, name pkix.Name) (certificate, key string) {
	dir := t.TempDir()
	certificate, key = filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "key.pem")
	a.Issue(t, name, certificate, key)
	return certificate, key
}

// over opens the server with TLS.
func over(t testing.TB, address, user string, config *tls.Config) *sql.DB {
	t.Helper()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.TLS = user, "s3cret", "tcp", address, config
	connector, err := mysql.NewConnector(cfg)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

// TestRequirements: accounts require of a connection what MySQL's do, of a client with a
// certificate of the authority, one with a certificate of a forged authority, and one without.
func TestRequirements(t *testing.T) {
	t.Parallel()
	place := pkix.Name{Country: []string{"SE"}, Organization: []string{"Test"}}
	named := func(name string) pkix.Name {
		n := place
		n.CommonName = name
		return n
	}
	authority, impostor := mysqlservertest.NewAuthority(t, named("authority")), mysqlservertest.NewAuthority(t, named("authority"))
	certificate, key := issued(t, authority, named("server"))
	certificates, err := mysqlserver.LoadCertificates(certificate, key, authority.File)
	require.NoError(t, err)

	const weak = "ECDHE-ECDSA-AES128-GCM-SHA256"
	requirements := []struct {
		require string
		allowed string // to these clients
	}{
		{"NONE", "nobody ann eve slashed"},
		{"SSL", "nobody ann eve slashed"},
		{"X509", "ann eve slashed"},
		{"SUBJECT '/C=SE/O=Test/CN=ann'", "ann"},
		{"SUBJECT '/C=SE/O=Test/CN=ann' AND ISSUER '/C=SE/O=Test/CN=authority'", "ann"},
		{"ISSUER '/C=SE/O=Test/CN=authority'", "ann eve slashed"},
		{"ISSUER '/C=SE/O=Test/CN=Authority'", ""},
		{"SUBJECT '/CN=ann'", ""},
		{`SUBJECT '/C=SE/O=Test/CN=eve\\x2FCN=ann'`, "slashed"},
		{"CIPHER '" + weak + "'", "nobody ann eve slashed"},
		{"CIPHER '" + weak + "' SUBJECT '/C=SE/O=Test/CN=eve'", "eve"},
		{"CIPHER 'ECDHE-ECDSA-AES256-GCM-SHA384'", ""},
	}
	script := ""
	for i, each := range requirements {
		script += fmt.Sprintf("CREATE USER u%d@localhost IDENTIFIED BY 's3cret' REQUIRE %s;", i, each.require)
	}
	list, err := mysqlserver.NewAccounts(script)
	require.NoError(t, err)
	address := onLoopback(t, mysqlserver.Options{Accounts: list, TLS: certificates.Config()})

	clients := map[string]*tls.Config{}
	for _, name := range []string{"nobody", "ann", "eve", "slashed", "forged"} {
		config := &tls.Config{RootCAs: authority.Pool(), ServerName: "localhost", MaxVersion: tls.VersionTLS12,
			CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}
		from, subject := authority, name
		switch name {
		case "forged":
			from, subject = impostor, "ann"
		case "slashed":
			subject = "eve/CN=ann"
		}
		if name != "nobody" {
			pair, err := tls.LoadX509KeyPair(issued(t, from, named(subject)))
			require.NoError(t, err)
			config.Certificates = []tls.Certificate{pair}
			if name == "forged" { // the library would not send one that the server does not ask for
				config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
			}
		}
		clients[name] = config
	}
	allowed := make([]string, len(requirements))
	for _, name := range []string{"nobody", "ann", "eve", "slashed", "forged"} {
		for i := range requirements {
			if over(t, address, fmt.Sprint("u", i), clients[name]).Ping() == nil {
				allowed[i] += " " + name
			}
			// After a successful login the next failure is answered soon.
			require.NoError(t, over(t, address, "u0", clients["nobody"]).Ping())
		}
	}
	for i, each := range requirements {
		want := each.allowed
		if want != "" {
			want = " " + want
		}
		require.Equal(t, want, allowed[i], each.require)
	}
	plain := fmt.Sprintf("u4:s3cret@tcp(%s)/", address)
	require.Error(t, ping(t, plain))
	require.Equal(t, weak, one[string](t, over(t, address, "u0", clients["ann"]),
		"SELECT VARIABLE_VALUE FROM performance_schema.session_status WHERE VARIABLE_NAME = 'Ssl_cipher'"))
}

// TestRequirementsAreKept: the statement that shows a requirement recreates it.
func TestRequirementsAreKept(t *testing.T) {
	root := serve(t, ":memory:", mysqlserver.Options{}).client(t, "")
	for _, each := range []struct{ require, shown, row string }{
		{"ISSUER 'i' SUBJECT 'it''s'", "SUBJECT 'it''s' ISSUER 'i'", "SPECIFIED||i|it's|"},
		{"CIPHER 'c' AND SUBJECT 's' AND ISSUER 'i'", "SUBJECT 's' ISSUER 'i' CIPHER 'c'", "SPECIFIED|c|i|s|"},
		{"X509", "X509", "X509||||"},
		{"SSL", "SSL", "ANY||||"},
		{"NONE", "NONE", "||||"},
	} {
		execAll(t, root, "DROP USER IF EXISTS ann", "CREATE USER ann REQUIRE SUBJECT 'old'", "ALTER USER ann REQUIRE "+each.require)
		for range 2 {
			shown := one[string](t, root, "SHOW CREATE USER ann")
			require.Equal(t, "CREATE USER 'ann'@'%' IDENTIFIED WITH 'caching_sha2_password' REQUIRE "+each.shown+
				" PASSWORD EXPIRE DEFAULT ACCOUNT UNLOCK", shown)
			lines, err := run(root, "SELECT ssl_type, ssl_cipher, x509_issuer, x509_subject FROM mysql.user WHERE User = 'ann'")
			require.NoError(t, err)
			require.Equal(t, []string{each.row}, lines)
			execAll(t, root, "DROP USER ann", shown)
		}
	}
	for statement, want := range map[string]int{
		"CREATE USER bob REQUIRE SUBJECT 'a' SUBJECT 'b'": 1225,
		"CREATE USER bob REQUIRE SUBJECT 'a' AND":         1064,
		"CREATE USER bob REQUIRE SUBJECT":                 1064,
		"CREATE USER bob REQUIRE SSL AND X509":            1064,
		"CREATE USER bob REQUIRE SUBJECT a":               1064,
	} {
		_, err := run(root, statement)
		require.Equal(t, want, number(err), "%s: %v", statement, err)
	}
}

func TestVersionsOfTLS(t *testing.T) {
	certificates, err := mysqlserver.SelfSigned()
	require.NoError(t, err)
	address := onLoopback(t, mysqlserver.Options{Accounts: accounts(t, native, "NONE"), TLS: certificates.Config()})
	for version, works := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true,
		tls.VersionTLS13: true} {
		config := &tls.Config{InsecureSkipVerify: true, MinVersion: version, MaxVersion: version}
		err := over(t, address, "app", config).Ping()
		if works {
			require.NoError(t, err, tls.VersionName(version))
		} else {
			require.ErrorContains(t, err, "protocol version", tls.VersionName(version))
		}
	}
}
