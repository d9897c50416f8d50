package shellsyntax

import (
	"strings"
	"testing"
)

var readOnly = []string{
	"", "# nothing", "ls", "ls -la", "ls *.go", "/bin/ls", "cat a b", "pwd", "echo hi", `echo "a > b"`, "printf '%s\\n' a", "true", ":",
	"head -n 5 a", "tail -f a", "wc -l $x", "stat a", "du -sh .", "df -h", "which go", "type ls", "file a", "basename a/b", "realpath .",
	"date", "date +%F", "date -u", "date -d yesterday", "uname -a", "id", "whoami", "ps aux", "ps -ef", "env", "hostname", "nproc",
	"find .", "find . -name y", "find . -name '*.go' -type f -mtime -7", "find . -size +10k -print0", "find src test -maxdepth 2 -not -path './x/*'",
	"find . -perm -u+x", `find . \( -name a -o -name b \) -print`,
	"grep -rn foo .", "grep -e a -e b f", "grep -c x *.go", "rg foo", "rg -n --type go foo src", "rg -tzig x",
	"sort a", "sort -u -k2,2n a", "sort -t, -k1 a | uniq -c | sort -rn", "uniq a", "uniq -f 1 a", "cut -d: -f1 a", "tr a b", "nl a",
	"sed -n 1,5p a", "sed -n '10,20p' a", "sed 's/a/b/g' a", "sed -e 's/a/b/' -e '/x/d' a", "sed -ne '/a/,/b/p' a", "sed '$d' a", "sed -n '$=' a", "sed 10q a",
	"jq .a f", "jq -r '.a[] | .b' f", "tree -L 2", "diff a b", "diff -u a b", "cmp a b", "comm a b", "md5sum a", "xxd a", "xxd -l 16 a", "od -c a",
	"test -f a", "[ -f a ]", "[ \"$x\" = y ]", "[[ $x == y* ]]",
	"git status", "git status -s", "git diff", "git diff --stat HEAD~1", "git log --oneline -5", "git log -p a", "git show HEAD", "git blame a", "git --no-pager log",
	"git branch", "git branch -a", "git branch --show-current", "git branch --list 'a*'", "git branch --contains HEAD", "git tag", "git tag -l 'v*'", "git remote", "git remote -v",
	"git remote get-url origin", "git config --get user.name", "git config --list", "git config user.name", "git config get user.name", "git stash list", "git stash show -p",
	"git rev-parse HEAD", "git ls-files", "git grep foo", "git grep -n 'a b'", "git reflog", "git worktree list", "git cat-file -p HEAD", "git --version", "git", "git -P diff",
	"go version", "go env GOPATH", "go list ./...", "go list -e -json .", "go doc fmt.Println", "go help test", "gofmt -l .", "gofmt -d a.go",
	"a=1; echo $a", "x=$(pwd); echo $x", "LC_ALL=C sort a", "NO_COLOR=1 ls", "export x=1; ls", "local x",
	"ls > /dev/null", "ls 2>&1", "ls >/dev/null 2>&1", "ls 2>/dev/null", "ls &>/dev/null", "cat < a", "cat <<E\nhi\nE", "cat <<<hi", "echo a >&2",
	"ls && pwd || true", "ls | wc -l", "(cd a && ls)", "echo $(ls)", "echo `ls`", "diff <(sort a) <(sort b)", "if [ -f a ]; then cat a; else echo no; fi",
	"for f in *.go; do echo $f; wc -l \"$f\"; done", "while read -r l; do echo \"$l\"; done < a", "while IFS= read -r l; do echo $l; done < a", "case a in a) ls;; esac",
	"set -euo pipefail; ls", "timeout 5 ls", "timeout -k 1 -s KILL 5s cat a", "nice -n 5 cat a", "time ls", "command ls", "command -v go", "stdbuf -oL grep a b",
	"find . -name a | xargs grep foo", "ls | xargs -n1 cat", "find . -print0 | xargs -0 wc -l", "sleep 1", "yes | head -n 1", "! grep a b", "exit 3", "ls; exit 0", "\\ls", "'ls' -l", "l''s",
}

