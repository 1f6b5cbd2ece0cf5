package client

import (
	"crypto/tls"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// Meets reports whether a connection is what an account requires. state is nil if it has no TLS.
func Meets(a *rights.Account, state *tls.ConnectionState) bool {
	switch {
	case a.Require == rights.RequireNone:
		return true
	case state == nil, a.Cipher != "" && a.Cipher != CipherName(state.CipherSuite):
		return false
	case !a.NeedsCertificate():
		return true
	case len(state.VerifiedChains) == 0:
		return false
	}
	own := state.PeerCertificates[0]
	return matchesName(a.Subject, own.RawSubject) && matchesName(a.Issuer, own.RawIssuer)
}

// matchesName reports whether a certificate's name is the required one; empty
// accepts any.
func matchesName(want string, raw []byte) bool { return want == "" || want == oneLine(raw) }

// attributeNames are the names of the attributes in a certificate's names.
var attributeNames = map[string]string{"2.5.4.3": "CN", "2.5.4.4": "SN", "2.5.4.5": "serialNumber", "2.5.4.6": "C",
	"2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.9": "street", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.12": "title",
	"2.5.4.13": "description", "2.5.4.17": "postalCode", "2.5.4.41": "name", "2.5.4.42": "GN", "2.5.4.43": "initials",
	"2.5.4.46": "dnQualifier", "1.2.840.113549.1.9.1": "emailAddress", "0.9.2342.19200300.100.1.1": "UID",
	"0.9.2342.19200300.100.1.25": "DC"}

// oneLine is a certificate's name as MySQL compares it: /C=SE/O=x/CN=y, with \xFF for what is
// not printable. A slash in a value is escaped too, unlike in MySQL, where one value can pass
// for two.
func oneLine(raw []byte) string {
	var sequence pkix.RDNSequence
	if rest, err := asn1.Unmarshal(raw, &sequence); err != nil || len(rest) > 0 {
		return ""
	}
	var b strings.Builder
	for _, set := range sequence {
		for _, a := range set {
			name := a.Type.String()
			if known, ok := attributeNames[name]; ok {
				name = known
			}
			b.WriteString("/" + name + "=")
			writePrintable(&b, fmt.Sprint(a.Value))
		}
	}
	return b.String()
}

func writePrintable(b *strings.Builder, s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '/' {
			fmt.Fprintf(b, `\x%02X`, c)
		} else {
			b.WriteByte(c)
		}
	}
}

// cipherNames are OpenSSL's names of the TLS 1.2 suites that a Go server offers: clients
// know these, and REQUIRE CIPHER has them. In TLS 1.3 both names are the same.
var cipherNames = map[uint16]string{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256:       "ECDHE-ECDSA-AES128-GCM-SHA256",
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384:       "ECDHE-ECDSA-AES256-GCM-SHA384",
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-ECDSA-CHACHA20-POLY1305",
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA:          "ECDHE-ECDSA-AES128-SHA",
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA:          "ECDHE-ECDSA-AES256-SHA",
	tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256:         "ECDHE-RSA-AES128-GCM-SHA256",
	tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384:         "ECDHE-RSA-AES256-GCM-SHA384",
	tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256:   "ECDHE-RSA-CHACHA20-POLY1305",
	tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA:            "ECDHE-RSA-AES128-SHA",
	tls.TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA:            "ECDHE-RSA-AES256-SHA",
}

// CipherName is OpenSSL's name of a suite.
func CipherName(suite uint16) string {
	if name, ok := cipherNames[suite]; ok {
		return name
	}
	return tls.CipherSuiteName(suite)
}
