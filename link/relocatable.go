package link

func (l *linker) linkRelocatable() {}
