package modeltest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/gif"  // formats whose size can be read
	_ "image/jpeg" //
	_ "image/png"  //
	"net/http"

	"github.com/daruma-dev/daruma/model"
)

// The limits of images, in pixels a side and in number.
const (
	maxSide        = 8000
	maxSideOfMany  = 2000
	manyImages     = 20 // more than these make a request one of many images
	maxMedia       = 600
	maxMediaSmall  = 100 // in a small window
	smallWindow    = 200_000
	maxPDFBytes    = 32 << 20
	dimensionsCode = "image_dimensions_too_large"
)

// tooLarge is a refusal for a limit that no client can know beforehand.
func tooLarge(code, path, format string, args ...any) error {
	r := at(path, format, args...)
	r.Code, r.limit = code, true
	return r
}

// checkMedia checks images and documents, also those within results.
func (c *checker) checkMedia(r *request) error {
	var media []wireBlock
	for _, m := range r.messages {
		media = append(media, m.media...)
	}
	limit := maxMedia
	if w := model.Lookup("anthropic/" + r.model).Window; w > 0 && w <= smallWindow {
		limit = maxMediaSmall
	}
	if len(media) > limit {
		return tooLarge("", "messages", "too many images and documents: %d > %d", len(media), limit)
	}
	images := 0
	for _, b := range media {
		if b.typ == "image" {
			images++
		}
	}
	for _, b := range media {
		if err := c.checkMedium(b, images); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) checkMedium(b wireBlock, images int) error {
	path := b.path + "." + b.typ + ".source"
	source, err := fieldsOf(b.get("source"))
	if err != nil {
		return at(path, "Field required")
	}
	kind, mime, data := source.text("type"), source.text("media_type"), source.text("data")
	switch {
	case kind == "url" || kind == "file" || b.typ == "document" && (kind == "text" || kind == "content"):
		return nil
	case kind != "base64":
		return at(path, "Input tag '%s' found using 'type' does not match any of the expected tags", kind)
	}
	if err := onlyFields(source, path+".base64", "type", "media_type", "data"); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil || len(raw) == 0 {
		return at(path+".base64.data", "Invalid base64 data")
	}
	if b.typ == "document" {
		return checkPDF(path, mime, raw)
	}
	if len(data) > c.options.MaxImageBytes {
		return tooLarge("", path+".base64", "image exceeds %s maximum: %d bytes > %d bytes",
			size(c.options.MaxImageBytes), len(data), c.options.MaxImageBytes)
	}
	return checkImage(path+".base64", mime, raw, images)
}

func checkPDF(path, mime string, raw []byte) error {
	switch {
	case mime != "application/pdf":
		return at(path+".base64.media_type", "Input should be 'application/pdf'")
	case !bytes.HasPrefix(raw, []byte("%PDF-")):
		return wrong("The PDF specified was not valid.")
	case len(raw) > maxPDFBytes:
		return tooLarge("", path+".base64", "document exceeds the maximum size")
	}
	return nil
}

func checkImage(path, mime string, raw []byte, images int) error {
	switch mime {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
	default:
		return at(path+".media_type", "Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'")
	}
	found := http.DetectContentType(raw)
	if found != mime {
		if knownImage(found) {
			return at(path, "The image was specified using the %s media type, but the image appears to be a %s image", mime, found)
		}
		return tooLarge("", path, "Could not process image")
	}
	if mime == "image/webp" {
		return nil // the standard library cannot read its size
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return tooLarge("", path, "Could not process image")
	}
	side := max(config.Width, config.Height)
	switch {
	case side > maxSide:
		return tooLarge(dimensionsCode, path+".data",
			"At least one of the image dimensions exceed max allowed size: %d pixels", maxSide)
	case images > manyImages && side > maxSideOfMany:
		return tooLarge(dimensionsCode, path+".data",
			"At least one of the image dimensions exceed max allowed size for many-image requests: %d pixels", maxSideOfMany)
	}
	return nil
}

func knownImage(mime string) bool {
	return mime == "image/jpeg" || mime == "image/png" || mime == "image/gif" || mime == "image/webp"
}

func size(n int) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
