package modeltest

import "encoding/json"

// maxMarks is how many cache marks a request may have, the automatic one
// included.
const maxMarks = 4

// checkMarks checks the cache marks in the order in which the cache sees them:
// tools, system, messages, and the automatic one.
func checkMarks(r *request) error {
	n, short := 0, false
	var last json.RawMessage
	for _, b := range r.inOrder() {
		last = b.mark()
		if last == nil {
			continue
		}
		n++
		ttl, err := checkMark(last, b.path+".cache_control")
		if err != nil {
			return err
		}
		if short && ttl == "1h" {
			return at(b.path+".cache_control.ttl", "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block")
		}
		short = short || ttl == "5m"
	}
	if auto := r.top.get("cache_control"); auto != nil {
		n++
		ttl, err := checkMark(auto, "cache_control")
		if err != nil {
			return err
		}
		if own, _ := checkMark(last, ""); last != nil && own != ttl {
			return wrong("cache_control: the last block has a cache_control with another ttl")
		}
	}
	if n > maxMarks {
		return wrong("A maximum of %d blocks with cache_control may be provided. Found %d.", maxMarks, n)
	}
	return nil
}

// inOrder lists the tools and blocks in the order in which they are cached.
func (r *request) inOrder() []wireBlock {
	all := append(r.tools[:len(r.tools):len(r.tools)], r.system...)
	for _, m := range r.messages {
		all = append(all, m.blocks...)
	}
	return all
}

// checkMark checks one mark and gives its lifetime.
func checkMark(raw json.RawMessage, path string) (ttl string, err error) {
	fs, err := fieldsOf(raw)
	if err != nil {
		return "", at(path, "Input should be a valid dictionary")
	}
	if err := onlyFields(fs, path, "type", "ttl"); err != nil {
		return "", err
	}
	if fs.text("type") != "ephemeral" {
		return "", at(path+".type", "Input should be 'ephemeral'")
	}
	switch ttl := fs.text("ttl"); {
	case fs.get("ttl") == nil || ttl == "5m":
		return "5m", nil
	case ttl == "1h":
		return ttl, nil
	default:
		return "", at(path+".ttl", "Input should be '5m' or '1h'")
	}
}
