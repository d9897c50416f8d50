package modeltest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/daruma-dev/daruma/model"
)

// wireModelOut is a model in the catalogue, as far as we fill it.
type wireModelOut struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Display   string `json:"display_name"`
	CreatedAt string `json:"created_at"`
	MaxInput  int64  `json:"max_input_tokens,omitempty"`
	MaxOutput int64  `json:"max_tokens,omitempty"`
	Lifecycle string `json:"lifecycle"`
}

// lookup is what the service knows about a model. Limits the options set go
// before those of the catalogue.
func (s *Server) lookup(id string) model.Info {
	in := model.Lookup("anthropic/" + id)
	if s.options.Window > 0 {
		in.Window = s.options.Window
	}
	return in
}

// served lists the models.
func (s *Server) served() []string {
	if len(s.options.Models) > 0 {
		return s.options.Models
	}
	var ids []string
	for _, name := range model.Known() {
		if p, id := model.Split(name); p == "anthropic" {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *Server) modelOut(id string) json.RawMessage {
	in := s.lookup(id)
	return mustMarshal(wireModelOut{
		Type: "model", ID: id, Display: id, CreatedAt: "2026-01-01T00:00:00Z",
		MaxInput: in.Window, MaxOutput: in.MaxOutput, Lifecycle: "active",
	})
}

func (x *exchange) listModels() {
	out := struct {
		Data    []json.RawMessage `json:"data"`
		HasMore bool              `json:"has_more"`
		First   string            `json:"first_id"`
		Last    string            `json:"last_id"`
	}{}
	ids := x.server.served()
	for _, id := range ids {
		out.Data = append(out.Data, x.server.modelOut(id))
	}
	out.First, out.Last = ids[0], ids[len(ids)-1]
	x.json(http.StatusOK, mustMarshal(out))
}

func (x *exchange) getModel() {
	id := strings.TrimPrefix(x.r.URL.Path, "/v1/models/")
	if !slices.Contains(x.server.served(), id) {
		x.refuse(unknownModel(id))
		return
	}
	x.json(http.StatusOK, x.server.modelOut(id))
}

func unknownModel(id string) *refusal { return invalid(http.StatusNotFound, "model: %s", id) }
