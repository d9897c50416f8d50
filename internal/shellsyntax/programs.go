package shellsyntax

import "sync"

// program is what is known of one that only reads when it is called without
// certain arguments.
type program struct {
	// harmful flags make it write, or run other programs. A long flag is
	// harmful by any beginning of its name too (--outp), as getopt has it; a
	// flag of one letter also within a cluster (-uo f) or with its value
	// attached (-of).
	harmful []string
	// valued flags take the next word for their value, so that it is no
	// operand. Harmful ones need not be named.
	valued []string
	// patterns is how many operands come before the files, such as the
	// pattern of grep; a flag of patternFlags takes their place.
	patterns     int
	patternFlags []string
	// words says that flags are whole words after one or two dashes, as Go
	// programs have them, so that there are no clusters.
	words bool
	// noFiles says that operands are no files to be read.
	noFiles bool
	// commands are the subcommands that only read; nil means the program has
	// none.
	commands map[string]program
	// check judges what flags cannot tell: why a call does more than read, or
	// "". It may be nil.
	check func(args []Word) string
}

// programs is the whole of what may run without a question. A program enters
// the list when its manual says that, but for the flags named here, it writes
// nothing, runs nothing and does not use the network, as GNU, BSD and busybox
// have it. Left out for good: awk, perl, python, node and other languages;
// less and man, which run commands; env and xargs with a program that is not on
// the list; tee, ssh, curl.
var programs = sync.OnceValue(func() map[string]program {
	return map[string]program{
		// The shell's own. What sets variables is judged by their names.
		":": noFiles, "true": noFiles, "false": noFiles, "pwd": noFiles, "echo": noFiles, "[[": noFiles, "((": noFiles, "let": noFiles,
		"type": noFiles, "which": noFiles, "break": noFiles, "continue": noFiles, "return": noFiles, "exit": noFiles, "shift": noFiles,
		"printf": {noFiles: true, harmful: []string{"-v"}}, "wait": {noFiles: true, harmful: []string{"-p"}},
		"test": {noFiles: true, check: checkTest}, "[": {noFiles: true, check: checkTest},
		"cd": {noFiles: true, check: checkCd}, "pushd": {noFiles: true, check: checkCd}, "popd": {noFiles: true, check: checkCd},
		"read": {noFiles: true, check: checkRead}, "export": {noFiles: true, check: checkNames},
		"local": {noFiles: true, check: checkNames}, "readonly": {noFiles: true, check: checkNames}, "set": {noFiles: true, check: checkSet},

		// Files.
		"ls": {}, "cat": {}, "tac": {}, "df": {}, "realpath": {}, "readlink": {}, "basename": noFiles, "dirname": noFiles,
		"wc": {}, "du": {valued: []string{"-d", "-B"}},
		"stat": {valued: []string{"-c", "-f", "-t"}}, "head": {valued: []string{"-n", "-c"}}, "tail": {valued: []string{"-n", "-c", "-s"}},
		"file": {harmful: []string{"-C", "--compile", "-z", "-Z", "--uncompress"}, valued: []string{"-m", "-F"}},
		"find": {check: checkFind}, "tree": {harmful: []string{"-o", "-R"}, valued: []string{"-L", "-P", "-I"}},
		"md5sum": {}, "sha1sum": {}, "sha256sum": {}, "sha512sum": {}, "cksum": {}, "shasum": {valued: []string{"-a"}},
		"strings": {valued: []string{"-n", "-e", "-t"}}, "hexdump": {valued: []string{"-n", "-s", "-e"}},
		"od": {valued: []string{"-A", "-t", "-N", "-j", "-w"}}, "xxd": {valued: xxdValued, harmful: []string{"-r"}, check: oneFile(xxdValued...)},
		"cmp": {valued: []string{"-n", "-i"}}, "comm": {}, "diff": {valued: []string{"-U", "-C", "-I", "-x", "-W"}},

		// Text.
		"grep": grep, "egrep": grep, "fgrep": grep, "rg": rg,
		"cut": {valued: []string{"-d", "-f", "-c", "-b"}}, "tr": noFiles, "nl": {valued: []string{"-b", "-w", "-s", "-n", "-v"}},
		"uniq": {valued: []string{"-f", "-s", "-w"}, check: oneFile("-f", "-s", "-w")},
		"sort": {
			harmful: []string{"-o", "--output", "--compress-program", "-T", "--temporary-directory", "--files0-from"},
			valued:  []string{"-k", "-t", "-S"},
		},
		"sed":    {valued: []string{"-e"}, patterns: 1, patternFlags: []string{"-e"}, check: checkSed},
		"jq":     {valued: []string{"--indent", "-L"}, patterns: 1, patternFlags: []string{"-f", "--from-file"}, check: checkJq},
		"column": {valued: []string{"-s", "-c", "-o"}}, "paste": {valued: []string{"-d"}}, "join": {valued: []string{"-t", "-1", "-2", "-j", "-o"}},
		"fold": {valued: []string{"-w"}}, "rev": {}, "expand": {valued: []string{"-t"}}, "fmt": {valued: []string{"-w"}},
		"base64": {harmful: []string{"-o", "--output"}, valued: []string{"-w", "-b"}}, "seq": noFiles, "expr": noFiles, "yes": noFiles, "sleep": noFiles,

		// The machine.
		"uname": noFiles, "id": noFiles, "whoami": noFiles, "groups": noFiles, "nproc": noFiles, "arch": noFiles, "uptime": noFiles,
		"free": noFiles, "pgrep": noFiles, "printenv": noFiles, "locale": noFiles, "tty": noFiles,
		"ps": {noFiles: true, check: checkPs}, "hostname": {noFiles: true, check: checkAlone}, "env": {noFiles: true, check: checkAlone},
		"date": {harmful: []string{"-s", "--set", "-f", "--file"}, noFiles: true, check: checkDate},

		// Tools of the trade.
		"git": git(), "go": golang(),
		"gofmt": {harmful: []string{"-w", "-cpuprofile"}, valued: []string{"-r"}, words: true},
	}
})

