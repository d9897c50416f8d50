package permission

import (
	"strings"
	"testing"
)

func decide(t testing.TB, spec, command string) Verdict {
	t.Helper()
	return policy(t, spec).Decide(Request{Tool: "shell", Action: execute, Command: command, Dir: "/ws"})
}

type commandCase struct {
	policy   string
	want     Decision
	commands []string
}

func run(t *testing.T, cases []commandCase) {
	t.Helper()
	for _, c := range cases {
		for _, command := range c.commands {
			if got := decide(t, c.policy, command); got.Decision != c.want {
				t.Errorf("[%s] %q: %s (%s), want %s", c.policy, command, got.Decision, got.Reason, c.want)
			}
		}
	}
}

func TestCommandsByMode(t *testing.T) {
	reading := []string{"ls", "git status", "cat a | grep b", "cd sub && ls", "cat /ws/a /extra/b /state/c", "head -c 10 /dev/urandom", "echo hi 2>&1 >/dev/null", "find . -name y", "cd /ws && git status", "for f in *.go; do wc -l $f; done", "cat \"$PWD/a\""}
	changing := []string{"touch a", "make", "git commit -m x", "rm a", "npm test", "echo a > b"}
	run(t, []commandCase{
		{"", Allow, reading},
		{"accept-edits", Allow, reading},
		{"plan", Allow, reading},
		{"bypass", Allow, reading},
		{"", Ask, changing},
		{"plan", Deny, changing},
		{"bypass", Allow, changing},
		{"accept-edits", Ask, []string{"touch a", "make", "rm a", "echo a > /etc/b", "echo a > ../b", "echo a > .git/hooks/x", "echo a > $x", "cd /tmp && echo a > b", "cd sub; echo a > ../../b", "make > a"}},
		{"accept-edits", Allow, []string{"echo a > b", "cat <<E > b\nx\nE", "printf x >> sub/b", "cd sub && echo a > b", "sort a > b"}},
		// B062.
		{"", Ask, []string{"find . -exec touch P ;", "find . -name y -delete", "find . -fprintf P x"}},
		// Reading outside asks, as it does with the file tools.
		{"", Ask, []string{"cat /etc/passwd", "cat ../x", "cat ~/.ssh/id_rsa", "cat $HOME/x", "ls /", "cat < /etc/passwd", "cd /etc && cat passwd", "cd .. && ls", "cd && ls", "cd - && ls", "cat $(ls)", "cat $x", "x=/etc; cat $x/passwd", "x=/etc/passwd; cat \"$x\"", "for f in /etc/*; do cat $f; done", "grep -r x /", "HOME=/etc; cat ~/passwd", "cd sub; cat ../../x", "git diff /etc/passwd /dev/null", "grep -f /etc/passwd a", "cat /proc/1/environ"}},
		// git elsewhere may obey another repository.
		{"", Ask, []string{"cd sub && git status", "(cd sub; git log)", "git -C sub status"}},
		{"", Allow, []string{"cd /extra && git log", "cd /ws; git diff"}},
		// What cannot be judged.
		{"", Ask, []string{"echo 'x", "ls " + strings.Repeat("a", maxCommand), "echo ${!x}", "$x"}},
		{"plan", Deny, []string{"echo 'x", "$x"}},
		{"bypass", Ask, []string{"echo 'x"}},
		{"bypass", Allow, []string{"ls " + strings.Repeat("a", maxCommand), "$x", "eval $x"}},
	})
}

