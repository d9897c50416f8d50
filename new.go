package daruma

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/daruma-dev/daruma/internal/config"
	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/loop/prepare"
	"github.com/daruma-dev/daruma/loop/recovery"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/permission"
	"github.com/daruma-dev/daruma/prompt"
	"github.com/daruma-dev/daruma/tool"
)

// New makes an agent, or goes on with a session. What the user can mend is a
// *[UsageError]; then nothing has been left on disk.
func New(o Options) (*Agent, error) {
	name, err := o.modelName(o.Model)
	if err != nil {
		return nil, err
	}
	if o.Fallbacks, err = o.fallbackNames(); err != nil {
		return nil, err
	}
	if o.Client == nil {
		o.Client = FromEnvironment(o.getenv, o.Timeouts)
	}
	if _, err := o.Client(name); err != nil {
		return nil, usage(err)
	}
	ws, err := workspace(o)
	if err != nil {
		return nil, err
	}
	a := &Agent{ws: ws}
	if a.policy, err = policy(o, ws); err != nil {
		return nil, err
	}
	ws.Hide(a.hides)
	if o.Tools == nil {
		o.Tools = Builtin(ws)
	}
	set, err := tool.NewSet(o.Tools...)
	if err != nil {
		return nil, usage(err)
	}
	a.notices = append(a.notices, idle(set, a.policy.Deny, a.policy.Ask)...)
	if a.journal, err = journal(o, ws.Root(), name); err != nil {
		return nil, usage(err)
	}
	a.driver = &loop.Driver{Machine: a.machine(o, name, set), Early: o.Early, Deps: loop.Deps{
		Client: o.Client, Tools: set, Vet: a.vet, Ask: o.Question, Inbox: a.received,
	}}
	if a.journal == nil {
		return a, nil
	}
	a.driver.Deps.Record, a.driver.Deps.Blob = a.journal.Record, a.journal.Blob
	a.mayRead(a.journal.Folder())
	if o.Resume != "" || o.Continue {
		if err := a.load(); err != nil {
			return nil, errors.Join(usage(err), a.journal.Close())
		}
	}
	return a, nil
}

// workspace checks the directories.
func workspace(o Options) (*tool.Workspace, error) {
	dirs := append([]string{o.Dir}, o.AddDirs...)
	if o.Dir == "" {
		var err error
		if dirs[0], err = os.Getwd(); err != nil {
			return nil, &UsageError{Text: "the working directory does not exist any more", Hint: "change to one that does, or name one", Err: err}
		}
	}
	for _, d := range dirs {
		info, err := os.Stat(d)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, &UsageError{Text: fmt.Sprintf("the directory %s does not exist", d), Hint: "check the path", Err: err}
		case err != nil:
			return nil, &UsageError{Text: fmt.Sprintf("the directory %s cannot be used: %v", d, err), Err: err}
		case !info.IsDir():
			return nil, &UsageError{Text: d + " is not a directory", Hint: "name the directory to work in"}
		}
	}
	ws, err := tool.NewWorkspace(dirs[0], dirs[1:]...)
	if err != nil {
		return nil, usage(err)
	}
	return ws, nil
}

// policy parses the permission mode and rules.
func policy(o Options, ws *tool.Workspace) (permission.Policy, error) {
	mode, err := permission.ParseMode(o.Mode)
	if err != nil {
		return permission.Policy{}, usage(err)
	}
	p := permission.Policy{Mode: mode, Roots: ws.Roots(), Home: o.getenv("HOME")}
	for _, list := range []struct {
		texts []string
		rules *[]permission.Rule
	}{{o.Allow, &p.Allow}, {o.Ask, &p.Ask}, {o.Deny, &p.Deny}} {
		for _, text := range list.texts {
			r, err := permission.ParseRule(text)
			if err != nil {
				return permission.Policy{}, usage(err)
			}
			*list.rules = append(*list.rules, r)
		}
	}
	return p, nil
}

// machine is what the session decides by.
func (a *Agent) machine(o Options, name string, set tool.Set) *loop.Machine {
	return &loop.Machine{
		Model: name, Effort: o.Effort, Tools: described(set), Limits: o.Limits, Info: o.info,
		Stages: prepare.Default(a.system(o)), Layers: recovery.Default(o.Fallbacks...),
	}
}

// system is the session's prompt. It is made once, so that its bytes are the
// same in every request.
func (a *Agent) system(o Options) []model.Block {
	git := prompt.FindGit(a.ws.Root())
	in := prompt.Load(prompt.Where{
		Dir: a.ws.Root(), Root: git.Root, Home: o.getenv("HOME"), Config: config.Dir(o.getenv),
	})
	a.notices = append(a.notices, in.Notes...)
	po := prompt.Options{
		Dir: a.ws.Root(), Extra: a.ws.Roots()[1:], Git: git, Today: time.Now(), Instructions: in,
		System: o.System, AppendSystem: o.AppendSystem,
	}
	if a.journal != nil {
		po.Nonce = prompt.Nonce(a.journal.ID())
	}
	var blocks []model.Block
	for _, b := range prompt.System(po) {
		blocks = append(blocks, model.Block(b))
	}
	return blocks
}

// load takes up the session of the journal: its state, the files its tools have
// seen and the directory they were in.
func (a *Agent) load() error {
	s, err := a.journal.Load(a.driver.Machine)
	if err != nil {
		return err
	}
	a.state = s
	a.notices = append(a.notices, a.journal.Notices()...)
	for _, m := range s.Messages {
		for _, r := range m.Results() {
			a.ws.Note(r.Files...)
			if r.Blob != nil { // in a copy of a session, the original's folder
				a.mayRead(filepath.Dir(r.Blob.Path))
			}
			if r.Dir != "" {
				a.ws.SetDir(r.Dir)
			}
		}
	}
	return nil
}

// mayRead lets the model read what was paged out to a folder of a session.
func (a *Agent) mayRead(dir string) {
	if real, err := a.ws.Resolve(dir); err == nil && !slices.Contains(a.policy.Readable, real) {
		a.policy.Readable = append(a.policy.Readable, real)
	}
}

// idle tells of rules that were meant to hold something back and speak of no
// tool there is: most likely their author mistyped it.
func idle(set tool.Set, lists ...[]permission.Rule) []string {
	var notices []string
	for _, rules := range lists {
		for _, r := range rules {
			if name := r.Tool(); set.Find(name) == nil && !strings.ContainsAny(name, "*") && !strings.HasPrefix(name, "mcp__") {
				notices = append(notices, fmt.Sprintf("the rule %q speaks of no tool there is, so it holds nothing back; the tools are: %s",
					r, strings.Join(set.Names(), ", ")))
			}
		}
	}
	return notices
}
