package rights

import (
	"encoding/binary"
	"net"
	"strings"
)

// telling is how much a pattern says, as MySQL sorts patterns: one without wildcards
// most, then by how far in front the first wildcard is, and nothing least.
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

// plainName is the name that a pattern of databases stands for, unless it is wild: has
// wildcards.
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

// matchesHost matches the host of an account with the name or the address of a
// client.
func matchesHost(pattern, host string) bool {
	if pattern == "" {
		return true
	}
	if address, mask, ok := strings.Cut(pattern, "/"); ok {
		return inNetwork(address, mask, host)
	}
	return Like(strings.ToLower(pattern), strings.ToLower(host), 0)
}

// inNetwork reports whether an IPv4 address lies in a network.
func inNetwork(network, mask, address string) bool {
	n, m, a := ipv4(network), ipv4(mask), ipv4(address)
	if n == nil || m == nil || a == nil {
		return false
	}
	bits := binary.BigEndian.Uint32(m)
	return binary.BigEndian.Uint32(a)&bits == binary.BigEndian.Uint32(n)
}

func ipv4(text string) net.IP { return net.ParseIP(text).To4() }

// Like matches a name with a pattern, in which % is any text, _ any byte, and escape,
// where it is not 0, takes the byte behind it for itself. It takes at most as many
// steps as both lengths multiplied.
func Like(pattern, name string, escape byte) bool {
	p, n := 0, 0
	again, from := -1, 0 // behind the last %, and what it is tried against next
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
