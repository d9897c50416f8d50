package modeltest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// integer reads a JSON number that is a whole one.
func integer(raw json.RawMessage) (int64, bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}

// traits is what differs between the models, as far as requests are refused
// for it.
type traits struct {
	prefix   string
	thinking string // the types of thinking it takes
	noForce  bool   // forced tool use is refused
	system   bool   // system messages between the others
	noEffort bool
}

// modelTraits is looked up by prefix in this order. A model that is not in it
// takes everything.
var modelTraits = []traits{
	{prefix: "claude-fable-5-", thinking: "adaptive", noForce: true, system: true},
	{prefix: "claude-mythos-5-", thinking: "adaptive", noForce: true, system: true},
	{prefix: "claude-opus-5-5", thinking: "adaptive", noForce: true, system: true},
	{prefix: "claude-opus-5", thinking: "adaptive disabled", system: true},
	{prefix: "claude-sonnet-5", thinking: "adaptive disabled between_tools"},
	{prefix: "claude-haiku-5", thinking: "adaptive disabled between_tools"},
	{prefix: "claude-opus-4-8", thinking: "adaptive disabled", system: true},
	{prefix: "claude-opus-4-7", thinking: "adaptive disabled"},
	{prefix: "claude-opus-4-6", thinking: "adaptive enabled disabled"},
	{prefix: "claude-sonnet-4-6", thinking: "adaptive enabled disabled"},
	{prefix: "claude-haiku-4-5", thinking: "enabled disabled", noEffort: true},
	{prefix: "claude-opus-4-5", thinking: "enabled disabled"},
	{prefix: "claude-sonnet-4-5", thinking: "enabled disabled", noEffort: true},
}

func traitsOf(id string) traits {
	for _, t := range modelTraits {
		if strings.HasPrefix(id, t.prefix) {
			return t
		}
	}
	return traits{thinking: "adaptive enabled disabled between_tools", system: true}
}

// checkSettings checks the members that say how to answer.
func checkSettings(r *request) error {
	for _, check := range []func(*request) error{checkStream, checkThinkingConfig, checkEffort, checkToolChoice, checkStops, checkMetadata} {
		if err := check(r); err != nil {
			return err
		}
	}
	return nil
}

func checkStream(r *request) error {
	if v := r.top.get("stream"); v != nil && string(v) != "true" && string(v) != "false" {
		return at("stream", "Input should be a valid boolean")
	}
	return nil
}

func checkThinkingConfig(r *request) error {
	v := r.top.get("thinking")
	if v == nil {
		return nil
	}
	fs, err := fieldsOf(v)
	if err != nil {
		return at("thinking", "Input should be a valid dictionary")
	}
	if err := onlyFields(fs, "thinking", "type", "display", "budget_tokens", "block_binding"); err != nil {
		return err
	}
	typ := fs.text("type")
	if !slices.Contains([]string{"adaptive", "enabled", "disabled", "between_tools"}, typ) {
		return at("thinking.type", "Input should be 'adaptive', 'between_tools', 'disabled' or 'enabled'")
	}
	if !slices.Contains(strings.Fields(traitsOf(r.model).thinking), typ) {
		if typ == "adaptive" {
			return wrong("adaptive thinking is not supported on this model")
		}
		return wrong("%q is not supported for this model.", "thinking.type."+typ)
	}
	if typ == "enabled" {
		return checkBudget(r, fs.get("budget_tokens"))
	}
	return nil
}

func checkBudget(r *request, v json.RawMessage) error {
	n, ok := integer(v)
	limit, _ := integer(r.top.get("max_tokens"))
	switch {
	case !ok:
		return at("thinking.enabled.budget_tokens", "Field required")
	case n < 1024:
		return at("thinking.enabled.budget_tokens", "Input should be greater than or equal to 1024")
	case n >= limit && !r.counting:
		return wrong("`max_tokens` must be greater than `thinking.budget_tokens`.")
	}
	return nil
}

func checkEffort(r *request) error {
	v := r.top.get("output_config")
	if v == nil {
		return nil
	}
	fs, err := fieldsOf(v)
	if err != nil {
		return at("output_config", "Input should be a valid dictionary")
	}
	if err := onlyFields(fs, "output_config", "effort", "format"); err != nil {
		return err
	}
	effort := fs.get("effort")
	switch {
	case effort == nil:
		return nil
	case traitsOf(r.model).noEffort:
		return wrong("This model does not support the effort parameter.")
	case !slices.Contains([]string{"low", "medium", "high", "xhigh", "max"}, fs.text("effort")):
		return at("output_config.effort", "Input should be 'low', 'medium', 'high', 'xhigh' or 'max'")
	}
	return nil
}

func checkToolChoice(r *request) error {
	v := r.top.get("tool_choice")
	if v == nil {
		return nil
	}
	fs, err := fieldsOf(v)
	if err != nil {
		return at("tool_choice", "Input should be a valid dictionary")
	}
	if err := onlyFields(fs, "tool_choice", "type", "name", "disable_parallel_tool_use"); err != nil {
		return err
	}
	typ := fs.text("type")
	forced := typ == "any" || typ == "tool"
	switch {
	case !forced && typ != "auto" && typ != "none":
		return at("tool_choice.type", "Input should be 'auto', 'any', 'none' or 'tool'")
	case len(r.tools) == 0:
		return wrong("tool_choice may only be specified while providing tools.")
	case forced && traitsOf(r.model).noForce:
		return wrong("tool_choice.type %q is not supported for this model.", typ)
	case typ == "tool" && !r.hasTool(fs.text("name")):
		return wrong("Tool '%s' not found in provided tools", fs.text("name"))
	}
	return nil
}

func (r *request) hasTool(name string) bool {
	return slices.ContainsFunc(r.tools, func(t wireBlock) bool { return t.text("name") == name })
}

func checkStops(r *request) error {
	v := r.top.get("stop_sequences")
	if v == nil {
		return nil
	}
	var stops []string
	if err := json.Unmarshal(v, &stops); err != nil {
		return at("stop_sequences", "Input should be a valid list")
	}
	if slices.ContainsFunc(stops, blank) {
		return wrong("stop_sequences: each stop sequence must contain non-whitespace")
	}
	return nil
}

func checkMetadata(r *request) error {
	v := r.top.get("metadata")
	if v == nil {
		return nil
	}
	fs, err := fieldsOf(v)
	if err != nil {
		return at("metadata", "Input should be a valid dictionary")
	}
	return onlyFields(fs, "metadata", "user_id")
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
