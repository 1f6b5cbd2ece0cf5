package op

// Warning is a warning that is kept to be reported later, with the number of further warnings that
// are only counted.
type Warning struct {
	code    uint16
	message string
	more    int
}

// AddWarning appends a warning to the kept ones, or counts it if there are most already.
func AddWarning(to []Warning, code uint16, message string, most int) []Warning {
	if last := len(to) - 1; last >= 0 && len(to) >= most {
		to[last].more++
		return to
	}
	return append(to, Warning{code: code, message: message})
}

// Apart returns a function's warnings instead of reporting them. The error is the function's.
func (x *Frame) Apart(f func() error) (warnings []Warning, err error) {
	session := x.Env.Session
	if session == nil || session.AddWarning == nil {
		return nil, f()
	}
	tell := session.AddWarning
	defer func() { session.AddWarning = tell }()
	session.AddWarning = func(code uint16, message string) {
		warnings = AddWarning(warnings, code, message, session.MaxErrorCount)
	}
	err = f()
	return warnings, err
}

// Warns reports whether a function warns; its warnings are reported as usual. The error is the
// function's.
func (x *Frame) Warns(f func() error) (warned bool, err error) {
	session := x.Env.Session
	if session == nil || session.AddWarning == nil {
		return false, f()
	}
	tell := session.AddWarning
	defer func() { session.AddWarning = tell }()
	session.AddWarning = func(code uint16, message string) {
		warned = true
		tell(code, message)
	}
	err = f()
	return warned, err
}

func (x *Frame) Tell(warnings []Warning) {
	for _, w := range warnings {
		for range 1 + w.more {
			x.Env.Session.AddWarning(w.code, w.message)
		}
	}
}
