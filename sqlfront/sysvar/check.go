package sysvar

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// DefaultErrorCount and mostErrorCount are MySQL's default and maximum of max_error_count.
const (
	DefaultErrorCount = 64
	mostErrorCount    = 1<<16 - 1
)

// checkValue converts a value to what the variable holds.
func (v *Vars) checkValue(name string, known variable, val value.Value) (value.Value, error) {
	switch known.kind {
	case boolVar:
		return checkFlag(name, val)
	case secondsVar:
		if name == timestampVar {
			return checkTimestamp(val)
		}
		return v.checkSeconds(name, val)
	case intVar:
		val, err := v.checkInt(name, val)
		if err == nil && name == scanLimitVar {
			return checkGuard(name, val)
		}
		return val, err
	}
	if val.IsNull() && name != "character_set_results" {
		return val, wrongValue(name, "NULL")
	}
	if isGuardVariable(name) {
		return checkGuard(name, val)
	}
	if name == sqlMode {
		mode, err := checkSQLMode(val)
		return value.NewString(mode), err
	}
	if val, err := checkChoice(name, val); err != nil {
		return val, err
	} else if choices[name] != nil {
		return val, nil
	}
	if name == "tx_isolation" {
		if _, ok := levelNamed(val); !ok {
			return val, wrongValue(name, val.String())
		}
		return value.NewString(strings.ToUpper(strings.ReplaceAll(val.String(), " ", "-"))), nil
	}
	return val, nil
}

// checkInt limits a number to its bounds, with a warning, as MySQL does.
func (v *Vars) checkInt(name string, val value.Value) (value.Value, error) {
	if val.Kind() != value.Uint && val.Kind() != value.Int {
		return val, mysqlerr.New(mysqlerr.WrongTypeForVar, "Incorrect argument type to variable '%s'", name)
	}
	within := val
	if least := leastInts[name]; val.Kind() == value.Int && val.Int() < least {
		within = value.NewInt(least)
	}
	if most, ok := v.most(name); ok && within.AsUint() > most {
		within = value.NewInt(int64(most))
	}
	if value.Order(within, val) != 0 {
		v.host.Warn(uint16(mysqlerr.TruncatedWrongValue), fmt.Sprintf("Truncated incorrect %s value: '%s'", name, val))
	}
	return within, nil
}

// checkSeconds checks a number of seconds against its bounds.
func (v *Vars) checkSeconds(name string, val value.Value) (value.Value, error) {
	if val.IsNull() || val.IsString() {
		return val, mysqlerr.New(mysqlerr.WrongTypeForVar, "Incorrect argument type to variable '%s'", name)
	}
	n := min(max(val.AsFloat(), 0), maxSeconds)
	if n != val.AsFloat() {
		v.host.Warn(uint16(mysqlerr.TruncatedWrongValue), fmt.Sprintf("Truncated incorrect %s value: '%s'", name, val))
	}
	return secondsValue(n), nil
}

// secondsValue is a number of seconds with six digits after the point.
func secondsValue(n float64) value.Value {
	return value.NewDecimal(decimal.NewFromInt(int64(math.Round(n * 1e6))).Shift(-6))
}

// Seconds is a moment as the variable timestamp shows it.
func Seconds(at time.Time) value.Value { return secondsValue(float64(at.UnixMicro()) / 1e6) }
