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

// Config is TLS 1.2 or later with files in PEM form: caFile has who signs servers' certificates, empty for whom the
// system trusts; certFile and keyFile have the client's own, empty for none, and the key may stand in certFile.
func Config(caFile, certFile, keyFile string) (*tls.Config, error) {
	out := &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile != "" {
		pem, err := os.ReadFile(caFile)
		if err != nil {
			return nil, fmt.Errorf("caFile: %w", err)
		}
		if out.RootCAs = x509.NewCertPool(); !out.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("caFile: %s holds no certificate in PEM form", caFile)
		}
	}
	switch {
	case certFile == "" && keyFile == "":
		return out, nil
	case certFile == "":
		return nil, errors.New("keyFile means nothing without certFile")
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

// Dialer makes connections.
type Dialer = func(ctx context.Context, network, addr string) (net.Conn, error)

// Secured puts TLS on the connections that are made; a nil config leaves them as they are.
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
