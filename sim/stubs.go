package sim

func prepareDS(d *Device, o *op) bool    { return false }
func prepareVOP3P(d *Device, o *op) bool { return false }
func prepareVOPD(d *Device, o *op) bool  { return false }
func prepareMAI(d *Device, o *op) bool   { return false }

var vectorSpecials map[string]preparer

func hasShortForm(op any) bool { return false }
