package link

import "fmt"

// describePlace formats a location in an input for messages:
// file:(section+offset).
func (l *linker) describePlace(file, sec int32, off uint64) string {
	name := "the linker"
	if file >= 0 {
		name = l.files[file].name
	}
	if sec > 0 {
		return fmt.Sprintf("%s:(%s+%#x)", name, l.bytes(l.secs[sec].name), off)
	}
	return name
}

func (l *linker) placeIn(s *section, off uint64) string {
	name := "the linker"
	if s.file >= 0 {
		name = l.files[s.file].name
	}
	return fmt.Sprintf("%s:(%s+%#x)", name, l.bytes(s.name), off)
}
