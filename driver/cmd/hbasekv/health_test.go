package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHealth asks a server that is ready, servers that are not, also over TLS, and
// no server.
func TestHealth(t *testing.T) {
	t.Parallel()
	s := startServe(t)
	out, err := command(".", "health", "http://"+s.httpd).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "ok\n", string(out))

	full := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			http.Error(w, "writes are refused: no space left", http.StatusServiceUnavailable)
		}
	})
	plain, secured := httptest.NewServer(full), httptest.NewTLSServer(full)
	defer plain.Close()
	defer secured.Close()
	for args, want := range map[[2]string]string{
		{plain.URL}:                 "503 Service Unavailable: writes are refused: no space left",
		{secured.URL + "/"}:         "503 Service Unavailable: writes are refused: no space left",
		{"127.0.0.1:9104"}:          "write it as http://127.0.0.1:9104",
		{"ftp://127.0.0.1"}:         "write it as http://127.0.0.1:9104",
		{"http://127.0.0.1:1"}:      "refused",
		{s.httpd, "another"}:        "usage: hbasekv health",
		{plain.URL, "--timeout=0s"}: "deadline exceeded",
	} {
		given := []string{"health", args[0]}
		if args[1] != "" {
			given = append(given, args[1])
		}
		out, err := command(".", given...).CombinedOutput()
		require.Error(t, err, given)
		require.Contains(t, string(out), want, given)
	}
	out, err = command(".", "health", secured.URL+"/healthz").CombinedOutput()
	require.NoError(t, err, "%s", out)
}
