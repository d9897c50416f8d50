package charset

import "bytes"

var utf32LE, utf32BE = []byte{0xff, 0xfe, 0, 0}, []byte{0, 0, 0xfe, 0xff}

// signatures name kinds of files by their first bytes. They are for telling a
// reader what it has before it, and for kinds that may hold no NUL early on.
var signatures = []struct {
	at   int
	sign string
	kind string
}{
	{0, "\x89PNG\r\n\x1a\n", "PNG image"},
	{0, "\xff\xd8\xff", "JPEG image"},
	{0, "GIF87a", "GIF image"},
	{0, "GIF89a", "GIF image"},
	{8, "WEBP", "WebP image"},
	{0, "%PDF-", "PDF document"},
	{0, "PK\x03\x04", "ZIP archive (or a format made of one, such as docx or jar)"},
	{0, "\x1f\x8b", "gzip data"},
	{0, "BZh", "bzip2 data"},
	{0, "\xfd7zXZ\x00", "xz data"},
	{0, "\x28\xb5\x2f\xfd", "zstd data"},
	{0, "7z\xbc\xaf\x27\x1c", "7-Zip archive"},
	{257, "ustar", "tar archive"},
	{0, "\x7fELF", "ELF program or library"},
	{0, "\xcf\xfa\xed\xfe", "Mach-O program or library"},
	{0, "\xca\xfe\xba\xbe", "Java class or Mach-O program"},
	{0, "\x00asm", "WebAssembly module"},
	{0, "SQLite format 3\x00", "SQLite database"},
	{0, "OggS", "Ogg media"},
	{0, "ID3", "MP3 audio"},
	{4, "ftyp", "MP4 or related media"},
	{0, "wOF2", "WOFF2 font"},
	{0, "wOFF", "WOFF font"},
	{0, string(utf32LE), "UTF-32 text"},
	{0, string(utf32BE), "UTF-32 text"},
}

// Binary reports whether the first bytes of a file, [Head] of them if it has so
// many, are those of something else than text, and of what: "binary data" where
// that is not known.
func Binary(head []byte) (kind string, ok bool) {
	kind, sure := signature(head)
	if sure {
		return kind, true
	}
	if Detect(head).Charset != UTF8 {
		return "", false
	}
	odd := 0
	for _, b := range head {
		if oddControl(b) {
			odd++
		}
	}
	// A stray control character is no reason to hide a text.
	if odd*10 > len(head) || bytes.IndexByte(head, 0) >= 0 {
		return kind, true
	}
	return "", false
}

// signature is the kind that the first bytes tell. It is sure where no text
// starts with them.
func signature(head []byte) (kind string, sure bool) {
	for _, s := range signatures {
		if len(head) >= s.at+len(s.sign) && string(head[s.at:s.at+len(s.sign)]) == s.sign {
			return s.kind, s.sign == "%PDF-" || bytes.ContainsFunc([]byte(s.sign), func(r rune) bool { return r >= 0x7f || r == 0 })
		}
	}
	return "binary data", false
}
