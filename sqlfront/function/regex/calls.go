package regex

import (
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/function/text"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The functions of regular expressions, over the patterns of REGEXP
// (https://dev.mysql.com/doc/refman/8.0/en/regexp.html).
func init() {
	function.Register(map[string]*function.Function{
		"REGEXP_LIKE":    {Min: 2, Max: 3, Type: function.Truth, Eval: evalRegexpLike},
		"REGEXP_INSTR":   {Min: 2, Max: 6, Type: function.Fixed(value.Int), Eval: evalRegexpInstr, Numbers: 1<<2 | 1<<3 | 1<<4},
		"REGEXP_SUBSTR":  {Min: 2, Max: 5, Type: function.Nullable(text.TwoStrings), Eval: evalRegexpSubstr, Numbers: 1<<2 | 1<<3},
		"REGEXP_REPLACE": {Min: 3, Max: 6, Type: replacedType, Eval: evalRegexpReplace, Numbers: 1<<3 | 1<<4},
	})
}

func replacedType(a function.Args) value.Type {
	t := value.JointString(a.Types[:3]...)
	t.Nullable = a.Nullable()
	return t
}

// regexpCall is a call of one of these functions.
type regexpCall struct {
	env        *function.Env
	name       string
	x, pattern value.Value
	position   int64
	occurrence int64
	after      bool // REGEXP_INSTR returns the position after the match
	flags      string
}

// newRegexpCall reads the arguments after the pattern, or after the replacement: the position, the occurrence
// (by default the given one), the return option if the function has one, and the match type. Matches begin at
// the position.
func newRegexpCall(env *function.Env, name string, args []value.Value, first int, option bool, occurrence int64) (
	*regexpCall, *matches, error) {
	c := &regexpCall{env: env, name: name, x: args[0], pattern: args[1], position: 1, occurrence: occurrence}
	numbers := []*int64{&c.position, &c.occurrence}
	returns := int64(0)
	if option {
		numbers = append(numbers, &returns)
	}
	rest := args[first:]
	for _, n := range numbers {
		if len(rest) == 0 {
			break
		}
		var err error
		if *n, err = env.Integer(rest[0]); err != nil {
			return nil, nil, err
		}
		rest = rest[1:]
	}
	if returns != 0 && returns != 1 {
		return nil, nil, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to %s: return_option must be 1 or 0.", name)
	}
	c.after = returns == 1
	if err := c.matchType(rest); err != nil {
		return nil, nil, err
	}
	m, err := c.matches()
	return c, m, err
}

// matchType reads the flags of a pattern from the last argument, if it is there.
func (c *regexpCall) matchType(rest []value.Value) error {
	folds := caseFlags(c.x, c.pattern) != ""
	lines, all := false, false
	if len(rest) > 0 {
		for _, letter := range rest[0].AsBytes() {
			switch letter {
			case 'c', 'i':
				folds = letter == 'i'
			case 'm':
				lines = true
			case 'n':
				all = true
			case 'u': // lines always end only in \n
			default:
				return mysqlerr.New(mysqlerr.WrongArguments,
					"Incorrect arguments to %s: the match type '%s' has other letters than c, i, m, n and u",
					c.name, rest[0].ShortString())
			}
		}
	}
	for _, f := range []struct {
		set  bool
		flag string
	}{{folds, caseFlag}, {lines, "m"}, {all, "s"}} {
		if f.set {
			c.flags += f.flag
		}
	}
	return nil
}

// matches starts at the position; the error is 1583 before the first character, 3686 after the end.
func (c *regexpCall) matches() (*matches, error) {
	if c.position < 1 {
		return nil, mysqlerr.New(mysqlerr.WrongParamsNative, "Incorrect parameters in the call to native function '%s'", c.name)
	}
	re, err := regexpOf(c.env, c.x, c.pattern, c.flags)
	if err != nil {
		return nil, err
	}
	text := text.Chars{B: c.x.AsBytes(), Binary: re.binary}
	if c.position > 1 && c.position-1 > text.Count() {
		return nil, mysqlerr.New(mysqlerr.RegexpIndexOutOfBounds, "Index out of bounds in regular expression search.")
	}
	return re.matches(text.B, text.Offset(c.position-1), c.env.Meter()), nil
}

func evalRegexpLike(env *function.Env, args []value.Value) (value.Value, error) {
	c := &regexpCall{env: env, name: "regexp_like", x: args[0], pattern: args[1]}
	if err := c.matchType(args[2:]); err != nil {
		return value.Value{}, err
	}
	re, err := regexpOf(env, c.x, c.pattern, c.flags)
	if err != nil {
		return value.Value{}, err
	}
	ok, err := re.match(c.x.AsBytes(), env.Meter())
	return value.NewBool(ok), err
}

// evalRegexpInstr returns the position of the character at which a match begins, or the one after the match;
// 0 if there is none.
func evalRegexpInstr(env *function.Env, args []value.Value) (value.Value, error) {
	c, m, err := newRegexpCall(env, "regexp_instr", args, 2, true, 1)
	if err != nil {
		return value.Value{}, err
	}
	at, err := m.nth(c.occurrence)
	if at == nil || err != nil {
		return value.NewInt(0), err
	}
	end := at[0]
	if c.after {
		end = at[1]
	}
	return value.NewInt(1 + text.Chars{B: m.text[:end], Binary: m.binary}.Count()), env.Step(end)
}

func evalRegexpSubstr(env *function.Env, args []value.Value) (value.Value, error) {
	c, m, err := newRegexpCall(env, "regexp_substr", args, 2, false, 1)
	if err != nil {
		return value.Value{}, err
	}
	at, err := m.nth(c.occurrence)
	if at == nil || err != nil {
		return value.Value{}, err
	}
	return function.JointKind(m.text[at[0]:at[1]], args[:2]...), nil
}
