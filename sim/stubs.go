package sim

func prepareSMEM(d *Device, o *op) bool   { return false }
func prepareFlat(d *Device, o *op) bool   { return false }
func prepareBuffer(d *Device, o *op) bool { return false }
func prepareDS(d *Device, o *op) bool     { return false }
