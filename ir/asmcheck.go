package ir

// CheckConstraints reports what is wrong with the constraints of inline assembly for its type, "" when nothing is.
func CheckConstraints(m *Module, a *InlineAsm) string { return "" }