var notReadOnly = []string{
	"rm a", "touch P", "mv a b", "cp a b", "mkdir d", "ln -s a b", "chmod +x a", "tee P", "dd if=a of=P", "./ls", "../bin/ls", "~/bin/ls", "/tmp/ls", "make", "npm test", "python3 -c 1", "awk 1 a", "perl -e 1",
	"awk 'BEGIN{system(\"touch P\")}'", "less a", "man ls", "vi a", "curl x", "ssh h", "nc h 1", "kill 1", "git-diff", "unknown",
	// Redirections.
	"ls > P", "ls >> P", "ls >| P", "ls &> P", "ls &>> P", "ls <> P", "ls 2> P", "ls >& P", "ls > \"$x\"", "ls > /dev/sda", "ls > /dev/../P", "cat < /dev/tcp/h/80", "> P", "{ ls; } > P", "(ls) > P", "if true; then ls; fi > P", "for i in a; do ls; done > P", "ls 3>P 1>&3", "exec > P",
	// Anywhere in the line.
	"ls; touch P", "ls && touch P", "ls || touch P", "ls | tee P", "ls & touch P", "ls\ntouch P", "(touch P)", "{ touch P; }", "echo $(touch P)", "echo `touch P`", "echo \"$(touch P)\"", "ls <(touch P)", "ls >(touch P)",
	"if touch P; then ls; fi", "while touch P; do ls; done", "for i in $(touch P); do ls; done", "case $(touch P) in a) ls;; esac", "f() { touch P; }; f", "cat <<E\n$(touch P)\nE", "cat <<<$(touch P)", "a=$(touch P)", "a=$(touch P) ls",
	"[[ $(touch P) ]]", "((1 + $(touch P)))", "echo ${x:-$(touch P)}", "echo ${x/a/$(touch P)}", "export x=$(touch P)", "time touch P", "! touch P", "coproc touch P", "echo {a,$(touch P)}",
	// Wrappers and programs within programs.
	"env touch P", "env X=1 ls", "env -i ls", "xargs touch", "ls | xargs rm", "ls | xargs", "ls | xargs sort", "ls | xargs find", "ls | xargs git diff", "ls | xargs sed -n", "timeout 5 touch P", "timeout $x ls", "timeout --what 5 ls", "nice touch P", "nohup touch P", "command touch P", "builtin eval ls", "exec ls", "eval ls", "sh -c ls", "bash -c 'touch P'", "source a", ". a", "sudo ls", "watch ls", "busybox ls", "trap ls EXIT", "alias ls=rm",
	// Arguments that do more than read.
	"find . -exec touch P ;", `find . -exec touch P \;`, "find . -execdir touch P +", "find . -ok touch P ;", "find . -okdir rm {} ;", "find . -delete", "find . -name y -delete", "find . -fprintf P x", "find . -fprint P", "find . -fprint0 P", "find . -fls P", "find . -files0-from P", "find $x", "find \"$x\"", "find *", "find . $x", "find . -name $x", "find . -name -delete", "find . '-delete'", "find . \"-del\"ete", "find . \\-delete", "find . -newermt -delete",
	"sort -o P a", "sort a -o P", "sort -oP a", "sort -uo P a", "sort --output=P a", "sort --outp P a", "sort --o=P a", "sort --compress-program=x a", "sort -T d a", "sort *", "sort $x",
	"sed -i s/a/b/ f", "sed -i.bak s/a/b/ f", "sed -n -i p f", "sed -ni p f", "sed --in-place p f", "sed --in-p p f", "sed 'w P' f", "sed 's/a/b/w P' f", "sed 's/a/touch P/e' f", "sed '1e touch P' f", "sed 'e' f", "sed -n '/x/w P' f", "sed -f s f", "sed 'r /etc/passwd' f", "sed -e p -e 'w P' f", "sed 'p;w P' f", "sed '{p;w P\n}' f", "sed 's/[/]/x/w P' f", "sed 's/a/b/;w P' f", "sed 's/a/b/gw P' f", "sed 'a\\' f", "sed \"$x\" f", "sed p $x", "sed '\\,a,w P' f", "sed 'y/a/b/;e' f", "sed --expression='w P' f", "sed -s -e 'w P' f", "sed '5!w P' f", "sed 'n;W P' f", "sed --debug -i p f",
	"rg --pre cat x", "rg --pre=x y", "rg --pr=x y", "rg -z x", "rg --search-zip x", "rg --hostname-bin x y", "rg -nz x", "rg $x", "rg x *",
	"tree -o P", "file -C", "file -Cm a", "xxd -r a P", "xxd a P", "xxd -l 3 a P", "uniq a P", "uniq -c a P", "uniq $x", "date -s now", "date --set=now", "date 01010000", "date -f a", "hostname x", "base64 -o P a",
	"printf -v PATH x", "printf -vx y", "test -v 'a[$(touch P)]'", "[ -v 'a[$(touch P)]' ]", "[ $x ]", "[[ -v a[$(touch P)] ]]", "wait -p x", "ps auxe", "ps eww", "ps -E", "ps -o environ",
	// Git.
	"git commit", "git add a", "git checkout a", "git reset", "git push", "git pull", "git fetch", "git clone x", "git difftool", "git difftool -x 'touch P'", "git diff --ext-diff", "git diff --ext", "git diff --output=P", "git diff --output P", "git diff --outp=P", "git log --output=P", "git show --output=P", "git log --ext-diff -p", "git diff --textconv", "git show $x", "git log *",
	"git -c core.pager=x log", "git -c alias.x='!touch P' x", "git -C d status", "git --git-dir=d status", "git --work-tree=d status", "git --exec-path=d status", "git --config-env=a=b status", "git -p log", "git --paginate log", "git grep -O x", "git grep -Ovi x", "git grep --open-files-in-pager=touch x", "git grep --open x",
	"git branch x", "git branch -d x", "git branch -D x", "git branch -m a b", "git branch --list -D x", "git branch --edit-description", "git branch -f a b", "git branch -v x", "git tag v1", "git tag -d v1", "git tag -l -d v1", "git remote add a b", "git remote remove a", "git remote update", "git remote show origin", "git config user.name x", "git config --unset a.b", "git config --edit", "git config edit", "git config --get a.b --unset", "git config --global a.b c", "git config set a.b c", "git stash", "git stash pop", "git stash drop", "git stash -p", "git reflog expire --all", "git reflog delete x", "git worktree add d", "git bisect start", "git gc", "git submodule status", "git archive HEAD", "git format-patch HEAD~1", "git help log", "git unknown", "git $x", "git cat-file --textconv a", "git cat-file --filters a",
	"go build", "go test ./...", "go run .", "go generate", "go vet ./...", "go env -w A=b", "go env -u A", "go list -toolexec x .", "go list -mod=mod ./...", "go list -m x@latest", "go list --exec=x .", "go mod tidy", "go install x", "go doc -http", "gofmt -w a.go", "gofmt -l -w .", "go tool x", "go version -x $x; go get x", "go list $x", "go list -test ./...",
	// Variables that programs obey.
	"PATH=. ls", "PATH=.; ls", "export PATH=.; ls", "LD_PRELOAD=./x ls", "GIT_EXTERNAL_DIFF=x git diff", "GIT_PAGER=x git log", "IFS=x; ls", "IFS=x ls", "BASH_ENV=x ls", "ENV=x ls", "PROMPT_COMMAND=x", "read PATH", "read -r PATH < a", "read 'a[$(touch P)]'", "read $x", "declare x=1", "typeset -x A", "unset PATH", "for PATH in .; do ls; done", "set -a", "set -o history", "shopt -s extglob", "enable -f x y", "hash -p x ls", "readonly 'x[$(touch P)]=1'", "export -n PATH", "export $x", "a[$(touch P)]=1", "let 'a[$(touch P)]=1'", "x='a[$(touch P)]'; ((x))", "x='$(touch P)'; echo ${x@P}",
	// The working directory is shared with what runs beside.
	"cd a", "cd a && ls", "cd", "pushd a", "popd", "command cd a", "{ cd a; }", "cd $(touch P)",
	// What cannot be known.
	"$x", "$x a", "\"$x\"", "$(ls)", "l$x", "{rm,-rf,a}", "ls\rx", "$'\\x72m' a", "~/x", "*", "git\\ diff", "echo 'x", "ls |", "ls\x00", "((", "if true",
}

