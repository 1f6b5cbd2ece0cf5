package rights

import (
	"encoding/binary"
	"net"
	"strings"
)

// telling is the specificity by which MySQL sorts patterns: highest without wildcards, then by the position
// of the first wildcard, and lowest for an empty pattern.
func telling(pattern string, escape byte) int {
	const all = 128
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == escape && escape != 0 && i+1 < len(pattern):
			i++
		case c == '%' || c == '_':
			return min(i+1, all-1)
		}
	}
	if pattern == "" {
		return 0
	}
	return all
}

// plainName is the name that a pattern of databases stands for; wild says that it has wildcards.
func plainName(pattern string) (name string, wild bool) {
	out := make([]byte, 0, len(pattern))
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '\\' && i+1 < len(pattern):
			i++
			c = pattern[i]
		case c == '%' || c == '_':
			return pattern, true
		}
		out = append(out, c)
	}
	return string(out), false
}

// matchesHost reports whether an account's host matches the name or the address of a client.
func matchesHost(pattern, host string) bool {
	if pattern == "" {
		return true
	}
	if address, mask, ok := strings.Cut(pattern, "/"); ok {
		return inNetwork(address, mask, host)
	}
	return Like(strings.ToLower(pattern), strings.ToLower(host), 0)
}

// inNetwork reports whether an IPv4 address is in a network.
func inNetwork(network, mask, address string) bool {
	n, m, a := ipv4(network), ipv4(mask), ipv4(address)
	if n == nil || m == nil || a == nil {
		return false
	}
	bits := binary.BigEndian.Uint32(m)
	return binary.BigEndian.Uint32(a)&bits == binary.BigEndian.Uint32(n)
}

func ipv4(text string) net.IP { return net.ParseIP(text).To4() }

// Like reports whether a name matches a pattern, in which % is any text, _ any byte, and escape, if not 0,
// precedes a literal byte. It takes at most as many steps as the product of both lengths.
func Like(pattern, name string, escape byte) bool {
	p, n := 0, 0
	again, from := -1, 0 // after the last %, and the position at which it is tried next
	for n < len(name) || p < len(pattern) {
		if p < len(pattern) && pattern[p] == '%' {
			p++
			again, from = p, n
			continue
		}
		if next, ok := matchOne(pattern, p, name, n, escape); ok {
			p, n = next, n+1
			continue
		}
		if again < 0 || from >= len(name) {
			return false
		}
		from++
		p, n = again, from
	}
	return true
}

// matchOne matches one byte with the pattern's next one.
func matchOne(pattern string, p int, name string, n int, escape byte) (next int, ok bool) {
	if p >= len(pattern) || n >= len(name) {
		return p, false
	}
	if pattern[p] == escape && escape != 0 && p+1 < len(pattern) {
		return p + 2, pattern[p+1] == name[n]
	}
	return p + 1, pattern[p] == '_' || pattern[p] == name[n]
}
