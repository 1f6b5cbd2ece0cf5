package kerberos

import (
	"errors"
	"fmt"
	"strings"
)

// hints explain the errors of a KDC, by words in the library's messages.
var hints = []struct{ word, hint string }{
	{"KRB_AP_ERR_SKEW", "this machine's clock and the KDC's differ by more than the realm allows (usually 5 minutes): synchronize them with NTP"},
	{"KDC_ERR_C_PRINCIPAL_UNKNOWN", "the KDC does not know the user {user}"},
	{"KDC_ERR_S_PRINCIPAL_UNKNOWN", "the KDC does not know the service {service}: compare the DSN parameter service with the servers' principals"},
	{"KDC_ERR_PREAUTH_FAILED", "the KDC does not accept the key or password of {user}: the keytab is outdated or the password is wrong"},
	{"KDC_ERR_CLIENT_REVOKED", "the account of {user} is locked"},
	{"KDC_ERR_KEY_EXPIRED", "the password of {user} has expired"},
	{"KDC_ERR_ETYPE_NOSUPP", "the KDC and this client have no encryption type in common: this client supports aes256-cts and aes128-cts"},
	{"KRB_AP_ERR_TKT_EXPIRED", "the ticket of {user} has expired: run kinit"},
	{"no valid existing session", "the ticket of {user} has expired: run kinit"},
	{"no user credentials available", "the ticket of {user} has expired: run kinit"},
	{"KRB_AP_ERR_BAD_INTEGRITY", "the KDC does not accept the key or password of {user}: the keytab is outdated or the password is wrong"},
	{"integrity verification failed", "the KDC does not accept the key or password of {user}: the keytab is outdated or the password is wrong"},
}

// unreachable are hints for errors that may be temporary.
var unreachable = []struct{ word, hint string }{
	{"no KDC SRV records", "no KDC is known for the realm: add it to krb5.conf"},
	{"does not have any defined KDCs", "no KDC is known for the realm: add it to krb5.conf"},
	{"Networking_Error", "the KDC of the realm cannot be reached"},
	{"failed to communicate with KDC", "the KDC of the realm cannot be reached"},
	{"communication error with KDC", "the KDC of the realm cannot be reached"},
}

// Error is an error of a KDC, or of a server to which the client fails to authenticate: a retry is of no use.
type Error struct {
	Hint string // what it means, and what to do
	Err  error  // the response
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return "Kerberos: " + e.Err.Error()
	}
	return "Kerberos: " + e.Hint + " (" + e.Err.Error() + ")"
}

func (e *Error) Unwrap() error { return e.Err }

// inWords returns an error of the library with an explanation. It contains no key and no password.
func inWords(err error, user, service string) error {
	text := err.Error()
	if _, short, ok := strings.Cut(text, "KRB Error: "); ok {
		err = errors.New(short)
	}
	names := strings.NewReplacer("{user}", user, "{service}", service)
	for _, h := range hints {
		if strings.Contains(text, h.word) {
			return &Error{Hint: names.Replace(h.hint), Err: err}
		}
	}
	for _, h := range unreachable {
		if strings.Contains(text, h.word) {
			return fmt.Errorf("with Kerberos: %s (%w)", h.hint, err)
		}
	}
	return fmt.Errorf("with Kerberos: %w", err)
}
