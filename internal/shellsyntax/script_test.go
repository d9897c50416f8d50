package shellsyntax

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// draw writes a command in one line: what it follows, assignments, words (those
// that are not known in angle brackets), redirections and where it runs.
func draw(c Command) string {
	var f []string
	if c.After != "" {
		f = append(f, c.After)
	}
	for _, a := range c.Assigns {
		f = append(f, a.Name+"="+drawWord(a.Value))
	}
	for _, w := range c.Words {
		f = append(f, drawWord(w))
	}
	for _, r := range c.Redirs {
		op := "read"
		if r.Write {
			op = "write"
		}
		f = append(f, op+":"+drawWord(r.Target))
	}
	if c.Background {
		f = append(f, "#background")
	}
	if c.Subshell {
		f = append(f, "#subshell")
	}
	if c.Function != "" {
		f = append(f, "#in "+c.Function)
	}
	return strings.Join(f, " ")
}

func drawWord(w Word) string {
	if !w.Known {
		return "<" + w.Text + ">"
	}
	return w.Text
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"a comment", "# rm x", nil},
		{"one", "ls -l a", []string{"ls -l a"}},
		{"blanks do not matter", "  git   diff\t x ", []string{"git diff x"}},
		{"a list", "a && b || c; d\ne & f", []string{"a", "&& b", "|| c", "; d", "; e #background #subshell", "& f"}},
		{"a pipeline", "a | b |& c", []string{"a #subshell", "| b #subshell", "|& c #subshell"}},
		{"brackets", "(a; b) && { c; d; }", []string{"a #subshell", "; b #subshell", "&& c", "; d"}},
		{"conditions", "if a; then b; elif c; then d; else e; fi", []string{"a", "b", "c", "d", "e"}},
		{"loops", "while a; do b; done; until c; do d; done", []string{"a", "b", "c", "d"}},
		{"a loop's variable is set", "for f in a *.b; do c $f; done", []string{"f=a", "f=<*.b>", "c <$f>"}},
		{"cases", "case $(a) in x) b;; *) c;; esac", []string{"a #subshell", "b", "c"}},
		{"a function", "f() { a; }; f", []string{"a #in f", "; f"}},
		{"substitutions", "a $(b `c`) \"$(d)\" ${x:-$(e)}", []string{
			"a <$(b `c`)> <\"$(d)\"> <${x:-$(e)}>", "b <`c`> #subshell", "c #subshell", "d #subshell", "e #subshell",
		}},
		{"process substitution", "diff <(a) >(b)", []string{"diff <<(a)> <>(b)>", "a #background #subshell", "b #background #subshell"}},
		{"here-documents are text, but for substitutions", "cat <<E\nrm x $(a)\nE\ncat <<'E'\n$(b)\nE", []string{"cat", "a #subshell", "; cat"}},
		{"here-strings", "cat <<<$(a)", []string{"cat", "a #subshell"}},
		{"assignments", "A=1 B=\"$x\" c; D=", []string{"A=1 B=<\"$x\"> c", "; D="}},
		{"declarations", "export A=1 B; local -r c=$(d)", []string{"A=1 export A=1 B", "; c=<$(d)> local -r c=$(d)", "d #subshell"}},
		{"redirections", "a >f 2>>g <h &>i >|j 3<>k", []string{"a write:f write:g read:h write:i write:j write:k"}},
		{"joining descriptors is none", "a 2>&1 >&2 <&- 3>&1-", []string{"a"}},
		{"but >& with a name is", "a >&f", []string{"a write:f"}},
		{"nor is a connection a file to read", "a </dev/tcp/h/80", []string{"a write:/dev/tcp/h/80"}},
		{"of a compound command", "{ a; } >f; (b) <g", []string{"write:f", "a", "; read:g", "b #subshell"}},
		{"keywords", "[[ -f $(a) ]] && ((x++)); let y=1", []string{"[[", "a #subshell", "&& ((", "; let"}},
		{"time and !", "time a; ! b", []string{"a", "; b"}},
		{"coproc", "coproc a", []string{"a #background #subshell"}},
		{"quotes and backslashes", `\rm -r"f" 'a b' "c\"d\e" f\ g`, []string{`rm -rf a b c"d\e f g`}},
	} {
		s, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for _, cmd := range s.Commands {
			got = append(got, draw(cmd))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"echo 'x", "reached EOF without closing quote"},
		{"if a; then b", "must end with"},
		{"a )", "can only contain"},
		{"a\x00b", "NUL"},
		{"ls # a \\\nrm b", "comment"},
		{"ls $(#\\\nrm b)", "comment"},
		{"ls \\\n#a\\\nrm b", "comment"},
		{"ls \\\r\nrm b", "carriage return"},
		{strings.Repeat("(", maxText+1), "longer than"},
	} {
		_, err := Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Parse(%.20q) = %v, want one line with %q", c.text, err, c.want)
		}
	}
}

// Brackets within brackets must not exhaust the stack.
func TestParseDeep(t *testing.T) {
	for _, open := range []string{"(", "$(", "{ ", "\"$(", "`", "if ", "((", "${a:-"} {
		_, _ = Parse(strings.Repeat(open, maxText/4/len(open)))
	}
}

func TestObscure(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"echo $((1 + 2 * 3))", false},
		{"i=0; while [ 1 = 1 ]; do i=$((i+1)); echo $i; done", false},
		{"echo $((COLUMNS / 2))", false}, // the user's own
		{"x='a[$(touch P)]'; echo $((x))", true},
		{"x=y; y='a[$(touch P)]'; ((x))", true},
		{"read x; [[ $x -eq 1 ]]", true},
		{"[[ $(cat f) -eq 1 ]]", true},
		{"[[ $# -gt 1 && ${#x} -lt 3 ]]", false},
		{"[[ -v x ]]", true},
		{"echo ${x@P}", true},
		{"echo ${!x}", true},
		{"echo ${a[i]}", true},
		{"echo ${a[0]} ${a[@]} ${#a[@]}", false},
		{"echo ${x:1:2}", false},
		{"x='a[$(touch P)]'; echo ${y:x:2}", true},
		{"x='a[$(touch P)]'; a[x]=1", true},
		{"for PATH in .; do ls; done", true},
		{": ${GIT_PAGER:=x}", true},
		{": ${x:=y}", false},
		{"exec {fd}>f", true},
		{"for ((i=0; i<3; i++)); do echo $i; done", false},
		{"ls\r-l", true},
		{"for x; do echo; done", true},
	} {
		s, err := Parse(c.text)
		if err != nil {
			t.Fatalf("%q: %v", c.text, err)
		}
		if got := s.Obscure(); (got != "") != c.want {
			t.Errorf("Obscure(%q) = %q, want any: %t", c.text, got, c.want)
		}
	}
}
