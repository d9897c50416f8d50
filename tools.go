package daruma

import (
	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/permission"
	"github.com/daruma-dev/daruma/tool"
	"github.com/daruma-dev/daruma/tool/file"
	"github.com/daruma-dev/daruma/tool/search"
	"github.com/daruma-dev/daruma/tool/shell"
)

// Builtin is the tools of an agent that is given none, in the order in which
// they are described to the model.
func Builtin(ws *tool.Workspace) []tool.Tool {
	return []tool.Tool{
		file.Read(ws), file.Write(ws), file.Edit(ws),
		search.Grep(ws), search.Glob(ws),
		shell.New(ws, shell.Options{}),
	}
}

// described is the tools as the model gets to see them.
func described(set tool.Set) []model.Tool {
	var ts []model.Tool
	for _, t := range set.All() {
		s := t.Spec()
		ts = append(ts, model.Tool{Name: s.Name, Description: s.Description, Schema: s.Schema})
	}
	return ts
}

// vet asks the permission policy about a call; dir is the working directory.
func vet(p permission.Policy, dir string, c message.Call, a tool.Access) loop.Verdict {
	v := p.Decide(permission.Request{
		Tool: c.Name, Action: string(a.Action), Paths: a.Paths, Named: a.Named,
		Command: a.Command, Dir: dir, Target: a.Target,
	})
	out := loop.Verdict{Reason: v.Reason, Rule: v.Rule, Hint: v.Hint}
	switch v.Decision {
	case permission.Allow:
		out.Decision = loop.Allow
	case permission.Ask:
		out.Decision = loop.Ask
	case permission.Deny:
		out.Decision = loop.Deny
	default:
		out.Decision = loop.Deny
	}
	return out
}