func TestAllowRulesForCommands(t *testing.T) {
	run(t, []commandCase{
		{"allow:shell", Allow, []string{"make", "rm a", "$x", "echo a > /etc/b"}},
		{"allow:Bash(*)", Allow, []string{"make", "rm a && touch b"}},
		{"allow:shell(npm test)", Allow, []string{"npm test", "npm  test", "npm 'test'", "npm test; ls", "cd sub && npm test", "npm test 2>&1 | tail -5", "timeout 5 npm test", "time npm test", "nice npm test", "NODE_ENV=test npm test", "lower=1 npm test"}},
		{"allow:shell(npm test)", Ask, []string{"npm testx", "npm test x", "npm test-evil", "npm test && touch P", "PATH=. npm test", "NODE_OPTIONS=x npm test", "npm test > P", "npm test $x", "env npm test", "./npm test", "sudo npm test", "npm $(echo test)"}},
		{"allow:shell(npm run test *)", Allow, []string{"npm run test", "npm run test a b", "npm run test -- --x"}},
		{"allow:shell(npm run test *)", Ask, []string{"npm run testx", "npm run tests x"}},
		{"allow:shell(npm run test:*)", Allow, []string{"npm run test", "npm run test a"}},
		{"allow:shell(npm run test:*)", Ask, []string{"npm run test:unit"}},
		{"allow:shell(npm run test*)", Allow, []string{"npm run test:unit", "npm run testx y"}},
		{"allow:shell(* --version)", Allow, []string{"node --version", "a b --version"}},
		{"allow:shell(* --version)", Ask, []string{"node --version x", "$x --version"}},
		{"allow:shell(make *),allow:shell(go test *)", Allow, []string{"make && go test ./...", "make a; make b | cat", "if make; then go test; fi", "make $x"}},
		{"allow:shell(make *)", Ask, []string{"make && go test", "make $(touch P)", "make `touch P`", "make <(touch P)", "make & touch P", "make\ntouch P", "make || touch P", "make | tee P", "(make; touch P)", "f() { touch P; }; make", "make > P", "make >> P", "make &> P", "makex"}},
		// B060.
		{"allow:shell(git log *)", Ask, []string{"git log && touch P", "git log; touch P", "git log | tee P", "git log & touch P", "git log\ntouch P", "git log > P"}},
		{"allow:shell(git log *)", Allow, []string{"git log", "git log -p | head"}},
		// B116: flags are looked at, where a program is there to read.
		{"allow:shell(git diff *),allow:shell(npm test)", Ask, []string{"git difftool -x 'touch P'", "git diff --ext-diff", "npm testx", "git-diff", "git diff --output=P", "git diff --outp P", "git diff $x", "git -c a=b diff", "git -C x diff"}},
		{"allow:shell(git diff *),allow:shell(npm test)", Allow, []string{"git  diff", "git diff a b"}},
		{"allow:shell(git *)", Ask, []string{"git diff --ext-diff", "git grep -O x", "git log --output P"}},
		{"allow:shell(git *)", Allow, []string{"git push", "git branch -D x", "git stash pop"}},
		{"allow:shell(git diff --ext-diff *)", Allow, []string{"git diff --ext-diff a"}},
		{"allow:shell(git diff --ext-diff)", Allow, []string{"git diff --ext-diff"}},
		{"allow:shell(find *),allow:shell(sort *),allow:shell(rg *)", Ask, []string{"find . -exec touch P ;", "find . -delete", "find . -fprintf P x", "sort -o P a", "sort a --output=P", "rg --pre x y", "ls | xargs sort", "find $x", "find . | xargs -n1 rg x"}},
		{"allow:shell(find * -delete)", Allow, []string{"find sub -name y -delete"}},
		{"allow:shell(sed *)", Allow, []string{"sed -i s/a/b/ f"}},
		{"allow:shell(grep *)", Allow, []string{"ls | xargs grep x", "cat a | xargs -0 -n 1 grep x", "grep x /etc/passwd"}},
		{"allow:shell(watch *),allow:shell(setsid *),allow:shell(flock *)", Ask, []string{"watch ls", "setsid touch P", "flock x touch P"}},
		{"allow:shell(watch ls)", Allow, []string{"watch ls"}},
		{"allow:shell(FOO=1 make *)", Allow, []string{"FOO=1 make a"}},
		{"allow:shell(FOO=1 make *)", Ask, []string{"FOO=2 make a", "make a", "BAR=1 FOO=1 make"}},
		{"allow:shell(cd /x && make)", Allow, []string{"cd /x && make", " cd /x && make "}}, // the very text
		{"allow:shell(cd /x && make)", Ask, []string{"cd /x && make x"}},
		{"allow:shell(cat *)", Allow, []string{"cat /etc/passwd"}},
		{"allow:read(//etc/**)", Allow, []string{"cat /etc/passwd", "cat < /etc/passwd", "x=/etc; cat $x/passwd"}},
		{"allow:edit(out/**)", Allow, []string{"ls > out/a", "cd out && ls > a"}},
		{"allow:edit(out/**)", Ask, []string{"ls > outx/a", "cd out; ls > a", "ls > out/../a", "ls > $x"}},
		{"allow:shell(make *),allow:edit(out)", Allow, []string{"make all > out"}},
		{"allow:shell(echo *)", Ask, []string{"x='a[$(touch P)]'; echo $((x))", "x='$(touch P)'; echo ${x@P}", "PATH=.; echo a", "export PATH=.; echo a"}},
		{"allow:read,allow:edit", Ask, []string{"make", "touch a"}},
		{"allow:shell(rm *)", Allow, []string{"rm a", `\rm a`, "'rm' a"}},
		{"allow:shell(rm *)", Ask, []string{"rm -rf /", "rm -rf ~", "sudo rm a"}},
		{"plan,allow:shell(make *)", Deny, []string{"make"}},
	})
}

