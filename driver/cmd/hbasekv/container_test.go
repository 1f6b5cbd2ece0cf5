package main

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const containerDir = "../../../docs/container"

// image is the Containerfile: the lines of each instruction, in order.
type image map[string][]string

func readImage(t *testing.T) image {
	text, err := os.ReadFile(filepath.Join(containerDir, "Containerfile"))
	require.NoError(t, err)
	out := image{}
	for _, line := range strings.Split(strings.ReplaceAll(string(text), "\\\n", " "), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		out[word] = append(out[word], rest)
	}
	return out
}

// list parses an instruction's JSON list.
func (i image) list(t *testing.T, word string) (out []string) {
	t.Helper()
	require.Len(t, i[word], 1)
	_, text, _ := strings.Cut(i[word][0], "[")
	require.NoError(t, json.Unmarshal([]byte("["+text), &out), "%s %s", word, i[word])
	return out
}

// compose is the part of compose.yaml that is checked.
type compose struct {
	Services map[string]struct {
		Ports, Volumes, Secrets []string
		Healthcheck             struct{ Test []string }
		Build                   struct{ Context, Dockerfile string }
	}
	Volumes map[string]any
	Secrets map[string]struct{ File string }
}

// scrapes is the part of prometheus.yml that is checked.
type scrapes struct {
	Configs []struct {
		Scheme  string
		Targets []struct{ Targets []string } `yaml:"static_configs"`
		TLS     struct {
			Skip bool `yaml:"insecure_skip_verify"`
		} `yaml:"tls_config"`
	} `yaml:"scrape_configs"`
}

func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(containerDir, name))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, into))
}

// requireKnown lets the command parse the arguments, without running it.
func requireKnown(t *testing.T, args []string) {
	t.Helper()
	cmd, rest, err := newRoot().Find(args)
	require.NoError(t, err)
	require.NoError(t, cmd.ParseFlags(rest))
	require.NoError(t, cmd.ValidateArgs(cmd.Flags().Args()))
}

// portOf is the port of an address in the arguments of a flag.
func portOf(t *testing.T, args []string, flag string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(valueOf(t, args, flag))
	require.NoError(t, err)
	return port
}

func valueOf(t *testing.T, args []string, flag string) string {
	t.Helper()
	for i, each := range args {
		if each == flag {
			return args[i+1]
		}
	}
	require.Fail(t, "no "+flag)
	return ""
}

// TestContainerFiles checks that the files of the image, of compose and of Prometheus agree with
// the command and with each other: arguments, ports, paths and names.
func TestContainerFiles(t *testing.T) {
	t.Parallel()
	made := readImage(t)
	require.Equal(t, []string{"scratch"}, made["FROM"])
	require.Equal(t, []string{"65532:65532"}, made["USER"])
	serve, check := made.list(t, "CMD"), made.list(t, "HEALTHCHECK")
	require.Equal(t, made.list(t, "ENTRYPOINT")[0], check[0])
	requireKnown(t, serve)
	requireKnown(t, check[1:])
	sqlPort, httpPort := portOf(t, serve, "--listen"), portOf(t, serve, "--http")
	require.Equal(t, []string{sqlPort + " " + httpPort}, made["EXPOSE"])
	require.Equal(t, "https://127.0.0.1:"+httpPort, check[2])
	require.Contains(t, serve, "--tls-self-signed")
	volume := made["VOLUME"][0]
	require.True(t, strings.HasPrefix(serve[1], volume+"/"))

	var all compose
	readYAML(t, "compose.yaml", &all)
	server := all.Services["hbasekv"]
	require.Equal(t, append([]string{"CMD"}, check...), server.Healthcheck.Test)
	require.Equal(t, []string{"127.0.0.1:" + sqlPort + ":" + sqlPort, "127.0.0.1:" + httpPort + ":" + httpPort}, server.Ports)
	require.Equal(t, []string{"store:" + volume}, server.Volumes)
	require.Contains(t, all.Volumes, "store")
	require.Equal(t, "/run/secrets/"+server.Secrets[0], valueOf(t, serve, "--password-file"))
	require.Equal(t, "./password", all.Secrets[server.Secrets[0]].File)
	require.Equal(t, "..", server.Build.Context)
	require.Equal(t, "container/Containerfile", server.Build.Dockerfile)

	var figures scrapes
	readYAML(t, "prometheus.yml", &figures)
	require.Equal(t, []string{"hbasekv:" + httpPort}, figures.Configs[0].Targets[0].Targets)
	require.Equal(t, "https", figures.Configs[0].Scheme)
	require.True(t, figures.Configs[0].TLS.Skip)
}

var securedMetricsOn = regexp.MustCompile(`metrics on https://\S+:(\d+)/metrics`)

// TestContainerServes starts the server with the image's arguments, on other ports, and checks its
// health as the image does.
func TestContainerServes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "password"), []byte("open sesame\n"), 0o444))
	args := readImage(t).list(t, "CMD")
	for i, each := range args {
		switch {
		case strings.HasPrefix(each, "0.0.0.0:"):
			args[i] = "0.0.0.0:0"
		case strings.HasPrefix(each, "/"):
			args[i] = filepath.Base(each)
		}
	}
	cmd := command(dir, args...)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	port := ""
	for lines := bufio.NewScanner(stderr); port == "" && lines.Scan(); {
		if m := securedMetricsOn.FindStringSubmatch(lines.Text()); m != nil {
			port = m[1]
		}
	}
	require.NotEmpty(t, port)
	out, err := command(dir, "health", "https://127.0.0.1:"+port).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "ok\n", string(out))
}
