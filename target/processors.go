package target

// The processor table. Sources: the processor tables of the user guides
// (products, alternate names, kind), LLVM 22's ELF header constants (Mach), ISA
// versions and processor definitions (features). gfx940 and gfx941, which LLVM
// 22 has dropped, follow LLVM 17 to 19. Where the guides disagree on a name,
// the newest guide applies: the 2019 guide listed hainan and oland as gfx601,
// and the tongapro products as gfx802.

// Features common to several processors.
const (
	wave32  FeatureSet = 1 << FeatureWave32
	wave64  FeatureSet = 1 << FeatureWave64
	banks16 FeatureSet = 1 << FeatureLDSBanks16
	banks32 FeatureSet = 1 << FeatureLDSBanks32
	fastFMA FeatureSet = 1 << FeatureFastFMA
	half64  FeatureSet = 1 << FeatureHalfRate64
	cov6    FeatureSet = 1 << FeatureRequiresCOV6
	madMix  FeatureSet = 1 << FeatureMadMix
	fmaMix  FeatureSet = 1 << FeatureFmaMix

	hasXNACK   FeatureSet = 1 << FeatureXNACKSupport
	hasSRAMECC FeatureSet = 1 << FeatureSRAMECCSupport

	dots906 FeatureSet = 1<<FeatureDot1 | 1<<FeatureDot2 | 1<<FeatureDot7 | 1<<FeatureDot10
	dots908 FeatureSet = dots906 | 1<<FeatureDot3 | 1<<FeatureDot4 | 1<<FeatureDot5 | 1<<FeatureDot6
	dots10  FeatureSet = dots906 | 1<<FeatureDot5 | 1<<FeatureDot6
	dots11  FeatureSet = 1<<FeatureDot5 | 1<<FeatureDot7 | 1<<FeatureDot10

	gfx8   FeatureSet = wave64 | 1<<FeatureUnpackedD16VMem | banks32
	gfx9   FeatureSet = wave64 | hasXNACK | banks32 | fastFMA | 1<<FeatureImageGather4D16Bug
	gfx906 FeatureSet = gfx9 | hasSRAMECC | fmaMix | half64 | 1<<FeatureDLInsts | dots906
	gfx908 FeatureSet = gfx906 | dots908 | mai | 1<<FeatureAtomicPkAddF16 | 1<<FeatureMFMAInlineLiteralBug
	mai    FeatureSet = 1<<FeatureMAI | 1<<FeaturePkFmacF16 | 1<<FeatureAtomicFAddNoRtn
	cdna2  FeatureSet = wave64 | hasXNACK | hasSRAMECC | banks32 | fastFMA | fmaMix | 1<<FeatureDLInsts | dots908 |
		mai | 1<<FeatureDPP64 | 1<<FeaturePackedTID | 1<<FeatureKernargPreload
	cdna3   FeatureSet = cdna2 | 1<<FeatureArchitectedFlatScratch
	fp8     FeatureSet = 1<<FeatureFP8 | 1<<FeatureFP8Conversion
	gfx942  FeatureSet = cdna3 | fp8 | 1<<FeatureXF32 | 1<<FeatureCvtFP8Bug
	gfx10   FeatureSet = wave32 | banks32 | fastFMA | fmaMix | 1<<FeatureDLInsts | 1<<FeaturePkFmacF16
	gfx10_1 FeatureSet = gfx10 | hasXNACK
	gfx10_3 FeatureSet = gfx10 | dots10 | 1<<FeatureGFX10A
	gfx11x  FeatureSet = gfx10 | 1<<FeatureGFX10A | 1<<FeatureArchitectedFlatScratch | 1<<FeaturePackedTID |
		1<<FeatureTrue16 | 1<<FeatureAtomicFAddNoRtn
	gfx11   FeatureSet = gfx11x | dots11 | 1<<FeatureRealTrue16
	gfx11_5 FeatureSet = gfx11 | 1<<FeatureRequiredExportPriority
	gfx12x  FeatureSet = gfx11x | 1<<FeatureDot7 | 1<<FeatureArchitectedSGPRs | 1<<FeatureFP8Conversion
	gfx12   FeatureSet = gfx12x | 1<<FeatureDot10 | vgprs1_5x
	gfx12_5 FeatureSet = gfx12x | hasXNACK | 1<<FeatureXNACK | hasSRAMECC | 1<<FeatureCUMode | 1<<FeatureKernargPreload

	vgprs1_5x FeatureSet = 1 << FeatureVGPRs1_5x
	userInit  FeatureSet = 1 << FeatureUserSGPRInit16Bug

	// Optional features.
	xnack    FeatureSet = 1 << FeatureXNACK
	sramecc  FeatureSet = 1 << FeatureSRAMECC
	cdnaOpt  FeatureSet = sramecc | 1<<FeatureTgSplit | xnack
	rdnaOpt  FeatureSet = 1<<FeatureCUMode | wave32 | wave64
	rdna1Opt FeatureSet = rdnaOpt | xnack
)

