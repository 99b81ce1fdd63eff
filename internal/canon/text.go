package canon

import (
	"encoding"
	"encoding/json"
	"reflect"
	"unicode/utf8"
)

// textOK looks through a Go value for strings that are not UTF-8. It is only asked when the JSON has an escaped U+FFFD,
// which encoding/json writes for such a string and for nothing else of its own.
func textOK(v any) bool { return valueOK(reflect.ValueOf(v), MaxDepth) }

func valueOK(v reflect.Value, depth int) bool {
	if depth == 0 || !v.IsValid() {
		return true
	}
	if done, ok := marshalerOK(v); done {
		return ok
	}
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || valueOK(v.Elem(), depth-1)
	case reflect.Slice, reflect.Array:
		return elementsOK(v, depth)
	case reflect.Map:
		return mapOK(v, depth)
	case reflect.Struct:
		return fieldsOK(v, depth)
	}
	return true
}

// marshalerOK handles values that write themselves: JSON of their own was checked byte by byte, text is checked here.
func marshalerOK(v reflect.Value) (done, ok bool) {
	if !v.CanInterface() || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil() {
		return false, true
	}
	switch m := v.Interface().(type) {
	case json.Marshaler:
		return true, true
	case encoding.TextMarshaler:
		b, err := m.MarshalText()
		return true, err == nil && utf8.Valid(b)
	}
	return false, true
}

func elementsOK(v reflect.Value, depth int) bool {
	ok := true
	for i := 0; ok && i < v.Len() && v.Type().Elem().Kind() != reflect.Uint8; i++ { // bytes are written in base64
		ok = valueOK(v.Index(i), depth-1)
	}
	return ok
}

func mapOK(v reflect.Value, depth int) bool {
	for it := v.MapRange(); it.Next(); {
		if !valueOK(it.Key(), depth-1) || !valueOK(it.Value(), depth-1) {
			return false
		}
	}
	return true
}

// fieldsOK also looks at fields that encoding/json leaves out; one that is not UTF-8 is refused with the rest, which is
// the safe side.
func fieldsOK(v reflect.Value, depth int) bool {
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
			if !valueOK(v.Field(i), depth-1) {
				return false
			}
		}
	}
	return true
}