func TestReadOnly(t *testing.T) {
	for _, text := range readOnly {
		if !ReadOnly(text) {
			s, err := Parse(text)
			t.Errorf("ReadOnly(%q) = false: %s %v", text, s.Changes(), err)
		}
	}
	for _, text := range notReadOnly {
		if ReadOnly(text) {
			t.Errorf("ReadOnly(%q) = true", text)
		}
	}
}

// A line is as harmful as its worst part, wherever that stands.
func TestReadOnlyNeedsEveryPart(t *testing.T) {
	forms := []string{
		"%s; ls", "ls; %s", "ls && %s", "ls || %s", "ls\n%s", "ls & %s", "(%s)", "{ %s\n}", "if ls; then %s\nfi", "if %s\nthen ls; fi", "while ls; do %s\ndone",
		"for i in a; do %s\ndone", "echo $(%s)", "echo \"$(%s\n)\"", "case a in a) %s\nesac", "time %s", "cat <(%s\n)",
	}
	for _, form := range forms {
		for _, bad := range []string{"touch P", "git diff --ext-diff", "find . -delete", "ls > P", "X=1 ls", "sort -o P"} {
			if text := strings.Replace(form, "%s", bad, 1); ReadOnly(text) {
				t.Errorf("ReadOnly(%q) = true", text)
			}
		}
		if text := strings.Replace(form, "%s", "ls", 1); !ReadOnly(text) {
			t.Errorf("ReadOnly(%q) = false", text)
		}
	}
}

