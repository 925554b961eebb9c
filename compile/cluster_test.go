package compile

import (
	"context"
	"regexp"
	"testing"
)

// TestClusterDims checks the metadata of kernels with clusters of a fixed size.
func TestClusterDims(t *testing.T) {
	const text = `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @fixed() "amdgpu-cluster-dims"="4,2,1" {
  ret void
}
define amdgpu_kernel void @variable() "amdgpu-cluster-dims"="1024,1024,1024" {
  ret void
}
`
	res, err := Compile(context.Background(), []Input{{Name: "cluster.ll", Data: []byte(text)}}, Options{CPU: "gfx1250", Format: Assembly})
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`\.cluster_dims:\s+- 4\s+- 2\s+- 1\s`)
	if found := regexp.MustCompile(`\.cluster_dims:`).FindAll(res.Data, -1); len(found) != 1 || !want.Match(res.Data) {
		t.Errorf("%d kernels have .cluster_dims, want one with 4, 2, 1:\n%s", len(found), res.Data)
	}
}
