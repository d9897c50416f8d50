// Package daruma is an agent that edits a repository: it samples a model, runs
// the tools the model asks for, feeds the results back until the work is done,
// and repairs itself when something goes wrong on the way. It is the one import
// an embedder needs:
//
//	agent, err := daruma.New(daruma.Options{Dir: "/path/to/repo", Mode: "accept-edits"})
//	if err != nil { … }
//	defer agent.Close()
//	for event, err := range agent.Run(ctx, "make the tests pass") {
//		…
//	}
//
// What the events mean is said in package loop, whose machine and driver the
// agent is wired from. An embedder who wants other parts uses loop directly.
package daruma