// processors is the table. isa/table/sets.tsv has the generations of the amdgcn
// processors.
var processors = [...]Processor{
	{Name: "r600", Aliases: []string{"rv630", "rv635"}, Gen: R600, Mach: 0x01, Kind: DGPU, Default: wave64},
	{Name: "r630", Gen: R600, Mach: 0x02, Kind: DGPU, Default: wave32},
	{Name: "rs880", Aliases: []string{"rs780", "rv610", "rv620"}, Gen: R600, Mach: 0x03, Kind: DGPU,
		Default: 1 << FeatureWave16},
	{Name: "rv670", Gen: R600, Mach: 0x04, Kind: DGPU, Default: wave64},
	{Name: "rv710", Gen: R700, Mach: 0x05, Kind: DGPU, Default: wave32},
	{Name: "rv730", Gen: R700, Mach: 0x06, Kind: DGPU, Default: wave32},
	{Name: "rv770", Aliases: []string{"rv740"}, Gen: R700, Mach: 0x07, Kind: DGPU, Default: wave64},
	{Name: "cedar", Aliases: []string{"palm"}, Gen: Evergreen, Mach: 0x08, Kind: DGPU, Default: wave32},
	{Name: "cypress", Aliases: []string{"hemlock"}, Gen: Evergreen, Mach: 0x09, Kind: DGPU, Default: wave64},
	{Name: "juniper", Gen: Evergreen, Mach: 0x0a, Kind: DGPU, Default: wave64},
	{Name: "redwood", Gen: Evergreen, Mach: 0x0b, Kind: DGPU, Default: wave64},
	{Name: "sumo", Aliases: []string{"sumo2"}, Gen: Evergreen, Mach: 0x0c, Kind: DGPU, Default: wave64},
	{Name: "barts", Gen: NorthernIslands, Mach: 0x0d, Kind: DGPU, Default: wave64},
	{Name: "caicos", Gen: NorthernIslands, Mach: 0x0e, Kind: DGPU, Default: wave64},
	{Name: "cayman", Aliases: []string{"aruba"}, Gen: NorthernIslands, Mach: 0x0f, Kind: DGPU, Default: wave64},
	{Name: "turks", Gen: NorthernIslands, Mach: 0x10, Kind: DGPU, Default: wave64},

	{Name: "gfx600", Aliases: []string{"tahiti"}, Gen: ofGFX600, Mach: 0x20, Version: Version{6, 0, 0}, Kind: DGPU,
		Default: wave64 | banks32 | fastFMA | half64},
	{Name: "gfx601", Aliases: []string{"pitcairn", "verde"}, Gen: ofGFX601, Mach: 0x21, Version: Version{6, 0, 1},
		Kind: DGPU, Default: wave64 | banks32},
	{Name: "gfx602", Aliases: []string{"hainan", "oland"}, Gen: ofGFX602, Mach: 0x3a, Version: Version{6, 0, 2},
		Kind: DGPU, Default: wave64 | banks32},

	{Name: "gfx700", Aliases: []string{"kaveri"}, Gen: ofGFX700, Mach: 0x22, Version: Version{7, 0, 0}, Kind: APU,
		Default: wave64 | banks32,
		Products: []string{"A6-7000", "A6 Pro-7050B", "A8-7100", "A8 Pro-7150B", "A10-7300", "A10 Pro-7350B",
			"FX-7500", "A8-7200P", "A10-7400P", "FX-7600P"}},
	{Name: "gfx701", Aliases: []string{"hawaii"}, Gen: ofGFX701, Mach: 0x23, Version: Version{7, 0, 1}, Kind: DGPU,
		Default:  wave64 | banks32 | fastFMA | half64,
		Products: []string{"FirePro W8100", "FirePro W9100", "FirePro S9150", "FirePro S9170"}},
	{Name: "gfx702", Gen: ofGFX702, Mach: 0x24, Version: Version{7, 0, 2}, Kind: DGPU,
		Default:  wave64 | banks16 | fastFMA,
		Products: []string{"Radeon R9 290", "Radeon R9 290x", "Radeon R390", "Radeon R390x"}},
	{Name: "gfx703", Aliases: []string{"kabini", "mullins"}, Gen: ofGFX703, Mach: 0x25, Version: Version{7, 0, 3},
		Kind: APU, Default: wave64 | banks16,
		Products: []string{"E1-2100", "E1-2200", "E1-2500", "E2-3000", "E2-3800", "A4-5000", "A4-5100",
			"A6-5200", "A4 Pro-3340B"}},
	{Name: "gfx704", Aliases: []string{"bonaire"}, Gen: ofGFX704, Mach: 0x26, Version: Version{7, 0, 4}, Kind: DGPU,
		Default:  wave64 | banks32,
		Products: []string{"Radeon HD 7790", "Radeon HD 8770", "R7 260", "R7 260X"}},
	{Name: "gfx705", Gen: ofGFX705, Mach: 0x3b, Version: Version{7, 0, 5}, Kind: APU, Default: wave64 | banks16},

	{Name: "gfx801", Aliases: []string{"carrizo"}, Gen: ofGFX801, Mach: 0x28, Version: Version{8, 0, 1}, Kind: APU,
		Default: gfx8 | hasXNACK | fastFMA | half64, Supported: xnack,
		Products: []string{"A6-8500P", "Pro A6-8500B", "A8-8600P", "Pro A8-8600B", "FX-8800P", "Pro A12-8800B",
			"A10-8700P", "Pro A10-8700B", "A10-8780P", "A10-9600P", "A10-9630P", "A12-9700P", "A12-9730P",
			"FX-9800P", "FX-9830P", "E2-9010", "A6-9210", "A9-9410"}},
	{Name: "gfx802", Aliases: []string{"iceland", "tonga"}, Gen: ofGFX802, Mach: 0x29, Version: Version{8, 0, 2},
		Kind: DGPU, Default: gfx8 | 1<<FeatureSGPRInitBug,
		Products: []string{"Radeon R9 285", "Radeon R9 380", "Radeon R9 385"}},
	{Name: "gfx803", Aliases: []string{"fiji", "polaris10", "polaris11"}, Gen: ofGFX803, Mach: 0x2a,
		Version: Version{8, 0, 3}, Kind: DGPU, Default: gfx8,
		Products: []string{"Radeon R9 Nano", "Radeon R9 Fury", "Radeon R9 FuryX", "Radeon Pro Duo",
			"FirePro S9300x2", "Radeon Instinct MI8", "Radeon RX 470", "Radeon RX 480", "Radeon Instinct MI6",
			"Radeon RX 460"}},
	{Name: "gfx805", Aliases: []string{"tongapro"}, Gen: ofGFX805, Mach: 0x3c, Version: Version{8, 0, 5}, Kind: DGPU,
		Default:  gfx8 | 1<<FeatureSGPRInitBug,
		Products: []string{"FirePro S7150", "FirePro S7100", "FirePro W7100", "Mobile FirePro M7170"}},
	{Name: "gfx810", Aliases: []string{"stoney"}, Gen: ofGFX810, Mach: 0x2b, Version: Version{8, 1, 0}, Kind: APU,
		Default:   wave64 | hasXNACK | banks16 | 1<<FeatureImageGather4D16Bug | 1<<FeatureImageStoreD16Bug,
		Supported: xnack},

	{Name: "gfx900", Gen: ofGFX900, Mach: 0x2c, Version: Version{9, 0, 0}, Kind: DGPU, GenericName: "gfx9-generic",
		Default: gfx9 | madMix, Supported: xnack,
		Products: []string{"Radeon Vega Frontier Edition", "Radeon RX Vega 56", "Radeon RX Vega 64",
			"Radeon RX Vega 64 Liquid", "Radeon Instinct MI25"}},
	{Name: "gfx902", Gen: ofGFX902, Mach: 0x2d, Version: Version{9, 0, 2}, Kind: APU, GenericName: "gfx9-generic",
		Default: gfx9 | madMix, Supported: xnack,
		Products: []string{"Ryzen 3 2200G", "Ryzen 5 2400G"}},
	{Name: "gfx904", Gen: ofGFX904, Mach: 0x2e, Version: Version{9, 0, 4}, Kind: DGPU, GenericName: "gfx9-generic",
		Default: gfx9 | fmaMix, Supported: xnack},
	{Name: "gfx906", Gen: ofGFX906, Mach: 0x2f, Version: Version{9, 0, 6}, Kind: DGPU, GenericName: "gfx9-generic",
		Default: gfx906, Supported: sramecc | xnack,
		Products: []string{"Radeon Instinct MI50", "Radeon Instinct MI60", "Radeon VII", "Radeon Pro VII"}},
	{Name: "gfx908", Gen: ofGFX908, Mach: 0x30, Version: Version{9, 0, 8}, Kind: DGPU,
		Default: gfx908, Supported: sramecc | xnack,
		Products: []string{"AMD Instinct MI100 Accelerator"}},
	{Name: "gfx909", Gen: ofGFX909, Mach: 0x31, Version: Version{9, 0, 9}, Kind: APU, GenericName: "gfx9-generic",
		Default: gfx9 | madMix, Supported: xnack},
	{Name: "gfx90a", Gen: ofGFX90A, Mach: 0x3f, Version: Version{9, 0, 10}, Kind: DGPU,
		Default: cdna2, Supported: cdnaOpt,
		Products: []string{"AMD Instinct MI210 Accelerator", "AMD Instinct MI250 Accelerator",
			"AMD Instinct MI250X Accelerator"}},
	{Name: "gfx90c", Gen: ofGFX90C, Mach: 0x32, Version: Version{9, 0, 12}, Kind: APU, GenericName: "gfx9-generic",
		Default: gfx9 | madMix, Supported: xnack,
		Products: []string{"Ryzen 7 4700G", "Ryzen 7 4700GE", "Ryzen 5 4600G", "Ryzen 5 4600GE", "Ryzen 3 4300G",
			"Ryzen 3 4300GE", "Ryzen Pro 4000G", "Ryzen 7 Pro 4700G", "Ryzen 7 Pro 4750GE", "Ryzen 5 Pro 4650G",
			"Ryzen 5 Pro 4650GE", "Ryzen 3 Pro 4350G", "Ryzen 3 Pro 4350GE"}},
	{Name: "gfx940", Gen: ofGFX940, Mach: 0x40, Version: Version{9, 4, 0}, Kind: DGPU,
		Default: gfx942, Supported: cdnaOpt},
	{Name: "gfx941", Gen: ofGFX941, Mach: 0x4b, Version: Version{9, 4, 1}, Kind: DGPU,
		Default: gfx942, Supported: cdnaOpt},
	{Name: "gfx942", Gen: ofGFX942, Mach: 0x4c, Version: Version{9, 4, 2}, Kind: DGPU, GenericName: "gfx9-4-generic",
		Default: gfx942, Supported: cdnaOpt,
		Products: []string{"AMD Instinct MI300X", "AMD Instinct MI300A"}},
	{Name: "gfx950", Gen: ofGFX950, Mach: 0x4f, Version: Version{9, 5, 0}, Kind: DGPU, GenericName: "gfx9-4-generic",
		Default: cdna3 | fp8, Supported: cdnaOpt},

	{Name: "gfx1010", Gen: ofGFX1010, Mach: 0x33, Version: Version{10, 1, 0}, Kind: DGPU,
		GenericName: "gfx10-1-generic", Default: gfx10_1, Supported: rdna1Opt,
		Products: []string{"Radeon Pro 5600 XT", "Radeon RX 5600M", "Radeon RX 5700", "Radeon RX 5700 XT"}},
	{Name: "gfx1011", Gen: ofGFX1011, Mach: 0x34, Version: Version{10, 1, 1}, Kind: DGPU,
		GenericName: "gfx10-1-generic", Default: gfx10_1 | dots10, Supported: rdna1Opt,
		Products: []string{"Radeon Pro V520", "Radeon Pro 5600M"}},
	{Name: "gfx1012", Gen: ofGFX1012, Mach: 0x35, Version: Version{10, 1, 2}, Kind: DGPU,
		GenericName: "gfx10-1-generic", Default: gfx10_1 | dots10, Supported: rdna1Opt,
		Products: []string{"Radeon RX 5500", "Radeon RX 5500 XT"}},
	{Name: "gfx1013", Gen: ofGFX1013, Mach: 0x42, Version: Version{10, 1, 3}, Kind: APU,
		GenericName: "gfx10-1-generic", Default: gfx10_1 | 1<<FeatureGFX10A, Supported: rdna1Opt},
	{Name: "gfx1030", Gen: ofGFX1030, Mach: 0x36, Version: Version{10, 3, 0}, Kind: DGPU,
		GenericName: "gfx10-3-generic", Default: gfx10_3, Supported: rdnaOpt,
		Products: []string{"Radeon RX 6800", "Radeon RX 6800 XT", "Radeon RX 6900 XT", "Radeon PRO W6800",
			"Radeon PRO V620"}},
	{Name: "gfx1031", Gen: ofGFX1031, Mach: 0x37, Version: Version{10, 3, 1}, Kind: DGPU,
		GenericName: "gfx10-3-generic", Default: gfx10_3, Supported: rdnaOpt,
		Products: []string{"Radeon RX 6700 XT"}},
	{Name: "gfx1032", Gen: ofGFX1032, Mach: 0x38, Version: Version{10, 3, 2}, Kind: DGPU,
		GenericName: "gfx10-3-generic", Default: gfx10_3, Supported: rdnaOpt},
	{Name: "gfx1033", Gen: ofGFX1033, Mach: 0x39, Version: Version{10, 3, 3}, Kind: APU,
		GenericName: "gfx10-3-generic", Default: gfx10_3, Supported: rdnaOpt},
	{Name: "gfx1034", Gen: ofGFX1034, Mach: 0x3e, Version: Version{10, 3, 4}, Kind: DGPU,
		GenericName: "gfx10-3-generic", Default: gfx10_3, Supported: rdnaOpt},
	{Name: "gfx1035", Gen: ofGFX1035, Mach: 0x3d, Version: Version{10, 3, 5}, Kind: APU,
		GenericName: "gfx10-3-generic", Default: gfx10_3, Supported: rdnaOpt},
	{Name: "gfx1036", Gen: ofGFX1036, Mach: 0x45, Version: Version{10, 3, 6}, Kind: APU,
		GenericName: "gfx10-3-generic", Default: gfx10_3, Supported: rdnaOpt},

	{Name: "gfx1100", Gen: ofGFX1100, Mach: 0x41, Version: Version{11, 0, 0}, Kind: DGPU,
		GenericName: "gfx11-generic", Default: gfx11 | vgprs1_5x | userInit, Supported: rdnaOpt,
		Products: []string{"Radeon PRO W7900 Dual Slot", "Radeon PRO W7900", "Radeon PRO W7800",
			"Radeon RX 7900 XTX", "Radeon RX 7900 XT", "Radeon RX 7900 GRE"}},
	{Name: "gfx1101", Gen: ofGFX1101, Mach: 0x46, Version: Version{11, 0, 1}, Kind: DGPU,
		GenericName: "gfx11-generic", Default: gfx11 | vgprs1_5x, Supported: rdnaOpt,
		Products: []string{"Radeon RX 7800 XT", "Radeon RX 7700 XT", "Radeon RX 7700"}},
	{Name: "gfx1102", Gen: ofGFX1102, Mach: 0x47, Version: Version{11, 0, 2}, Kind: DGPU,
		GenericName: "gfx11-generic", Default: gfx11 | userInit, Supported: rdnaOpt,
		Products: []string{"Radeon RX 7600 XT", "Radeon RX 7600"}},
	{Name: "gfx1103", Gen: ofGFX1103, Mach: 0x44, Version: Version{11, 0, 3}, Kind: APU,
		GenericName: "gfx11-generic", Default: gfx11, Supported: rdnaOpt},
	{Name: "gfx1150", Gen: ofGFX1150, Mach: 0x43, Version: Version{11, 5, 0}, Kind: APU,
		GenericName: "gfx11-generic", Default: gfx11_5 | 1<<FeaturePointSampleAccel, Supported: rdnaOpt,
		Products: []string{"Radeon 890M"}},
	{Name: "gfx1151", Gen: ofGFX1151, Mach: 0x4a, Version: Version{11, 5, 1}, Kind: APU,
		GenericName: "gfx11-generic", Default: gfx11_5 | 1<<FeaturePointSampleAccel | vgprs1_5x, Supported: rdnaOpt,
		Products: []string{"Radeon 8060S"}},
	{Name: "gfx1152", Gen: ofGFX1152, Mach: 0x55, Version: Version{11, 5, 2}, Kind: APU,
		GenericName: "gfx11-generic", Default: gfx11_5 | 1<<FeaturePointSampleAccel, Supported: rdnaOpt,
		Products: []string{"Radeon 860M"}},
	{Name: "gfx1153", Gen: ofGFX1153, Mach: 0x58, Version: Version{11, 5, 3}, Kind: APU,
		GenericName: "gfx11-generic", Default: gfx11_5, Supported: rdnaOpt},

	{Name: "gfx1200", Gen: ofGFX1200, Mach: 0x48, Version: Version{12, 0, 0}, Kind: DGPU,
		GenericName: "gfx12-generic", Default: gfx12, Supported: rdnaOpt,
		Products: []string{"Radeon RX 9060", "Radeon RX 9060 XT"}},
	{Name: "gfx1201", Gen: ofGFX1201, Mach: 0x4e, Version: Version{12, 0, 1}, Kind: DGPU,
		GenericName: "gfx12-generic", Default: gfx12, Supported: rdnaOpt,
		Products: []string{"Radeon RX 9070", "Radeon RX 9070 XT", "Radeon RX 9070 GRE"}},
	{Name: "gfx1250", Gen: ofGFX1250, Mach: 0x49, Version: Version{12, 5, 0}, Kind: APU,
		Default: gfx12_5 | 1<<FeatureSetregVGPRMSBFixup, Supported: sramecc | xnack},
	{Name: "gfx1251", Gen: ofGFX1251, Mach: 0x5a, Version: Version{12, 5, 1}, Kind: APU,
		Default: gfx12_5 | 1<<FeatureDPP64, Supported: sramecc | xnack},

	{Name: "gfx9-generic", Gen: ofGFX9_GENERIC, Mach: 0x51, Generic: 1, Version: Version{9, 0, 0},
		Default: gfx9 | cov6, Supported: xnack},
	{Name: "gfx9-4-generic", Gen: ofGFX9_4_GENERIC, Mach: 0x5f, Generic: 1, Version: Version{9, 4, 0},
		Default: cdna3 | cov6, Supported: cdnaOpt},
	{Name: "gfx10-1-generic", Gen: ofGFX10_1_GENERIC, Mach: 0x52, Generic: 1, Version: Version{10, 1, 0},
		Default: gfx10_1 | cov6, Supported: rdna1Opt},
	{Name: "gfx10-3-generic", Gen: ofGFX10_3_GENERIC, Mach: 0x53, Generic: 1, Version: Version{10, 3, 0},
		Default: gfx10_3 | cov6, Supported: rdnaOpt},
	{Name: "gfx11-generic", Gen: ofGFX11_GENERIC, Mach: 0x54, Generic: 1, Version: Version{11, 0, 3},
		Default: gfx11_5 | userInit | cov6, Supported: rdnaOpt},
	{Name: "gfx12-generic", Gen: ofGFX12_GENERIC, Mach: 0x59, Generic: 1, Version: Version{12, 0, 0},
		Default: gfx12 | cov6, Supported: rdnaOpt},

	// LLVM's default processors, for a triple without an operating system and
	// for amdhsa.
	{Name: "generic", Gen: GFX6, Version: Version{6, 0, 0}, Default: wave64},
	{Name: "generic-hsa", Gen: GFX7, Version: Version{7, 0, 0}, Default: wave64},
}
