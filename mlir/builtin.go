package mlir

import _ "embed" // of the rows

//go:embed builtin.txt
var builtinRows string

var builtinDialect = Dialect{Name: "builtin", Rows: &builtinRows}