func TestDenyRulesForCommands(t *testing.T) {
	run(t, []commandCase{
		{"deny:shell,bypass", Deny, []string{"ls", "make"}},
		{"deny:Bash(*),bypass", Deny, []string{"ls", "make", "$x"}},
		// B061.
		{"deny:shell(rm -rf *),bypass,allow:shell", Deny, []string{
			"rm -rf y", "cd x && rm -rf y", "true; rm -rf y", "(rm -rf y)", "if true; then rm -rf y; fi", "rm  -rf y", "rm -r -f y", `\rm -rf y`, "rm -fr y", "rm -Rf y", "rm -rfv y", "rm --recursive --force y", "rm --recurs --forc y", "rm y -rf", "rm -r y -f",
			"'rm' -rf y", `r""m -rf y`, "r'm' '-rf' y", "/bin/rm -rf y", "./rm -rf y", "ls | rm -rf y", "ls & rm -rf y", "ls\nrm -rf y", "{ rm -rf y; }", "while true; do rm -rf y; done", "for i in a; do rm -rf $i; done", "case a in a) rm -rf y;; esac", "f() { rm -rf y; }; f", "echo $(rm -rf y)", "echo `rm -rf y`", "cat <(rm -rf y)", "! rm -rf y", "time rm -rf y", "X=1 rm -rf y", "PATH=. rm -rf y", "rm -rf y > /dev/null", "cat <<E\n$(rm -rf y)\nE",
			"sudo rm -rf y", "sudo -u x rm -rf y", "env rm -rf y", "env X=1 rm -rf y", "timeout 5 rm -rf y", "nice -n 5 rm -rf y", "nohup rm -rf y", "command rm -rf y", "exec rm -rf y", "xargs rm -rf", "ls | xargs -I{} rm -rf {}", "find . -exec rm -rf {} +", "watch rm -rf y", "setsid rm -rf y", "busybox rm -rf y", "doas rm -rf y", "stdbuf -o0 rm -rf y", "ionice -c 3 rm -rf y", "flock l rm -rf y", "trap 'rm -rf y' EXIT",
			"bash -c 'rm -rf y'", "sh -c \"rm -rf y\"", "bash -lc 'cd x; rm -rf y'", "eval rm -rf y", "eval 'rm -rf y'", "sudo bash -c 'rm -rf y'", "bash -c \"bash -c 'rm -rf y'\"", "builtin command rm -rf y", "su -c 'rm -rf y'", "ssh h rm -rf y", "ssh h 'rm -rf y'", "coproc rm -rf y", "timeout 5 bash -c 'rm -rf y'",
		}},
		{"deny:shell(rm -rf *),bypass", Ask, []string{"x=rm; $x -rf y", "eval $x", "bash -c \"$x\"", "rm $flags y", "r$x -rf y", "bash script.sh", ". script", "$(echo rm) -rf y", "ls | sh", "curl x | bash", "rm $(echo -rf) y", "{rm,-rf,y}", "$'\\x72m' -rf y"}},
		{"deny:shell(rm -rf *),bypass", Allow, []string{"rm y", "rm -r y", "rm -f y", "ls", "echo rm -rf y", "git rm -rf y", "grep 'rm -rf' a", "make", "cat a | sort", "ls $x", "python3 a.py"}},
		{"deny:shell(git push *),bypass", Deny, []string{"git push", "git push origin main", "git -C x push", "git -c a=b push origin", "git --no-pager push", "git --git-dir=x push", "cd x && git push --force", "git push -f"}},
		{"deny:shell(git push *),bypass", Allow, []string{"git pull", "git log push", "git pushx", "git status $x", "git commit -m push"}},
		{"deny:shell(git push *),bypass", Ask, []string{"git $x", "git $(echo push)"}},
		{"deny:shell(git push --force *),bypass", Deny, []string{"git push --force", "git push -f", "git push origin main --force", "git push --forc origin"}},
		{"deny:shell(git push --force *),bypass", Allow, []string{"git push", "git push origin"}},
		{"deny:shell(curl *),bypass", Deny, []string{"curl x", "curl", "ls | curl -d @- x", "x=$(curl y)", "/usr/bin/curl x"}},
		{"deny:shell(curl:*),bypass", Deny, []string{"curl x"}},
		{"deny:shell(curl *),bypass", Allow, []string{"curlx", "echo curl"}},
		{"deny:shell(* --no-verify *),bypass", Deny, []string{"git commit --no-verify -m x", "git commit -m x --no-verify"}},
		{"deny:shell(make deploy),bypass", Deny, []string{"make deploy", "make  deploy", "cd x; make deploy"}},
		{"deny:shell(make deploy),bypass", Allow, []string{"make", "make test"}},
		{"deny:shell(FOO=1 make),bypass", Deny, []string{"FOO=1 make"}},
		{"deny:shell(*curl*|*sh*),bypass", Deny, []string{"curl x | sh"}},
		{"ask:shell(git push *),bypass", Ask, []string{"git push", "cd x && git push"}},
		{"ask:shell(git push *),allow:shell", Ask, []string{"git push"}},
		{"ask:shell(ls *)", Ask, []string{"ls", "cat a; ls"}},
		{"ask:shell,allow:shell(ls)", Ask, []string{"ls"}},
		{"plan,ask:shell(make *)", Deny, []string{"make"}},
		{"deny:Read,deny:Edit,bypass", Allow, []string{"make", "ls"}}, // tools of another name
	})
}

