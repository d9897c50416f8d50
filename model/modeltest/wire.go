package modeltest

import (
	"encoding/json"

	"github.com/daruma-dev/daruma/message"
)

// The events of a reply as they are written.
type (
	wireStartOut struct {
		Type    string       `json:"type"`
		Message wireReplyOut `json:"message"`
	}
	wireReplyOut struct {
		ID          string              `json:"id"`
		Type        string              `json:"type"`
		Role        message.Role        `json:"role"`
		Model       string              `json:"model"`
		Content     []json.RawMessage   `json:"content"`
		Stop        *message.StopReason `json:"stop_reason"`
		Sequence    *string             `json:"stop_sequence"`
		StopDetails *wireStopOut        `json:"stop_details"`
		Usage       *wireUsageOut       `json:"usage,omitempty"`
	}
	wireDeltaOut struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
		Delta any    `json:"delta"`
	}
	wireEndOut struct {
		Type  string `json:"type"`
		Delta struct {
			Stop     message.StopReason `json:"stop_reason"`
			Sequence *string            `json:"stop_sequence"`
			Details  *wireStopOut       `json:"stop_details"`
		} `json:"delta"`
		Usage *wireUsageOut `json:"usage,omitempty"`
	}
	wireStopOut struct {
		Type        string  `json:"type"`
		Category    *string `json:"category"`
		Explanation string  `json:"explanation"`
	}
	wireUsageOut struct {
		Input      int64 `json:"input_tokens"`
		CacheWrite int64 `json:"cache_creation_input_tokens"`
		CacheRead  int64 `json:"cache_read_input_tokens"`
		Written    struct {
			FiveMinutes int64 `json:"ephemeral_5m_input_tokens"`
			Hour        int64 `json:"ephemeral_1h_input_tokens"`
		} `json:"cache_creation"`
		Output  int64 `json:"output_tokens"`
		Details struct {
			Thinking int64 `json:"thinking_tokens"`
		} `json:"output_tokens_details"`
		Tier string `json:"service_tier"`
	}
)

func textDelta(text string) any {
	return struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text_delta", text}
}

func thinkingDelta(text string) any {
	return struct {
		Type string `json:"type"`
		Text string `json:"thinking"`
	}{"thinking_delta", text}
}

func signatureDelta(signature string) any {
	return struct {
		Type      string `json:"type"`
		Signature string `json:"signature"`
	}{"signature_delta", signature}
}

func inputDelta(text string) any {
	return struct {
		Type string `json:"type"`
		Text string `json:"partial_json"`
	}{"input_json_delta", text}
}

func stopDetails(r Reply) *wireStopOut {
	if r.stop != message.StopRefusal {
		return nil
	}
	return &wireStopOut{Type: "refusal", Explanation: r.detail}
}

func usageOut(u message.Usage, mute bool) *wireUsageOut {
	if mute {
		return nil
	}
	out := &wireUsageOut{
		Input: u.Input, CacheWrite: u.CacheWrite, CacheRead: u.CacheRead, Output: u.Output, Tier: "standard",
	}
	out.Written.Hour = u.CacheWrite1h
	out.Written.FiveMinutes = u.CacheWrite - u.CacheWrite1h
	out.Details.Thinking = u.Thinking
	return out
}
