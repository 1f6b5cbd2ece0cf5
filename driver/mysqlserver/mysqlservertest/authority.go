package mysqlservertest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority signs a test's certificates, which are valid for an hour on this machine.
type Authority struct {
	// File is the authority's own certificate, as PEM.
	File string
	own  *x509.Certificate
	key  *ecdsa.PrivateKey
}

// NewAuthority makes an authority with that name.
func NewAuthority(t testing.TB, name pkix.Name) *Authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	a := &Authority{File: filepath.Join(t.TempDir(), "authority.pem"), key: key}
	template := template(t, name)
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	check(t, err)
	a.own, err = x509.ParseCertificate(der)
	check(t, err)
	writePEM(t, a.File, "CERTIFICATE", der)
	return a
}

// Issue makes a certificate for a server or a client with that name, and writes it and its
// key to PEM files.
func (a *Authority) Issue(t testing.TB, name pkix.Name, certificate, key string) {
	t.Helper()
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	template := template(t, name)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	template.DNSNames, template.IPAddresses = []string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1)}
	der, err := x509.CreateCertificate(rand.Reader, template, a.own, &own.PublicKey, a.key)
	check(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(own)
	check(t, err)
	writePEM(t, certificate, "CERTIFICATE", der)
	writePEM(t, key, "PRIVATE KEY", private)
}

// Pool is a pool that trusts only the authority.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.own)
	return pool
}

func template(t testing.TB, name pkix.Name) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	check(t, err)
	now := time.Now()
	return &x509.Certificate{SerialNumber: serial, Subject: name, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour)}
}

func writePEM(t testing.TB, path, kind string, der []byte) {
	check(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}