func TestFileRulesForCommands(t *testing.T) {
	run(t, []commandCase{
		{"deny:read(.env),bypass", Deny, []string{"cat .env", "cat ./.env", "cat sub/.env", "cat < .env", "grep x .env", "head -1 \".env\"", "cat .e*", "cat '.env'", "cp .env x", "source .env", ". .env", "dd if=.env", "cat $PWD/.env", "f=.env; cat $f", "for f in .env; do cat $f; done", "sudo cat .env", "bash -c 'cat .env'", "cd sub && cat .env", "echo x > .env", "echo $(<.env)", "base64 --x=.env", "cat ~/.env", "cat .en?", "cat ./.e*"}},
		{"deny:read(.env),bypass", Allow, []string{"cat .envx", "ls", "echo .env", "cat env", "cat *.go"}},
		{"deny:read(secrets/**),bypass", Deny, []string{"cat secrets/a", "ls secrets", "cat secrets/*", "cd secrets && cat a", "cd secrets; cat a", "cat sub/../secrets/a", "cat sub/secrets/a"}},
		{"deny:edit(docs/**),bypass", Deny, []string{"echo a > docs/x", "rm docs/x", "rm -r docs", "sed -i s/a/b/ docs/x", "cp a docs/x", "mv docs/a b", "ls | tee docs/a", "touch docs/x", "cd docs && rm x", "git checkout docs/x", "dd of=docs/x"}},
		{"deny:edit(docs/**),bypass", Allow, []string{"cat docs/x", "ls docs", "go test ./docs", "sed -n 1p docs/x", "git log docs/x"}},
		{"ask:read(.env),bypass", Ask, []string{"cat .env"}},
	})
}

