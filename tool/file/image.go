package file

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// The bounds on images. One that a provider refuses makes every later request
// of the conversation fail.
const (
	// maxImage is 5 MB in base64, in bytes before it: the smallest limit among
	// the clouds that serve these models.
	maxImage = 3_750_000
	// maxSide is the most pixels in width or height.
	maxSide = 8000
)

// imageType is the MIME type of the images that models can see, by the first
// bytes of a file, and empty for everything else.
func imageType(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return "image/gif"
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

func readImage(t target, mime string, size int64, r io.Reader) (tool.Result, error) {
	kind := strings.ToUpper(strings.TrimPrefix(mime, "image/")) + " image"
	if size > maxImage {
		return binaryNote(t, fmt.Sprintf("%s, too large to be shown (more than %d bytes); make a smaller copy with a shell command to see it",
			kind, maxImage), size), nil
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return tool.Result{}, t.problem("read", err)
	}
	width, height, err := imageSize(mime, data)
	switch {
	case err != nil:
		return binaryNote(t, fmt.Sprintf("%s that is damaged (%v)", kind, err), size), nil
	case max(width, height) > maxSide:
		return binaryNote(t, fmt.Sprintf("%s of %d×%d pixels, too large to be shown (more than %d a side); make a smaller copy with a shell command to see it",
			kind, width, height, maxSide), size), nil
	}
	hash := sha256.Sum256(data)
	res := tool.Result{
		Text:  fmt.Sprintf("[%s: %s, %d×%d pixels, %d bytes.]", t.name, kind, width, height, len(data)),
		Media: []message.Media{{Kind: "image", MIME: mime, Data: data, Name: t.name}},
		Title: t.title("read", fmt.Sprintf("%s, %d×%d", kind, width, height)),
		Files: []message.FileVersion{{Path: t.path, Hash: hex.EncodeToString(hash[:]), Action: "read"}},
	}
	t.ws.Note(res.Files...)
	return res, nil
}

// errIncomplete is for images whose end is missing.
var errIncomplete = errors.New("its end is missing")

// imageSize is the width and the height in pixels. An image whose header is
// wrong or whose end is missing is an error.
func imageSize(mime string, data []byte) (width, height int, err error) {
	r := bytes.NewReader(data)
	switch mime {
	case "image/png":
		c, err := png.DecodeConfig(r)
		return c.Width, c.Height, ended(err, data, "IEND")
	case "image/jpeg":
		c, err := jpeg.DecodeConfig(r)
		return c.Width, c.Height, ended(err, data, "\xff\xd9")
	case "image/gif":
		c, err := gif.DecodeConfig(r)
		return c.Width, c.Height, ended(err, data, "\x00;")
	default:
		return webpSize(data)
	}
}

// ended is err, or errIncomplete when the mark of the end is not among the last
// bytes. Cameras and editors put some of their own after it.
func ended(err error, data []byte, mark string) error {
	const tail = 64 << 10
	if err == nil && !bytes.Contains(data[max(len(data)-tail, 0):], []byte(mark)) {
		return errIncomplete
	}
	return err
}

// webpSize reads the first chunk of a WebP file (RFC 9649, sections 2.4 to 2.7).
func webpSize(data []byte) (width, height int, err error) {
	if len(data) < 30 {
		return 0, 0, errIncomplete
	}
	if int64(len(data)) < 8+int64(binary.LittleEndian.Uint32(data[4:])) {
		return 0, 0, errIncomplete
	}
	b := data[20:]
	switch string(data[12:16]) {
	case "VP8 ": // after three bytes of tag and three of start code
		const side = 1<<14 - 1
		return int(binary.LittleEndian.Uint16(b[6:])) & side, int(binary.LittleEndian.Uint16(b[8:])) & side, nil
	case "VP8L": // after one byte of signature
		bits := binary.LittleEndian.Uint32(b[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, nil
	case "VP8X": // after one byte of flags and three reserved
		u24 := func(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
		return u24(b[4:]) + 1, u24(b[7:]) + 1, nil
	default:
		return 0, 0, fmt.Errorf("the first chunk is %q", data[12:16])
	}
}
