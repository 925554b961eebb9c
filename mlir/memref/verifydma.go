package memref

import (
	"errors"
	"fmt"

	"github.com/gfx-toolchain/gfx/mlir"
)

// A dmaReader walks over the operands of memref.dma_start, whose number depends on the ranks of the
// memrefs among them.
type dmaReader struct {
	o     *mlir.Op
	at    int
	least int // operands that are needed, as far as is known
}

// memref reads a memref and its indices.
func (d *dmaReader) memref(name string) error {
	t := d.o.Operand(d.at).Type
	if t.Kind != mlir.MemRefKind {
		return fmt.Errorf("expected %s to be of memref type", name)
	}
	d.least += len(t.Shape)
	if len(d.o.Operands) < d.least {
		return fmt.Errorf("expected at least %d operands", d.least)
	}
	d.at++
	for range t.Shape {
		if !d.isIndex() {
			return fmt.Errorf("expected %s indices to be of index type", name)
		}
		d.at++
	}
	return nil
}

func (d *dmaReader) isIndex() bool { return d.o.Operand(d.at).Type.Kind == mlir.IndexKind }

func verifyDMAStart(_ *mlir.Context, o *mlir.Op) error {
	d := &dmaReader{o: o, least: 4}
	if len(o.Operands) < d.least {
		return errors.New("expected at least 4 operands")
	}
	if err := d.memref("source"); err != nil {
		return err
	}
	if err := d.memref("destination"); err != nil {
		return err
	}
	if !d.isIndex() {
		return errors.New("expected num elements to be of index type")
	}
	d.at++
	if err := d.memref("tag"); err != nil {
		return err
	}
	switch len(o.Operands) - d.at {
	case 0:
		return nil
	case 2:
		if d.isIndex() && o.Operand(d.at+1).Type.Kind == mlir.IndexKind {
			return nil
		}
		return errors.New("expected stride and num elements per stride to be of type index")
	}
	return errors.New("incorrect number of operands")
}

func verifyDMAWait(_ *mlir.Context, o *mlir.Op) error {
	if want, got := len(o.Operand(0).Type.Shape), o.CountNamed("tagIndices"); want != got {
		return fmt.Errorf("expected tagIndices to have the same number of elements as the tagMemRef rank, expected %d, but got %d", want, got)
	}
	return nil
}
