package loop

import (
	"fmt"
	"reflect"

	"github.com/daruma-dev/daruma/message"
)

// Diff names the first field in which two states differ; it is empty when they
// are equal. What messages have memoised does not count, nor does the time at
// which they were made.
func Diff(a, b State) string {
	va, vb := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range va.NumField() {
		field := va.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		x, y := va.Field(i).Interface(), vb.Field(i).Interface()
		if !same(x, y) {
			return fmt.Sprintf("%s: %s and %s", field.Name, show(x), show(y))
		}
	}
	return ""
}

// same compares by stored form, in which an empty slice and none are one.
func same(x, y any) bool { return reflect.DeepEqual(x, y) || show(x) == show(y) }

func show(v any) string {
	if m, ok := v.(*message.Message); ok && m == nil {
		return "null"
	}
	b, err := message.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%#v", v)
	}
	if s := string(b); s != "[]" && s != "{}" {
		return s
	}
	return "null"
}
