package opt

// CombineRules is the table of instcombine's rules, for its tests.
var CombineRules = &combineRules
