package cli

import "runtime/debug"

func BuildInfo() (version, revision, goVersion string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)", "", "(unknown)"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = " " + s.Value
		}
	}
	return info.Main.Version, revision, info.GoVersion
}
