package recovery

import (
	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

// ResumesPerTurn bounds how often a reply is continued. Three pieces beyond the
// escalated limit are more than a reply has use for; what is still cut off then
// is a model that does not stop.
const ResumesPerTurn = 3

// resumeText tells the model to go on. The user does not see it.
const resumeText = "Your reply was cut off at the output limit. Go on exactly where it stopped, in the middle of the word if need be. " +
	"Do not repeat, sum up or apologise."

// Resume is the second cure for a reply that was cut off: what came is kept,
// and the model is told to go on. A call that was cut off is not run; its
// result says to send it in smaller parts.
type Resume struct{ Max int }

// Name implements [loop.Layer].
func (Resume) Name() string { return "resume" }

// Plan implements [loop.Layer].
func (l Resume) Plan(s loop.State, f loop.Fault) (loop.Plan, bool) {
	if f.Kind != loop.OutputCut || f.Reply == nil || len(f.Reply.Parts) == 0 || s.Spent[l.Name()] >= l.Max {
		return loop.Plan{}, false
	}
	return loop.Plan{
		Step: loop.PhaseSample, Keep: true, Say: resumeText, Origin: message.FromResume,
		Reason: loop.MaxOutputTokensRecovery,
	}, true
}
