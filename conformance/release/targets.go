package main

import (
	"fmt"
	"strings"
)

// target is a system for which the command is built.
type target struct{ os, arch string }

const allTargets = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

// parseTargets parses a list such as linux/amd64,windows/arm64.
func parseTargets(text string) (targets []target, err error) {
	for _, each := range strings.Split(text, ",") {
		system, arch, _ := strings.Cut(each, "/")
		if !strings.Contains(","+allTargets+",", ","+each+",") {
			return nil, fmt.Errorf("-targets: %q is not one of %s", each, allTargets)
		}
		targets = append(targets, target{system, arch})
	}
	return targets, nil
}

func (t target) String() string { return t.os + "/" + t.arch }

// binary is the name of the command on that system.
func (t target) binary() string {
	if t.os == "windows" {
		return "hbasekv.exe"
	}
	return "hbasekv"
}
