package temporal

import (
	"fmt"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

func init() {
	function.Register(map[string]*function.Function{
		"DATE_FORMAT": {Min: 2, Max: 2, Type: function.Maybe(value.Text), Eval: evalDateFormat},
		"TIME_FORMAT": {Min: 2, Max: 2, Type: function.Maybe(value.Text), Eval: evalTimeFormat},
		"GET_FORMAT":  {Min: 2, Max: 2, Type: function.Maybe(value.Text), Eval: evalGetFormat},
	})
}

func evalDateFormat(env *function.Env, args []value.Value) (value.Value, error) {
	d, ok, err := DateTimeOf(env, args[0])
	if !ok || err != nil {
		return value.Value{}, err
	}
	return formatDate(env, d, args[1].AsBytes())
}

// evalTimeFormat supports hours and smaller units; hours may exceed a day.
func evalTimeFormat(env *function.Env, args []value.Value) (value.Value, error) {
	t, ok, err := TimeOf(env, args[0])
	if !ok || err != nil {
		return value.Value{}, err
	}
	micros := function.Abs(t.Micros())
	f := calendar.Fields{Hour: int(micros / hour), Minute: int(micros / minute % 60), Second: int(micros / second % 60), Micro: int(micros % second)}
	var out []byte
	if t.Micros() < 0 {
		out = append(out, '-')
	}
	return formatFields(env, out, f, args[1].AsBytes())
}

func formatDate(env *function.Env, d value.Value, format []byte) (value.Value, error) {
	if len(format) == 0 {
		return value.Value{}, nil
	}
	return formatFields(env, nil, d.Fields(), format)
}

// formatUnits is the approximate cost of a specifier.
const formatUnits = 32

func formatFields(env *function.Env, out []byte, f calendar.Fields, format []byte) (value.Value, error) {
	for i := 0; i < len(format) && len(out) <= env.MaxPacket(); i++ {
		if format[i] != '%' || i+1 == len(format) {
			out = append(out, format[i])
			continue
		}
		i++
		if spec, ok := dateSpecifiers[format[i]]; ok {
			out = append(out, spec(f)...)
		} else {
			out = append(out, format[i])
		}
		if err := env.Step(formatUnits); err != nil {
			return value.Value{}, err
		}
	}
	return value.NewText(out), nil
}

func number(layout string, part func(calendar.Fields) int) func(calendar.Fields) string {
	return func(f calendar.Fields) string { return fmt.Sprintf(layout, part(f)) }
}

func weekNumber(layout string, mode int64) func(calendar.Fields) string {
	return func(f calendar.Fields) string {
		if f.Month == 0 {
			return "00"
		}
		week, _ := weekOf(f, mode)
		return fmt.Sprintf(layout, week)
	}
}

func weekYear(mode int64) func(calendar.Fields) string {
	return func(f calendar.Fields) string {
		if f.Month == 0 {
			return "0000"
		}
		_, year := weekOf(f, mode)
		return fmt.Sprintf("%04d", year)
	}
}

func hour12(f calendar.Fields) int { return (f.Hour%24+11)%12 + 1 }

func amPM(f calendar.Fields) string {
	if f.Hour%24 >= 12 {
		return "PM"
	}
	return "AM"
}

// dateSpecifiers are those of DATE_FORMAT
// (https://dev.mysql.com/doc/refman/5.7/en/date-and-time-functions.html#function_date-format).
var dateSpecifiers = map[byte]func(calendar.Fields) string{
	'a': func(f calendar.Fields) string { return shortDay(f) },
	'b': func(f calendar.Fields) string { return monthName(f.Month, 3) },
	'c': number("%d", func(f calendar.Fields) int { return f.Month }),
	'D': func(f calendar.Fields) string { return fmt.Sprintf("%d%s", f.Day, ordinal(f.Day)) },
	'd': number("%02d", func(f calendar.Fields) int { return f.Day }),
	'e': number("%d", func(f calendar.Fields) int { return f.Day }),
	'f': number("%06d", func(f calendar.Fields) int { return f.Micro }),
	'H': number("%02d", func(f calendar.Fields) int { return f.Hour }),
	'h': number("%02d", hour12),
	'I': number("%02d", hour12),
	'i': number("%02d", func(f calendar.Fields) int { return f.Minute }),
	'j': number("%03d", func(f calendar.Fields) int { return int(dayOfYear(f)) }),
	'k': number("%d", func(f calendar.Fields) int { return f.Hour }),
	'l': number("%d", hour12),
	'M': func(f calendar.Fields) string { return monthName(f.Month, 99) },
	'm': number("%02d", func(f calendar.Fields) int { return f.Month }),
	'p': amPM,
	'r': func(f calendar.Fields) string {
		return fmt.Sprintf("%02d:%02d:%02d %s", hour12(f), f.Minute, f.Second, amPM(f))
	},
	'S': number("%02d", func(f calendar.Fields) int { return f.Second }),
	's': number("%02d", func(f calendar.Fields) int { return f.Second }),
	'T': func(f calendar.Fields) string { return fmt.Sprintf("%02d:%02d:%02d", f.Hour, f.Minute, f.Second) },
	'U': weekNumber("%02d", 0),
	'u': weekNumber("%02d", 1),
	'V': weekNumber("%02d", 2),
	'v': weekNumber("%02d", 3),
	'W': func(f calendar.Fields) string { return longDay(f) },
	'w': number("%d", func(f calendar.Fields) int { return (weekday(f) + 1) % 7 }),
	'X': weekYear(2),
	'x': weekYear(3),
	'Y': number("%04d", func(f calendar.Fields) int { return f.Year }),
	'y': number("%02d", func(f calendar.Fields) int { return f.Year % 100 }),
}

func longDay(f calendar.Fields) string {
	if f.Month == 0 {
		return ""
	}
	return dayNames[weekday(f)]
}

func shortDay(f calendar.Fields) string {
	name := longDay(f)
	return name[:min(3, len(name))]
}

func monthName(month, length int) string {
	if month == 0 {
		return ""
	}
	name := time.Month(month).String()
	return name[:min(length, len(name))]
}

func ordinal(day int) string {
	switch {
	case day%100 >= 11 && day%100 <= 13:
		return "th"
	case day%10 == 1:
		return "st"
	case day%10 == 2:
		return "nd"
	case day%10 == 3:
		return "rd"
	}
	return "th"
}

// dateFormats are the results of GET_FORMAT, by type and region.
var dateFormats = map[string]string{
	"DATE USA": "%m.%d.%Y", "DATE JIS": "%Y-%m-%d", "DATE ISO": "%Y-%m-%d", "DATE EUR": "%d.%m.%Y", "DATE INTERNAL": "%Y%m%d",
	"DATETIME USA": "%Y-%m-%d %H.%i.%s", "DATETIME JIS": "%Y-%m-%d %H:%i:%s", "DATETIME ISO": "%Y-%m-%d %H:%i:%s",
	"DATETIME EUR": "%Y-%m-%d %H.%i.%s", "DATETIME INTERNAL": "%Y%m%d%H%i%s",
	"TIME USA": "%h:%i:%s %p", "TIME JIS": "%H:%i:%s", "TIME ISO": "%H:%i:%s", "TIME EUR": "%H.%i.%s", "TIME INTERNAL": "%H%i%s",
}

func evalGetFormat(_ *function.Env, args []value.Value) (value.Value, error) {
	kind := strings.Replace(string(args[0].AsBytes()), "TIMESTAMP", "DATETIME", 1)
	format, ok := dateFormats[kind+" "+strings.ToUpper(string(args[1].AsBytes()))]
	if !ok {
		return value.Value{}, nil
	}
	return value.NewString(format), nil
}
