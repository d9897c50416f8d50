package archtest

import (
	"fmt"
	"slices"
	"strings"
)

// check returns a sentence for each thing in the files that breaks a rule, in
// the order of the files.
func check(files []file, rules []rule, bans []ban) (problems []string) {
	byDir := map[string]rule{}
	for _, r := range rules {
		byDir[r.dir] = r
	}
	told := map[string]bool{}
	for _, f := range files {
		r, known := byDir[f.dir()]
		switch {
		case !known && !told[f.dir()]:
			told[f.dir()] = true
			problems = append(problems, fmt.Sprintf("package %s has no rule: add a line to the table in internal/archtest/table.go "+
				"that says what it may import, and one to the package list in ARCHITECTURE.md", f.dir()))
		case known && !f.test:
			problems = append(problems, checkImports(f, r, byDir)...)
		}
		for _, m := range f.marks {
			problems = append(problems, fmt.Sprintf("%s, %s: do it, or open an issue that says what is to be done", f.name, m))
		}
		problems = append(problems, checkBans(f, bans)...)
	}
	return append(problems, checkDocs(files)...)
}

func checkImports(f file, r rule, byDir map[string]rule) (problems []string) {
	breaks := func(p, why string) {
		problems = append(problems, fmt.Sprintf("%s imports %s: %s", f.name, p, why))
	}
	for _, p := range f.imports {
		dir, ours := within(p)
		switch {
		case ours && !covered(r.ours, dir):
			breaks(p, fmt.Sprintf("package %s may import, of this module, %s: "+
				"turn the dependency round, or change the architecture and say why in DESIGN.md", r.dir, listed(r.ours)))
		case ours && byDir[dir].support && !r.support:
			breaks(p, "it is there for tests")
		case ours || isStd(p):
		case r.std:
			breaks(p, fmt.Sprintf("package %s keeps to the standard library", r.dir))
		case covered(testModules, p) && !r.support:
			breaks(p, "that module is for tests")
		}
	}
	return problems
}

// checkBans looks at tests only for what is banned everywhere: a test may use
// the world to test what may not.
func checkBans(f file, bans []ban) (problems []string) {
	for _, b := range bans {
		if covered(b.except, f.dir()) || b.in != nil && (f.test || !covered(b.in, f.dir())) {
			continue
		}
		for _, p := range f.imports {
			if covered(b.imports, p) {
				problems = append(problems, fmt.Sprintf("%s imports %s: %s", f.name, p, b.why))
			}
		}
	}
	return problems
}

// checkDocs wants one comment for each package, in a file that is no test.
func checkDocs(files []file) (problems []string) {
	var undocumented []string
	documented := map[string]bool{}
	for _, f := range files {
		if f.test {
			continue
		}
		if !slices.Contains(undocumented, f.dir()) {
			undocumented = append(undocumented, f.dir())
		}
		if f.pkg == "main" && f.doc != "" || strings.HasPrefix(f.doc, "Package "+f.pkg+" ") {
			documented[f.dir()] = true
		}
	}
	for _, dir := range undocumented {
		if !documented[dir] {
			problems = append(problems, fmt.Sprintf("package %s has no comment that says what it is for: put one over a package clause, "+
				"beginning with \"Package\" and its name", dir))
		}
	}
	return problems
}

// within is the directory of a package of ours.
func within(importPath string) (dir string, ours bool) {
	if importPath == module {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

// isStd reports whether a package is of the standard library: its first
// element has no dot.
func isStd(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// covered reports whether one of the patterns stands for the path.
func covered(patterns []string, p string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if prefix, all := strings.CutSuffix(pattern, "/..."); all {
			return p == prefix || strings.HasPrefix(p, prefix+"/")
		}
		return p == pattern
	})
}

func listed(dirs []string) string {
	if len(dirs) == 0 {
		return "nothing"
	}
	return strings.Join(dirs, ", ")
}