// A link in the workspace leads out of it (B112), as the shell tool has found
// out.
func TestLinksInCommands(t *testing.T) {
	for _, c := range []struct {
		policy, command, path string
		want                  Decision
	}{
		{"", "cat shared/y", "/neighbour/y", Ask},
		{"", "cat link", "/ws/real", Allow},
		{"", "grep -r x shared", "/neighbour", Ask},
		{"", "cat < shared/y", "/neighbour/y", Ask},
		{"", "cd shared && ls", "/neighbour", Ask},
		{"", "echo shared", "/neighbour", Allow}, // it reads no file
		{"", "cat shared/y > /dev/null", "/neighbour/y", Ask},
		{"allow:read(//neighbour/**)", "cat shared/y", "/neighbour/y", Allow},
		{"allow:shell(cat *)", "cat shared/y", "/neighbour/y", Allow},
		{"accept-edits", "echo a > shared/x", "/neighbour/x", Ask},
		{"accept-edits", "cat a > b", "/ws/b", Allow},
		{"allow:edit(//out/**)", "cat a > /out/b", "/out/b", Allow},
		{"deny:edit(//neighbour/**),bypass", "echo a > shared/x", "/neighbour/x", Deny},
		{"deny:read(.env),bypass", "cp link b", "/ws/.env", Deny},
	} {
		r := Request{Tool: "shell", Action: execute, Command: c.command, Paths: []string{c.path}}
		if v := policy(t, c.policy).Decide(r); v.Decision != c.want {
			t.Errorf("[%s] %q with %s: %s (%s), want %s", c.policy, c.command, c.path, v.Decision, v.Reason, c.want)
		}
	}
}

