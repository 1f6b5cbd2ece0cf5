package temporal

import (
	"fmt"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

func init() {
	function.Register(map[string]*function.Function{
		"STR_TO_DATE": {Min: 2, Max: 2, Type: strToDateType, Eval: evalStrToDate},
	})
}

// The parts of a format, which determine the result type of STR_TO_DATE.
const (
	hasDate = 1 << iota
	hasClock
	hasFraction
)

// partsOf are the parts in a format.
func partsOf(v value.Value) (set int) {
	format := v.AsBytes()
	for i := 0; i+1 < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		i++
		if strings.IndexByte("abcDdejMmUuVvWwXxYy", format[i]) >= 0 {
			set |= hasDate
		}
		if strings.IndexByte("fHhIiklprSsT", format[i]) >= 0 {
			set |= hasClock
		}
		if format[i] == 'f' {
			set |= hasFraction
		}
	}
	return set
}

func strToDateType(a function.Args) value.Type {
	t := value.Type{Kind: value.DateTime, Nullable: true, Decimals: 6}
	parts, ok := a.Of.Ask(1, Parts)
	if !ok {
		return t
	}
	switch parts &^ hasFraction {
	case hasDate:
		t.Kind = value.Date
	case hasClock:
		t.Kind = value.Time
	}
	if parts&hasFraction == 0 {
		t.Decimals = 0
	}
	return t
}

func evalStrToDate(env *function.Env, args []value.Value) (value.Value, error) {
	text, format := string(args[0].AsBytes()), string(args[1].AsBytes())
	r := &dateReader{env: env, text: text, weekday: -1}
	parts := partsOf(args[1])
	if err := env.Step(len(text) + 8*len(format)); err != nil {
		return value.Value{}, err
	}
	if whole := parts != 0 && r.read(format) && r.complete(parts); r.err != nil {
		return value.Value{}, r.err
	} else if !whole {
		return value.Value{}, env.Warn(mysqlerr.WrongValueForType,
			fmt.Sprintf("Incorrect datetime value: '%s' for function str_to_date", args[0].ShortString()))
	}
	digits := 0
	if parts&hasFraction != 0 {
		digits = 6
	}
	switch parts &^ hasFraction {
	case hasDate:
		return value.NewDate(r.f), nil
	case hasClock:
		return value.NewTime(r.f.DayMicros(), digits), nil
	}
	return value.NewDateTime(r.f, digits), nil
}

// dateReader reads a text by a format with DATE_FORMAT's specifiers.
type dateReader struct {
	env       *function.Env
	err       error // the context's
	text      string
	f         calendar.Fields
	pm, am    bool
	twelve    bool // the hour was read in 12-hour format
	dayOfYear int
	week      int
	weekMode  int64
	weekYear  int
	weekday   int // from Monday, or -1
}

// readUnits is the approximate cost of reading by one character of a format.
const readUnits = 16

func (r *dateReader) read(format string) bool {
	for i := 0; i < len(format); i++ {
		if r.err = r.env.Step(readUnits); r.err != nil {
			return false
		}
		r.text = strings.TrimLeft(r.text, " \t\n")
		if r.text == "" {
			return true // parts that the text lacks are 0
		}
		switch c := format[i]; {
		case c == '%' && i+1 < len(format):
			i++
			if !r.specifier(format[i]) {
				return false
			}
		case c == ' ':
		case strings.HasPrefix(r.text, string(c)):
			r.text = r.text[1:]
		default:
			return false
		}
	}
	return true
}

func (r *dateReader) specifier(c byte) bool {
	switch c {
	case 'Y':
		return r.year()
	case 'y':
		if !r.number(2, &r.f.Year) {
			return false
		}
		r.f.Year = int(fullYear(int64(r.f.Year)))
		return true
	case 'm', 'c':
		return r.number(2, &r.f.Month)
	case 'd', 'e':
		return r.number(2, &r.f.Day)
	case 'D':
		ok := r.number(2, &r.f.Day) && len(r.text) >= 2
		if ok {
			r.text = r.text[2:]
		}
		return ok
	case 'H', 'k':
		return r.number(2, &r.f.Hour)
	case 'h', 'I', 'l':
		r.twelve = true
		return r.number(2, &r.f.Hour)
	case 'i':
		return r.number(2, &r.f.Minute)
	case 's', 'S':
		return r.number(2, &r.f.Second)
	case 'f':
		return r.fraction()
	case 'j':
		return r.number(3, &r.dayOfYear)
	}
	return r.longSpecifier(c)
}

