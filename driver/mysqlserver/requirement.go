package mysqlserver

import (
	"crypto/tls"
	"strings"

	"github.com/hbasekv/hbasekv/driver/internal/client"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// encryption is what the client is told about its connection.
func (c *conn) encryption() sqlfront.Encryption {
	if c.tls == nil {
		return sqlfront.Encryption{}
	}
	state := c.tls.ConnectionState()
	version := strings.Replace(tls.VersionName(state.Version), "TLS ", "TLSv", 1)
	return sqlfront.Encryption{Version: version, Cipher: client.CipherName(state.CipherSuite)}
}

// meets reports whether the connection meets the account's requirements.
func (c *conn) meets(a *rights.Account) bool {
	if c.tls == nil {
		return client.Meets(a, nil)
	}
	state := c.tls.ConnectionState()
	return client.Meets(a, &state)
}
