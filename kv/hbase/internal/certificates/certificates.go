// Package certificates reads the certificates of connections by TLS, and makes such connections.
package certificates

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
)

// Config returns a configuration for TLS 1.2 or later with files in PEM form. caFile has the authorities that
// sign servers' certificates; empty means the system's. certFile and keyFile have the client's own
// certificate and key; empty means none, and the key may be in certFile.
func Config(caFile, certFile, keyFile string) (*tls.Config, error) {
	out := &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile != "" {
		pem, err := os.ReadFile(caFile)
		if err != nil {
			return nil, fmt.Errorf("caFile: %w", err)
		}
		if out.RootCAs = x509.NewCertPool(); !out.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("caFile: %s contains no PEM certificates", caFile)
		}
	}
	switch {
	case certFile == "" && keyFile == "":
		return out, nil
	case certFile == "":
		return nil, errors.New("keyFile requires certFile")
	case keyFile == "":
		keyFile = certFile
	}
	own, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("certFile: %w", err)
	}
	out.Certificates = []tls.Certificate{own}
	return out, nil
}

// Dialer opens connections.
type Dialer = func(ctx context.Context, network, addr string) (net.Conn, error)

// Secured returns a Dialer whose connections use TLS; a nil config leaves them as they are.
func Secured(dial Dialer, by *tls.Config) Dialer {
	if by == nil {
		return dial
	}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		config := by.Clone()
		if config.ServerName == "" {
			config.ServerName, _, _ = net.SplitHostPort(addr)
		}
		out := tls.Client(conn, config)
		if err := out.HandshakeContext(ctx); err != nil {
			conn.Close()
			return nil, err
		}
		return out, nil
	}
}
