package sysvar

import (
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// parseVersions parses the value of a variable: latest, all or a number of versions.
func parseVersions(variable, text string) (versions.View, error) {
	switch strings.ToLower(text) {
	case "", "latest":
		return versions.Latest(), nil
	case "all":
		return versions.All(), nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return versions.View{}, mysqlerr.New(mysqlerr.WrongValueForVar,
			"Variable '%s' can't be set to the value of '%s': use latest, all or a number from 1", variable, text)
	}
	return versions.View{Versions: n}, nil
}

// versionsText is the inverse of parseVersions.
func versionsText(v versions.View) string {
	switch v.Versions {
	case 0:
		return "all"
	case 1:
		return "latest"
	}
	return strconv.Itoa(v.Versions)
}
