package exec

// warning is one that is told later, and how many more of which nothing but that is asked.
type warning struct {
	code    uint16
	message string
	more    int
}

// addWarning adds one to those that are told later, of which the statement keeps so many.
func addWarning(to []warning, code uint16, message string, most int) []warning {
	if last := len(to) - 1; last >= 0 && len(to) >= most {
		to[last].more++
		return to
	}
	return append(to, warning{code: code, message: message})
}

// apart has what a function warns of not told.
func (x *frame) apart(f func() error) (warnings []warning, err error) {
	session := x.env.Session
	if session == nil || session.AddWarning == nil {
		return nil, f()
	}
	tell := session.AddWarning
	defer func() { session.AddWarning = tell }()
	session.AddWarning = func(code uint16, message string) {
		warnings = addWarning(warnings, code, message, session.MaxErrorCount)
	}
	err = f()
	return warnings, err
}

// warns reports whether a function warns, which is told as ever.
func (x *frame) warns(f func() error) (warned bool, err error) {
	session := x.env.Session
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

func (x *frame) tell(warnings []warning) {
	for _, w := range warnings {
		for range 1 + w.more {
			x.env.Session.AddWarning(w.code, w.message)
		}
	}
}
