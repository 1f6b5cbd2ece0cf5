package mysqlserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// Certificates are a server's certificate and the authorities for its clients'
// certificates, which can be reloaded while it runs.
type Certificates struct {
	certificate, key, clientCA string // files; empty if the certificate was generated
	now                        atomic.Pointer[tls.Config]
}

// LoadCertificates reads a certificate and its key from PEM files and, if clientCA is not empty,
// the authorities that verify clients' certificates. The error is that of reading or parsing the
// files.
func LoadCertificates(certificate, key, clientCA string) (*Certificates, error) {
	c := &Certificates{certificate: certificate, key: key, clientCA: clientCA}
	return c, c.Reload()
}

// SelfSigned generates a certificate that is valid for a year, for clients that use TLS
// without verifying the server. The error is that of generating the key.
func SelfSigned() (*Certificates, error) {
	pair, err := selfSigned(time.Now())
	if err != nil {
		return nil, err
	}
	c := &Certificates{}
	c.now.Store(configOf(pair))
	return c, nil
}

// Reload reads the files again. After an error nothing has changed.
func (c *Certificates) Reload() error {
	if c.certificate == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.certificate, c.key)
	if err != nil {
		return err
	}
	config := configOf(pair)
	if c.clientCA != "" {
		text, err := os.ReadFile(c.clientCA)
		if err != nil {
			return err
		}
		config.ClientCAs = x509.NewCertPool()
		if !config.ClientCAs.AppendCertsFromPEM(text) {
			return fmt.Errorf("%s holds no certificate", c.clientCA)
		}
		config.ClientAuth = tls.VerifyClientCertIfGiven
	}
	c.now.Store(config)
	return nil
}

func configOf(pair tls.Certificate) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
}

// Config is for Options.TLS. A reload applies to clients that connect afterwards.
func (c *Certificates) Config() *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return c.now.Load(), nil },
	}
}

func selfSigned(now time.Time) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: "hbasekv"},
		NotBefore:    now.Add(-time.Hour), NotAfter: now.AddDate(1, 0, 0),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
