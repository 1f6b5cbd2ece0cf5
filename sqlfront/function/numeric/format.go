package numeric

import (
	"strings"
	"sync"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func init() {
	function.Register(map[string]*function.Function{
		"FORMAT": {Min: 2, Max: 3, Type: function.Maybe(value.Text), Nulls: true, Eval: evalFormat, Numbers: 3},
	})
}

// evalFormat writes a number with the decimal point and the separators of a locale. As in MySQL an unknown or
// NULL locale means en_US, with a warning
// (https://dev.mysql.com/doc/refman/5.7/en/string-functions.html#function_format).
func evalFormat(env *function.Env, args []value.Value) (value.Value, error) {
	if args[0].IsNull() || args[1].IsNull() {
		return value.Value{}, nil
	}
	places, err := env.Integer(args[1])
	if err != nil {
		return value.Value{}, err
	}
	locale := defaultLocale
	if len(args) == 3 {
		if locale, err = localeOf(env, args[2]); err != nil {
			return value.Value{}, err
		}
	}
	places = min(max(places, 0), value.MaxScale)
	n, err := env.Number(args[0])
	if err != nil {
		return value.Value{}, err
	}
	text := n.AsDecimal().StringFixed(int32(places))
	if n.Kind() == value.Float {
		text = value.NewFloatScale(roundFloat(n.Float(), places), int(places)).String()
	}
	return value.NewText(locale.format(text)), nil
}

// locale is the format of numbers in a locale.
type locale struct {
	point, separator string // the separator is empty if digits are not grouped
	first, others    int    // the number of digits in the group before the point, and in those before it
}

var defaultLocale = &locale{".", ",", 3, 3}

// localesWith has the names of MySQL's locales, with their point, separator and sizes of groups
// (https://dev.mysql.com/doc/refman/5.7/en/locale-support.html).
var localesWith = []struct {
	locale
	names string
}{
	{*defaultLocale, `ar_AE ar_BH ar_DZ ar_EG ar_IN ar_IQ ar_JO ar_KW ar_LB ar_LY ar_MA ar_OM ar_QA ar_SD ar_SY ar_TN
		ar_YE en_AU en_CA en_GB en_NZ en_PH en_US en_ZA en_ZW es_DO es_GT es_HN es_MX es_NI es_PA es_PE es_PR es_SV es_US gu_IN
		he_IL hi_IN ja_JP ko_KR ms_MY sw_KE th_TH ur_PK zh_CN zh_HK zh_TW`},
	{locale{",", ".", 3, 3}, `be_BY da_DK de_BE de_DE de_LU es_AR es_BO es_CL es_CO es_EC es_ES es_PY es_UY es_VE fo_FO
		hu_HU id_ID is_IS lt_LT mn_MN nb_NO no_NO ro_RO ru_UA sq_AL tr_TR uk_UA vi_VN`},
	{locale{",", " ", 3, 3}, `cs_CZ es_CR et_EE fi_FI ka_GE lv_LV mk_MK ru_RU sk_SK sv_FI sv_SE`},
	{locale{",", "", 0, 0}, `ca_ES de_AT el_GR eu_ES fr_BE fr_CA fr_CH fr_FR fr_LU gl_ES hr_HR it_IT nl_BE nl_NL pl_PL
		pt_BR pt_PT sl_SI`},
	{locale{".", "", 0, 0}, `ar_SA sr_RS sr_YU`},
	{locale{".", ",", 3, 2}, `en_IN ta_IN te_IN`},
	{locale{".", "'", 3, 3}, `de_CH`},
	{locale{",", "'", 3, 3}, `it_CH rm_CH`},
	{locale{",", "\x00", 3, 3}, `bg_BG`},
}

var locales = sync.OnceValue(func() map[string]*locale {
	out := map[string]*locale{}
	for _, with := range localesWith {
		for name := range strings.FieldsSeq(with.names) {
			out[strings.ToLower(name)] = &with.locale
		}
	}
	return out
})

// maxLocale is longer than the name of any locale.
const maxLocale = 16

func localeOf(env *function.Env, name value.Value) (*locale, error) {
	b := name.AsBytes()
	if known := locales()[strings.ToLower(string(b[:min(len(b), maxLocale)]))]; known != nil {
		return known, nil
	}
	text := name.ShortString()
	if name.IsNull() {
		text = "NULL"
	}
	return defaultLocale, env.Note(mysqlerr.UnknownLocale, "Unknown locale: '"+text+"'")
}

// format formats a number, possibly with a point, without separators.
func (l *locale) format(text string) []byte {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	whole, fraction, hasPoint := strings.Cut(text, ".")
	out := []byte(sign)
	for i := range len(whole) {
		if i > 0 && l.separates(len(whole)-i) {
			out = append(out, l.separator...)
		}
		out = append(out, whole[i])
	}
	if hasPoint {
		out = append(append(out, l.point...), fraction...)
	}
	return out
}

// separates reports whether this many digits before the point are whole groups.
func (l *locale) separates(digits int) bool {
	return l.separator != "" && digits >= l.first && (digits-l.first)%l.others == 0
}
