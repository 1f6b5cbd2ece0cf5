// Package certificates reads the certificates of connections by TLS.
package certificates

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
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
