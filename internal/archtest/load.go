package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// module is the path of this module.
const module = "github.com/daruma-dev/daruma"

// file is what the rules need to know of one Go file.
type file struct {
	name    string // slash-separated, relative to the module
	pkg     string // the name in its package clause
	test    bool
	imports []string
	doc     string   // the comment of its package clause
	marks   []string // "line 3: …" for each left-over mark
}

// dir is the package's directory.
func (f file) dir() string { return path.Dir(f.name) }

// load reads every Go file of the module in root. Modules inside it, testdata
// and what the go command ignores are none of its files.
func load(root fs.FS) ([]file, error) {
	var files []file
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && skipped(root, name):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" || strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_"):
			return nil
		}
		f, err := parse(root, name)
		files = append(files, f)
		return err
	})
	return files, err
}

func skipped(root fs.FS, dir string) bool {
	base := path.Base(dir)
	if base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_' {
		return true
	}
	_, err := fs.Stat(root, path.Join(dir, "go.mod"))
	return err == nil
}

func parse(root fs.FS, name string) (file, error) {
	src, err := fs.ReadFile(root, name)
	if err != nil {
		return file{}, err
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return file{}, err
	}
	f := file{name: name, pkg: tree.Name.Name, test: strings.HasSuffix(name, "_test.go"), doc: tree.Doc.Text()}
	for _, i := range tree.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return file{}, err
		}
		f.imports = append(f.imports, p)
	}
	f.marks = marks(set, tree)
	return f, nil
}

// mark is a word for work that was left undone. Only comments and names count:
// a test may well search a text for it.
var mark = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME)\b`)

func marks(set *token.FileSet, tree *ast.File) (found []string) {
	look := func(pos token.Pos, text string) {
		if m := mark.FindString(text); m != "" {
			found = append(found, fmt.Sprintf("line %d: %s", set.Position(pos).Line, m))
		}
	}
	for _, group := range tree.Comments {
		for _, c := range group.List {
			look(c.Pos(), c.Text)
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			look(id.Pos(), id.Name)
		}
		return true
	})
	return found
}
