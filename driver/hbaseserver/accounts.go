package hbaseserver

import (
	"context"
	"crypto/tls"
	"strings"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/guard"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/internal/client"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// admit returns the account for which a client acts, and the name with which it came. HBase's protocol has no
// passwords, so the account must be one that could log in with MySQL's protocol on such a connection without
// a password: one that requires a certificate, or nothing. Until an account has been created, it is root.
// From other machines, no client is admitted without a certificate, whatever accounts were created or dropped
// since the listener was opened, unless Insecure.
func (s *server) admit(ctx context.Context, c *rpc.Connection) (*rights.Account, string, error) {
	accounts, err := s.accounts.Accounts(ctx)
	if err != nil {
		return nil, "", err
	}
	state, user := c.TLS(), c.User()
	certificate := certified(state)
	if certificate != "" {
		user = certificate
	}
	user = strings.ToValidUTF8(user[:min(len(user), maxUser)], "?")
	trusted := s.options.Insecure || client.IsLocal(c.Peer())
	if accounts == rights.First && trusted {
		return accounts.All()[0], user, nil
	}
	peer, hosts := client.Whence(c.Peer())
	account := accounts.Find(user, hosts)
	if account != nil && account.Secret == "" && !account.Locked && client.Meets(account, state) &&
		(trusted || certificate != "") {
		return account, user, nil
	}
	s.wire.Aborted.Add(1)
	s.options.Log.Warn("login failed", "user", user, "host", peer, "certificate", certificate != "",
		"why", refusal(account, state))
	return nil, "", &rpc.Exception{Class: guard.AccessDenied, DoNotRetry: true,
		Message: "Access denied for user " + rights.Name{User: user, Host: hosts[0]}.String() +
			": HBase's clients log in by a certificate, or as an account that asks for none and for no password"}
}

// maxUser is the maximum length of a user's name, in bytes.
const maxUser = 128

// certified is the common name in the client's verified certificate, empty if there is none. It takes
// precedence over the name in the connection's header, which is that of the operating system's user.
func certified(state *tls.ConnectionState) string {
	if state == nil || len(state.VerifiedChains) == 0 {
		return ""
	}
	return state.PeerCertificates[0].Subject.CommonName
}

// refusal is the reason, for the log, why a client is not admitted.
func refusal(account *rights.Account, state *tls.ConnectionState) string {
	switch {
	case account == nil:
		return "there is no such account"
	case account.Locked:
		return "the account is locked"
	case account.Secret != "":
		return "the account has a password, which HBase's protocol cannot ask for"
	case state == nil:
		return "the account requires TLS"
	case certified(state) == "":
		return "from other machines a certificate is needed"
	}
	return "the certificate is not what the account requires"
}
