package anthropic

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/daruma-dev/daruma/message"
)

// appendMedia sends what the API takes, as what it is, and a note about anything
// else: one refused image would fail every later request.
func appendMedia(b []byte, m message.Media) []byte {
	switch mime := mediaType(m); mime {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		return append(appendBase64(append(b, `{"type":"image"`...), mime, m.Data), '}')
	case "application/pdf":
		b = appendBase64(append(b, `{"type":"document"`...), mime, m.Data)
	case "text/plain":
		b = append(b, `{"type":"document","source":{"type":"text","media_type":"text/plain","data":`...)
		b = append(appendString(b, string(m.Data)), '}')
	default:
		return appendText(b, mediaNote(m))
	}
	if !blank(m.Name) {
		b = appendString(append(b, `,"title":`...), m.Name)
	}
	return append(b, '}')
}

// mediaType is what m is by its content, since the API refuses an image under a
// wrong type, or "" when it holds nothing that can be sent.
func mediaType(m message.Media) string {
	if strings.HasPrefix(m.MIME, "text/") {
		if blank(string(m.Data)) {
			return ""
		}
		return "text/plain"
	}
	found := http.DetectContentType(m.Data)
	if strings.HasPrefix(found, "text/") {
		return ""
	}
	return found
}

func appendBase64(b []byte, mime string, data []byte) []byte {
	b = append(b, `,"source":{"type":"base64","media_type":"`...)
	b = append(b, mime...)
	b = append(b, `","data":"`...)
	b = base64.StdEncoding.AppendEncode(b, data)
	return append(b, `"}`...)
}

// mediaNote stands for media that cannot be sent.
func mediaNote(m message.Media) string {
	return strings.Join(strings.Fields(fmt.Sprintf("[%s %s %s not shown]", m.Kind, m.MIME, m.Name)), " ")
}
