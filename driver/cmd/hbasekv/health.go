package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

func newHealth() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "health [URL]",
		Short: "Ask a server whether it is ready for clients",
		Long: `Ask a server that was started with --http whether it is ready for clients: whether its
store answers and takes writes. The exit code is 0 if it is, and 1, with the reason, if not,
for the health checks of containers, which have no other program to ask.

URL is http://127.0.0.1:9104 unless given; without a path it is asked for /readyz. The
certificate of a server on this machine's loopback address is not verified.`,
		Args: cli.WithUsage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			address := "http://127.0.0.1:9104"
			if len(args) == 1 {
				address = args[0]
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			return health(ctx, cmd.OutOrStdout(), address)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 5*time.Second, "how long the server may take to answer")
	return cmd
}

// health sends a request to the server at an address and prints its answer; if the
// server is not ready, the answer is the error.
func health(ctx context.Context, out io.Writer, address string) error {
	target, err := url.Parse(address)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return fmt.Errorf("%q is not the address of a server: write it as http://127.0.0.1:9104", address)
	}
	target.Path = cmp.Or(strings.TrimSuffix(target.Path, "/"), "/readyz")
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: isLoopbackName(target.Hostname())}}}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 4<<10))
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", target, answer.Status, strings.TrimSpace(string(text)))
	}
	_, err = out.Write(text)
	return err
}

func isLoopbackName(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}
