package sem

// tables lists the tables of rows.
func tables() [][]Row {
	return [][]Row{
		intRows(),
		int64Rows(),
		sadRows(),
		bitRows(),
		dotRows(),
		cmpRows(),
		salu1Rows(),
		salu2Rows(),
		saluCmpRows(),
		salukRows(),
		floatRows(),
		floatMinMaxRows(),
		floatMinMax2019Rows(),
		floatCompareRows(),
		floatRoundRows(),
		floatDivRows(),
		floatDotRows(),
		floatCubeRows(),
		cvtFloatRows(),
		cvtIntRows(),
		fp8Rows(),
		stochasticRows(),
		transRows(),
		bf16Rows(),
		fp8HalfRows(),
	}
}
