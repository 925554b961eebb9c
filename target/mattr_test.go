package target

import "testing"

func TestNew(t *testing.T) {
	tests := []struct {
		triple, cpu, mattr string
		on, off            FeatureSet
		wave               int
		id                 string
	}{
		{"", "gfx900", "", Features(FeatureWave64, FeatureXNACKSupport), Features(FeatureXNACK), 64, "amdgcn-amd-amdhsa--gfx900"},
		{"", "gfx900", "+xnack", Features(FeatureXNACK), 0, 64, "amdgcn-amd-amdhsa--gfx900:xnack+"},
		{"", "gfx900", "+xnack,-xnack", 0, Features(FeatureXNACK), 64, "amdgcn-amd-amdhsa--gfx900:xnack-"},
		{"", "gfx90a:xnack+", "+sram-ecc", Features(FeatureXNACK, FeatureSRAMECC), 0, 64, "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack+"},
		{"", "gfx90a", "+tgsplit, -xnack ,", Features(FeatureTgSplit), Features(FeatureXNACK), 64, "amdgcn-amd-amdhsa--gfx90a:xnack-"},
		{"", "gfx1010", "", Features(FeatureWave32), Features(FeatureWave64, FeatureCUMode), 32, "amdgcn-amd-amdhsa--gfx1010"},
		{"", "gfx1010", "+wavefrontsize64,+cumode", Features(FeatureWave64, FeatureCUMode), Features(FeatureWave32), 64, "amdgcn-amd-amdhsa--gfx1010"},
		{"", "gfx1010", "-wavefrontsize32,+wavefrontsize64", Features(FeatureWave64), Features(FeatureWave32), 64, "amdgcn-amd-amdhsa--gfx1010"},
		{"", "gfx1010", "-wavefrontsize32", Features(FeatureWave32), Features(FeatureWave64), 32, "amdgcn-amd-amdhsa--gfx1010"},
		{"", "gfx1010", "+wavefrontsize64,-wavefrontsize64", Features(FeatureWave32), Features(FeatureWave64), 32, "amdgcn-amd-amdhsa--gfx1010"},
		{"", "gfx1010", "+wavefrontsize64,+wavefrontsize32", Features(FeatureWave32, FeaturePermissiveWaveSize), Features(FeatureWave64), 32, "amdgcn-amd-amdhsa--gfx1010"},
		{"", "gfx900", "+wavefrontsize64,-wavefrontsize32,-cumode,-sramecc", Features(FeatureWave64), 0, 64, "amdgcn-amd-amdhsa--gfx900"},
		{"", "gfx1100", "-real-true16", Features(FeatureTrue16), Features(FeatureRealTrue16), 32, "amdgcn-amd-amdhsa--gfx1100"},
		{"", "gfx900", "XNACK,+fp64,-gfx8-insts,+SGPR-INIT-BUG", Features(FeatureXNACK, FeatureSGPRInitBug), 0, 64, "amdgcn-amd-amdhsa--gfx900:xnack+"},
		{"", "gfx1250", "", Features(FeatureXNACK, FeatureCUMode), 0, 32, "amdgcn-amd-amdhsa--gfx1250"},
		{"", "gfx1250", "-xnack", 0, Features(FeatureXNACK), 32, "amdgcn-amd-amdhsa--gfx1250:xnack-"},
		{"amdgcn", "", "", Features(FeatureWave64), 0, 64, "amdgcn----gfx600"},
		{"amdgcn--amdhsa", "", "", Features(FeatureWave64), 0, 64, "amdgcn-unknown-amdhsa--gfx700"},
		{"r600", "", "", Features(FeatureWave64), 0, 64, "r600----r600"},
		{"r600", "rs880", "", Features(FeatureWave16), 0, 16, "r600----rs880"},
	}
	for _, tt := range tests {
		got, err := New(tt.triple, tt.cpu, tt.mattr)
		if err != nil {
			t.Errorf("%s %s %s: %v", tt.triple, tt.cpu, tt.mattr, err)
			continue
		}
		if !got.Features.Contains(tt.on) || got.Features&tt.off != 0 || got.WaveSize() != tt.wave || got.String() != tt.id {
			t.Errorf("%s %s %s: got %s, wave size %d, %s", tt.triple, tt.cpu, tt.mattr, got, got.WaveSize(), got.Features)
		}
		if got.COV != DefaultCOV {
			t.Errorf("code object version %d", got.COV)
		}
	}
}

func TestCodeObjectV3(t *testing.T) {
	for mattr, want := range map[string]int{"+code-object-v3": 3, "-code-object-v3": 2, "+code-object-v3,-code-object-v3": 2} {
		if got, err := New("", "gfx900", mattr); err != nil || got.COV != want {
			t.Errorf("%s: %v, %v", mattr, got, err)
		}
	}
}

func TestNewErrors(t *testing.T) {
	tests := []struct{ triple, cpu, mattr, marked, want string }{
		{"amdgcm", "gfx900", "", "[amdgcm]", `unknown architecture "amdgcm"; did you mean "amdgcn"?`},
		{"", "gfx90z", "", "[gfx90z]", `unknown processor "gfx90z"`},
		{"r600", "gfx900", "", "[gfx900]", `processor "gfx900" is of architecture amdgcn, not r600`},
		{"", "gfx900:[", "", "gfx900:[[]", `expected a feature and one sign`},
		{"", "gfx900", "+xnac", "[+xnac]", `unknown feature "xnac"; did you mean "xnack"?`},
		{"", "gfx900", "+xnack,wavefrontsiz64", "+xnack,[wavefrontsiz64]", `did you mean "wavefrontsize64"?`},
		{"", "gfx600", "+fp64,+xnack", "+fp64,[+xnack]", `processor gfx600 does not support xnack`},
		{"", "gfx900", "+sramecc", "[+sramecc]", `processor gfx900 does not support sramecc`},
		{"", "gfx900", "+wavefrontsize32", "[+wavefrontsize32]", `processor gfx900 does not support wavefrontsize32`},
		{"", "gfx1250", "-cumode", "[-cumode]", `processor gfx1250 requires cumode`},
		{"", "gfx900", "--xnack", "[--xnack]", `expected a feature with one sign`},
		{"", "gfx900", "+", "[+]", `expected a feature with one sign`},
	}
	for _, tt := range tests {
		_, err := New(tt.triple, tt.cpu, tt.mattr)
		wrong(t, err, tt.marked, tt.want)
	}
	if _, err := (ID{Triple: HSA}).Target(""); err == nil {
		t.Error("no processor, and no error")
	}
}
