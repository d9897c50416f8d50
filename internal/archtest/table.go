package archtest

// rule says what the files of one package, its tests apart, may import besides
// the standard library.
type rule struct {
	dir  string   // the package, relative to the module; "." is the root
	ours []string // packages of this module; "x/..." is x and all below it
	// std keeps it to the standard library and ours: everybody depends on it,
	// or it must be plain enough to be proved.
	std bool
	// support marks a package for tests: only tests and other such packages
	// may import it, and it may import what tests may.
	support bool
}

// everything is what stands below the faces of the program.
var everything = []string{
	"message", "model/...", "tool/...", "permission", "loop/...", "subagent", "session", "hook", "mcp", "prompt", "sandbox",
}

// leaves are small packages for one thing each, which know nothing of agents.
var leaves = []string{
	"internal/atomicfile", "internal/charset", "internal/filelock", "internal/procgroup", "internal/regular",
	"internal/shellsyntax", "internal/similar", "internal/sse", "internal/visible", "internal/walk",
}

// program is what the faces of the program may import: all of it but each
// other.
var program = with(leaves, with(everything, ".", "internal/config", "internal/trust")...)

// table is the architecture. Arrows point one way: message ← {model ← tool,
// permission} ← loop ← {prepare, recovery, session, subagent} ← the root ← the
// faces ← cmd. A package of ours that may be imported by many stands here with
// little to import.
var table = []rule{
	{dir: "message", std: true},
	{dir: "model", ours: []string{"message"}, std: true},
	{dir: "model/anthropic", ours: with(leaves, "model", "message")},
	{dir: "model/openai", ours: with(leaves, "model", "message")},
	{dir: "model/gemini", ours: with(leaves, "model", "message")},
	// The demo plays its scripted server, so it is no mere support for tests.
	{dir: "model/modeltest", ours: with(leaves, "model", "message")},
	{dir: "model/modeltest/clienttest", ours: []string{"model", "model/modeltest", "message"}, support: true},
	{dir: "tool", ours: []string{"message", "model"}},
	{dir: "tool/file", ours: with(leaves, "tool", "message", "sandbox")},
	{dir: "tool/search", ours: with(leaves, "tool", "message", "sandbox")},
	{dir: "tool/shell", ours: with(leaves, "tool", "message", "sandbox")},
	{dir: "tool/web", ours: with(leaves, "tool", "message", "sandbox")},
	{dir: "permission", ours: []string{"message", "internal/shellsyntax"}},
	{dir: "loop", ours: []string{"message", "model", "tool", "permission"}},
	{dir: "loop/prepare", ours: []string{"loop", "message", "model", "tool"}, std: true},
	{dir: "loop/recovery", ours: []string{"loop", "message", "model"}, std: true},
	{dir: "loop/looptest", ours: []string{"loop/...", "message", "model/...", "tool", "permission"}, support: true},
	{dir: "subagent", ours: []string{"loop/...", "tool", "message"}},
	{dir: "session", ours: with(leaves, "loop", "message", "model", "tool")},
	{dir: "hook", ours: with(leaves, "message", "permission")},
	{dir: "mcp", ours: with(leaves, "tool", "message")},
	{dir: "prompt", ours: []string{"message"}},
	{dir: "sandbox", ours: leaves},

	{dir: "internal/atomicfile"},
	{dir: "internal/charset"},
	{dir: "internal/filelock"},
	{dir: "internal/procgroup"},
	{dir: "internal/regular"},
	{dir: "internal/shellsyntax"},
	{dir: "internal/similar"},
	{dir: "internal/sse", std: true},
	{dir: "internal/visible", std: true},
	{dir: "internal/walk", ours: []string{"internal/regular"}},
	{dir: "internal/unprivileged", support: true},
	{dir: "internal/archtest", std: true},

	{dir: "internal/config", ours: with(leaves, "message", "permission", "hook")},
	{dir: "internal/trust", ours: with(leaves, "internal/config")},
	{dir: ".", ours: with(leaves, with(everything, "internal/config", "internal/trust")...)},
	{dir: "internal/bench", ours: program},
	{dir: "internal/demo", ours: program},
	{dir: "internal/cli", ours: with(program, "internal/demo")},
	{dir: "internal/tui", ours: program},
	{dir: "internal/acp", ours: program},
	{dir: "cmd/daruma", ours: []string{"internal/cli", "internal/tui", "internal/acp"}},
}

// ban keeps some imports to a few packages, or out of them.
type ban struct {
	imports []string // paths; "x/..." is x and all below it
	in      []string // where they are banned; nil is everywhere
	except  []string // where they are allowed all the same
	why     string
}

var bans = []ban{
	{
		imports: []string{"os/...", "net", "net/http/...", "net/rpc/...", "syscall"},
		in:      []string{"loop", "loop/prepare", "loop/recovery", "permission"},
		why:     "it decides and does not act: the world reaches it through what it is given, so that it can be tested and replayed without one",
	},
	{
		imports: []string{"os/signal", "plugin", "expvar", "net/http/pprof"},
		except:  []string{"cmd/...", "internal/cli"},
		why:     "it changes the whole process, which belongs to the program and not to a package that others embed",
	},
	{
		imports: []string{"C"},
		why:     "daruma is one static binary, built without a C compiler",
	},
	{
		imports: []string{module + "/internal/tui/..."},
		except:  []string{"cmd/...", "internal/tui/..."},
		why:     "the terminal is one face among several, and nothing else may need it",
	},
	{
		imports: []string{"charm.land/...", "github.com/charmbracelet/..."},
		except:  []string{"internal/tui/..."},
		why:     "the terminal library stays behind the terminal",
	},
	{
		imports: []string{"github.com/spf13/..."},
		except:  []string{"internal/cli", "cmd/..."},
		why:     "flags are the command line's business",
	},
	{
		imports: []string{"github.com/modelcontextprotocol/..."},
		except:  []string{"mcp"},
		why:     "a vendor's types stop at the package that speaks its protocol",
	},
}

// testModules are for tests, and would only make the program larger.
var testModules = []string{
	"github.com/boyter/gocodewalker/...", "github.com/google/go-cmp/...", "github.com/rogpeppe/go-internal/...",
	"go.uber.org/goleak/...", "pgregory.net/rapid/...",
}

// with is a new list of both.
func with(list []string, more ...string) []string {
	return append(list[:len(list):len(list)], more...)
}