// noFiles is a program that has neither harmful flags nor files to read.
var noFiles = program{noFiles: true}

var xxdValued = []string{"-l", "-s", "-c", "-g", "-o", "-n"}

var grep = program{
	valued: []string{
		"-A", "-B", "-C", "-m", "-d", "-D", "--include", "--exclude", "--exclude-dir", "--max-count", "--color", "--label",
		"--after-context", "--before-context", "--context",
	},
	patterns: 1, patternFlags: []string{"-e", "-f", "--regexp", "--file"},
}

var rg = program{
	harmful: []string{"--pre", "--hostname-bin", "-z", "--search-zip"}, // -z runs programs that unpack
	valued: []string{
		"-A", "-B", "-C", "-g", "-t", "-T", "-m", "-j", "-d", "-E", "-M", "-r", "--glob", "--iglob", "--type", "--type-not",
		"--max-count", "--max-depth", "--sort", "--sortr", "--color", "--after-context", "--before-context", "--context",
	},
	patterns: 1, patternFlags: []string{"-e", "-f", "--regexp", "--file", "--files", "--type-list", "--version"},
}

// golang is what only reads in the go command. Building runs compilers, and
// with cgo whatever a package asks for; vet builds.
func golang() program {
	return program{noFiles: true, commands: map[string]program{
		"version": noFiles, "help": noFiles,
		"env": {noFiles: true, words: true, harmful: []string{"-w", "-u"}},
		"doc": {noFiles: true, words: true, harmful: []string{"-http"}},
		"list": {noFiles: true, words: true, check: checkGoList, harmful: []string{
			"-toolexec", "-exec", "-overlay", "-modfile", "-mod", "-export", "-compiled", "-test", "-pkgdir", "-C", "-cover", "-vettool", "-pgo", "-u",
		}},
	}}
}
