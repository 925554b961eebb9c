package sim

func prepareDS(d *Device, o *op) bool { return false }