func TestDangerous(t *testing.T) {
	p := policy(t, "bypass")
	for _, command := range []string{
		// B063.
		`rm -rf "$HOME"`, "rm -rf ~", "rm -rf ~/", "rm -rf $HOME/*", "rm -rf \"$HOME\"/*", "rm -rf ${HOME}", "rm -rf /home/u", "rm -rf /home/u/.", "rm -rf /home", "rm -fr ~", "rm -r ~", "rm --recursive ~", "rm -rf ~/*", "rm -rf ~/.*", "sudo rm -rf ~", "bash -c 'rm -rf ~'", "export HOME=/home/u; rm -rf \"$HOME\"", "cd x; rm -rf ~", "rm -rf a ~", "rm -rf -- ~", "rm -rf ~ > /dev/null", "echo $(rm -rf ~)", "xargs rm -rf ~", "rm -rf $HOME/sub/..",
		"rm -rf /", "rm -rf /*", "rm -rf / --no-preserve-root", "rm -rf //", "rm -rf /.", "rm -rf /usr", "rm -rf /etc/*", "rm -rf /var/lib/", "rm -rf ../../../..", "rm -rf $OLDPWD/*",
		"rm -rf .", "rm -rf ./", "rm -rf *", "rm -rf ./*", "rm -rf {*,.*}", "rm -rf /ws", "rm -rf /ws/*", "rm -rf ..", "rm -rf $PWD", "rm -rf \"$PWD\"/*", "rm -rf $(pwd)/*", "rm -rf `pwd`/*", "rm -rf sub/..", "rm -rf /extra",
		// A variable that is empty.
		"rm -rf $X/*", "rm -rf \"$X\"/*", "rm -rf ${X%/}/*", "rm -rf ${X}/*", "rm -rf \"$X/\"*", "rm -rf $X/", "rm -rf $X*", "rm -rf /$X", "rm -rf \"/$X\"", "rm -rf $X/$Y", "rm -rf $X/usr", "rm -rf ~/$X", "rm -rf $HOME/$X", "rm -rf $X/home/$Y", "X=$(mktemp -d); rm -rf $X/*", "rm -rf ./$X", "rm -rf \"${X:-}\"/*",
		"X=/; rm -rf $X", "X=~; rm -rf \"$X\"", "X=/usr; rm -rf $X/", "for d in a /; do rm -rf $d; done",
		// A directory that may not be there.
		"cd build; rm -rf *", "cd $X && rm -rf *", "cd \"$X\" && rm -rf ./*", "cd; rm -rf *", "cd / && rm -rf *", "cd && rm -rf *", "cd build || true; rm -rf *", "(cd build) && rm -rf *", "cd .. && rm -rf ws", "cd ~ && rm -rf .", "pushd x; rm -rf *",
		"find / -delete", "find ~ -delete", "find . -delete", "find -delete", "find . -type f -delete", "find / -exec rm -rf {} +", "find ~ -type f -exec rm {} ;", "find $X/ -delete",
		"chmod -R 777 /", "chown -R u /", "chmod -R 000 ~", "chown -R u:u /usr", "chmod -R 777 $X/", "mv ~ /tmp/x", "mv /usr /x", "mv /* x",
		":(){ :|:& };:", "f() { f | f & }; f", "mkfs.ext4 /dev/sda1", "dd if=/dev/zero of=/dev/sda", "cat x > /dev/sda", "echo > /dev/nvme0n1", "shutdown -h now", "reboot", "sudo reboot",
	} {
		if why := p.Dangerous(command, "/ws"); why == "" || strings.Contains(why, "\n") {
			t.Errorf("Dangerous(%q) = %q", command, why)
		}
		if v := p.Decide(Request{Tool: "shell", Action: execute, Command: command}); v.Decision != Ask || v.Reason == "" {
			t.Errorf("%q in bypass mode: %+v", command, v)
		}
		if v := policy(t, "allow:shell").Decide(Request{Tool: "shell", Action: execute, Command: command}); v.Decision != Ask {
			t.Errorf("%q with everything allowed: %+v", command, v)
		}
	}
	for _, command := range []string{
		"rm -rf build", "rm -rf ./build", "rm -rf build/*", "rm -rf /ws/build", "rm -rf ~/project/build", "rm -rf $HOME/.cache/x", "rm -rf /tmp/x", "rm -rf /tmp/*", "rm -rf /var/tmp/x", "rm a", "rm *", "rm -f *.o", "rm -rf *.o", "rm -rf node_modules dist", "rm -rf $X", "rm -rf \"$X\"", "rm -rf build/$X", "rm -rf /tmp/$X", "rm -rf $X/build", "rm -rf ${X:?}/*", "rm -rf \"${X:?not set}\"/*", "rm -rf ${X:-/tmp/y}/*", "X=/tmp/y; rm -rf $X/*", "X=build; rm -rf ./$X/*", "for d in a b; do rm -rf $d; done",
		"cd build && rm -rf *", "cd build && rm -rf ./*", "(cd build && rm -rf *)", "set -e; cd build; rm -rf *", "cd build && make && rm -rf *", "HOME=/tmp/fake; rm -rf \"$HOME\"", "export HOME=$PWD/fake; rm -rf \"$HOME\"",
		"find . -name '*.o' -delete", "find build -delete", "find . -mtime +7 -delete", "find / -name x", "find . -type f", "find . -empty -delete", "chmod -R u+w .", "chmod -R 755 build", "chmod 755 /", "chown u ~", "mv * sub/", "mv sub/* .", "mv a /", "mv a ~", "cp -r / x", "ls -R /", "echo rm -rf /", "grep -r 'rm -rf /' .", "git rm -r .", "git clean -fdx", "f() { ls; }; f", "f() { f; }; f", "dd if=/dev/zero of=x", "echo x > /dev/null", "cat /dev/sda", "docker run x rm -rf /x", "echo shutdown", "make reboot", "rm -rf .git", "rm -rf sub/.", "rm -rf $(mktemp -d)",
	} {
		if why := p.Dangerous(command, "/ws"); why != "" {
			t.Errorf("Dangerous(%q) = %q", command, why)
		}
	}
	// Without knowing where home is, it is still not to be deleted.
	if why := (Policy{Roots: []string{"/ws"}}).Dangerous("rm -rf ~", ""); why == "" {
		t.Error("an unknown home may be deleted")
	}
	// Elsewhere, a relative path means something else.
	if why := p.Dangerous("rm -rf ../*", "/ws/sub"); why == "" {
		t.Error("/ws/sub/../* may be deleted")
	}
	if why := p.Dangerous("rm -rf *", "/ws/sub"); why != "" {
		t.Errorf("/ws/sub/* may not be deleted: %s", why)
	}
}

func FuzzDecide(f *testing.F) {
	for _, text := range []string{"ls", "cd a; rm -rf *", "x=1; cat $x > y", "git diff --ext-diff", "bash -c 'rm -rf y'", "for i in a b; do rm $i; done", "rm -rf $X/*"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		loose := decide(t, "bypass", text)
		strict := decide(t, "bypass,deny:shell(rm *),deny:read(.env)", text)
		if loose.Decision == Deny || loose.Decision == Ask && strict.Decision == Allow {
			t.Errorf("%q: %+v, and %+v with more rules", text, loose, strict)
		}
		if v := decide(t, "deny:shell", text); v.Decision != Deny {
			t.Errorf("%q: %+v although the shell is forbidden", text, v)
		}
		if plan := decide(t, "plan", text); plan.Decision == Allow && decide(t, "", text).Decision != Allow {
			t.Errorf("%q: plan mode allows what default mode does not", text)
		}
	})
}