func (r *dateReader) longSpecifier(c byte) bool {
	switch c {
	case 'b', 'M':
		return r.monthName(c == 'M')
	case 'a', 'W':
		return r.dayName(c == 'W')
	case 'w':
		ok := r.number(1, &r.weekday)
		r.weekday = (r.weekday + 6) % 7
		return ok
	case 'p':
		return r.meridiem()
	case 'r':
		return r.read("%I:%i:%S %p")
	case 'T':
		return r.read("%H:%i:%S")
	case 'U', 'u', 'V', 'v':
		r.weekMode = map[byte]int64{'U': 0, 'u': 1, 'V': 2, 'v': 3}[c]
		return r.number(2, &r.week) && r.week <= 53
	case 'X', 'x':
		return r.number(4, &r.weekYear)
	case '%':
		ok := strings.HasPrefix(r.text, "%")
		r.text = strings.TrimPrefix(r.text, "%")
		return ok
	}
	return false
}

func (r *dateReader) number(most int, into *int) bool {
	n, i := 0, 0
	for ; i < most && i < len(r.text) && r.text[i] >= '0' && r.text[i] <= '9'; i++ {
		n = n*10 + int(r.text[i]-'0')
	}
	r.text = r.text[i:]
	*into = n
	return i > 0
}

func (r *dateReader) year() bool {
	before := len(r.text)
	ok := r.number(4, &r.f.Year)
	if before-len(r.text) <= 2 {
		r.f.Year = int(fullYear(int64(r.f.Year)))
	}
	return ok
}

func (r *dateReader) fraction() bool {
	before := len(r.text)
	ok := r.number(6, &r.f.Micro)
	for width := before - len(r.text); width < 6; width++ {
		r.f.Micro *= 10
	}
	return ok
}

func (r *dateReader) monthName(long bool) bool {
	for m := time.January; m <= time.December; m++ {
		if r.word(m.String(), long) {
			r.f.Month = int(m)
			return true
		}
	}
	return false
}

func (r *dateReader) dayName(long bool) bool {
	for i, name := range dayNames {
		if r.word(name, long) {
			r.weekday = i
			return true
		}
	}
	return false
}

func (r *dateReader) word(name string, long bool) bool {
	if !long {
		name = name[:3]
	}
	if len(r.text) < len(name) || !strings.EqualFold(r.text[:len(name)], name) {
		return false
	}
	r.text = r.text[len(name):]
	return true
}

func (r *dateReader) meridiem() bool {
	switch {
	case r.word("AM ", true), r.word("AM", true):
		r.am = true
	case r.word("PM ", true), r.word("PM", true):
		r.pm = true
	default:
		return false
	}
	return true
}

// complete combines the parts and checks them.
func (r *dateReader) complete(parts int) bool {
	if (r.twelve || r.am || r.pm) && (r.f.Hour > 12 || r.f.Hour < 1 || !r.twelve) {
		return false
	}
	if r.twelve {
		r.f.Hour %= 12
		if r.pm {
			r.f.Hour += 12
		}
	}
	if !r.fromWeekOrDay() {
		return false
	}
	check := r.f
	if parts&hasDate == 0 {
		check.Year, check.Month, check.Day = 2000, 1, 1
	}
	return check.Valid()
}

// fromWeekOrDay finds the date of a day of the year or of a week.
func (r *dateReader) fromWeekOrDay() bool {
	if r.dayOfYear > 0 {
		f, ok := calendar.DateOfDays(calendar.Fields{Year: r.f.Year, Month: 1, Day: 1}.Days() + int64(r.dayOfYear) - 1)
		r.f.Year, r.f.Month, r.f.Day = f.Year, f.Month, f.Day
		return ok
	}
	if r.week == 0 || r.weekday < 0 {
		return true
	}
	year := r.f.Year
	if r.weekMode >= 2 {
		year = r.weekYear
	}
	monday := r.weekMode&1 != 0
	start := firstWeek(year, monday, (r.weekMode&4 != 0) == monday)
	into := r.weekday
	if !monday {
		into = (into + 1) % 7
	}
	f, ok := calendar.DateOfDays(start + int64(r.week-1)*7 + int64(into))
	r.f.Year, r.f.Month, r.f.Day = f.Year, f.Month, f.Day
	return ok
}

// Parts is the question which parts a format of STR_TO_DATE has.
var Parts = &function.Question{Of: partsOf}