func TestChangesSaysWhy(t *testing.T) {
	for text, want := range map[string]string{
		"ls":                        "",
		"cd a && ls":                "",
		"make all":                  "`make` is not known to only read",
		"git push":                  "`git push` is not known to only read",
		"ls; touch P":               "`touch` is not known to only read",
		"ls > P":                    "it writes to P",
		"find . -delete":            "`find`: `-delete` may change files or run programs",
		"sort -o P":                 "`sort -o` may do more than read",
		"PATH=. ls":                 "it sets $PATH, which may change what programs do",
		"$x":                        "which program $x runs is not known",
		"ls | xargs sort":           "xargs may give `sort` any arguments",
		"echo ${!x}":                "it has an indirect variable",
		"git diff --ext-diff":       "`git diff --ext-diff` may do more than read",
		"git branch -D x":           "`git branch`: with these arguments it may change branches",
		"timeout 5 git commit":      "`git commit` is not known to only read",
		"sed -i s/a/b/ f":           "`sed`: `-i` may write files",
		"git config user.x y":       "`git config`: it changes the configuration unless it is told to --get or --list",
		"git config --bogus":        "`git config`: `--bogus` may change the configuration",
		"xxd a b":                   "`xxd`: the second file is written",
		"read PATH":                 "`read`: it sets a variable that may change what programs do",
		"date 01010000":             "`date`: it may set the clock",
		"hostname x":                "`hostname`: it is harmless only without arguments",
		"git stash pop":             "`git stash`: only list, show is known to read",
		"go list a@b":               "`go list`: it may download modules",
		"jq --args . a":             "`jq`: `jq --args` is not judged",
		"set -a":                    "`set`: it sets more than -e, -u, -x and pipefail",
		"ps eww":                    "`ps`: it may list the environment of processes",
		"[ -v x ]":                  "`[`: a test of a variable by its name may run commands",
		"cd a b c":                  "`cd`: where it leads is not known",
		"git remote add a b":        "`git remote`: with these arguments it changes remotes or uses the network",
		"uniq $x":                   "`uniq`: how many files are named is not known, and the second is written",
		"read $x":                   "`read`: what it sets is not known",
		"git tag v1":                "`git tag`: with these arguments it may change tags",
		"git config \"$x\"":         "`git config`: an argument that is not known may change the configuration",
		"sed -n '1w P' f":           "`sed`: its script is not known to only print",
		"git reflog expire a":       "`git reflog`: only show, exists is known to read",
		"sed $x f":                  "`sed`: an argument that is not known may be a flag",
		"for PATH in .; do :; done": "it has $PATH being set",
	} {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Changes(); got != want {
			t.Errorf("Changes(%q) = %q, want %q", text, got, want)
		}
	}
}
