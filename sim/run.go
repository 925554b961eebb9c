package sim

import "context"

func (d *Device) run(ctx context.Context, p *Dispatch) (*Stats, error) {
	return nil, &Fault{Kind: FaultUnsupported, Lane: -1}
}
