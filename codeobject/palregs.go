package codeobject

import "strconv"

// palRegisterRow names count registers from first on. More than one are
// numbered: NAME_0, NAME_1.
type palRegisterRow struct {
	first, count uint32
	name         string
	// number is the suffix of the first register if they are numbered.
	number uint32
}

// palRegisterRows lists the registers that LLVM names in PAL metadata.
//
// Source: LLVM 22's AMDGPUPALMetadata.cpp; AMD's register documents.
var palRegisterRows = [...]palRegisterRow{
	{0x2c06, 1, "SPI_SHADER_PGM_CHKSUM_PS", 0},
	{0x2c07, 1, "SPI_SHADER_PGM_RSRC3_PS", 0},
	{0x2c0a, 1, "SPI_SHADER_PGM_RSRC1_PS", 0},
	{0x2c0b, 1, "SPI_SHADER_PGM_RSRC2_PS", 0},
	{0x2c0c, 32, "SPI_SHADER_USER_DATA_PS", 0},
	{0x2c32, 4, "SPI_SHADER_USER_ACCUM_PS", 0},
	{0x2c45, 1, "SPI_SHADER_PGM_CHKSUM_VS", 0},
	{0x2c46, 1, "SPI_SHADER_PGM_RSRC3_VS", 0},
	{0x2c4a, 1, "SPI_SHADER_PGM_RSRC1_VS", 0},
	{0x2c4b, 1, "SPI_SHADER_PGM_RSRC2_VS", 0},
	{0x2c4c, 32, "SPI_SHADER_USER_DATA_VS", 0},
	{0x2c72, 4, "SPI_SHADER_USER_ACCUM_VS", 0},
	{0x2c80, 1, "SPI_SHADER_PGM_CHKSUM_GS", 0},
	{0x2c81, 1, "SPI_SHADER_PGM_RSRC4_GS", 0},
	{0x2c87, 1, "SPI_SHADER_PGM_RSRC3_GS", 0},
	{0x2c88, 1, "SPI_SHADER_PGM_LO_GS", 0},
	{0x2c8a, 1, "SPI_SHADER_PGM_RSRC1_GS", 0},
	{0x2c8b, 1, "SPI_SHADER_PGM_RSRC2_GS", 0},
	{0x2c8c, 32, "SPI_SHADER_USER_DATA_GS", 0},
	{0x2cb2, 4, "SPI_SHADER_USER_ACCUM_ESGS", 0},
	{0x2cc7, 1, "SPI_SHADER_PGM_RSRC3_ES", 0},
	{0x2cca, 1, "SPI_SHADER_PGM_RSRC1_ES", 0},
	{0x2ccb, 1, "SPI_SHADER_PGM_RSRC2_ES", 0},
	{0x2ccc, 32, "SPI_SHADER_USER_DATA_ES", 0},
	{0x2d00, 1, "SPI_SHADER_PGM_CHKSUM_HS", 0},
	{0x2d07, 1, "SPI_SHADER_PGM_RSRC3_HS", 0},
	{0x2d0a, 1, "SPI_SHADER_PGM_RSRC1_HS", 0},
	{0x2d0b, 1, "SPI_SHADER_PGM_RSRC2_HS", 0},
	{0x2d0c, 32, "SPI_SHADER_USER_DATA_HS", 0},
	{0x2d32, 4, "SPI_SHADER_USER_ACCUM_LSHS", 0},
	{0x2d47, 1, "SPI_SHADER_PGM_RSRC3_LS", 0},
	{0x2d4a, 1, "SPI_SHADER_PGM_RSRC1_LS", 0},
	{0x2d4b, 1, "SPI_SHADER_PGM_RSRC2_LS", 0},
	{0x2d4c, 16, "SPI_SHADER_USER_DATA_LS", 0},
	{0x2e00, 1, "COMPUTE_DISPATCH_INITIATOR", 0},
	{0x2e07, 1, "COMPUTE_NUM_THREAD_X", 0},
	{0x2e08, 1, "COMPUTE_NUM_THREAD_Y", 0},
	{0x2e09, 1, "COMPUTE_NUM_THREAD_Z", 0},
	{0x2e12, 1, "COMPUTE_PGM_RSRC1", 0},
	{0x2e13, 1, "COMPUTE_PGM_RSRC2", 0},
	{0x2e18, 1, "COMPUTE_TMPRING_SIZE", 0},
	{0x2e24, 4, "COMPUTE_USER_ACCUM", 0},
	{0x2e28, 1, "COMPUTE_PGM_RSRC3", 0},
	{0x2e2a, 1, "COMPUTE_SHADER_CHKSUM", 0},
	{0x2e40, 32, "COMPUTE_USER_DATA", 0},

	{0xa08f, 1, "CB_SHADER_MASK", 0},
	{0xa191, 32, "SPI_PS_INPUT_CNTL", 0},
	{0xa1b1, 1, "SPI_VS_OUT_CONFIG", 0},
	{0xa1b3, 1, "SPI_PS_INPUT_ENA", 0},
	{0xa1b4, 1, "SPI_PS_INPUT_ADDR", 0},
	{0xa1b5, 1, "SPI_INTERP_CONTROL_0", 0},
	{0xa1b6, 1, "SPI_PS_IN_CONTROL", 0},
	{0xa1b8, 1, "SPI_BARYC_CNTL", 0},
	{0xa1ba, 1, "SPI_TMPRING_SIZE", 0},
	{0xa1c2, 1, "SPI_SHADER_IDX_FORMAT", 0},
	{0xa1c3, 1, "SPI_SHADER_POS_FORMAT", 0},
	{0xa1c4, 1, "SPI_SHADER_Z_FORMAT", 0},
	{0xa1c5, 1, "SPI_SHADER_COL_FORMAT", 0},
	{0xa1ff, 1, "GE_MAX_OUTPUT_PER_SUBGROUP", 0},
	{0xa203, 1, "DB_SHADER_CONTROL", 0},
	{0xa204, 1, "PA_CL_CLIP_CNTL", 0},
	{0xa206, 1, "PA_CL_VTE_CNTL", 0},
	{0xa207, 1, "PA_CL_VS_OUT_CNTL", 0},
	{0xa210, 1, "PA_STEREO_CNTL", 0},
	{0xa286, 1, "VGT_HOS_MAX_TESS_LEVEL", 0},
	{0xa287, 1, "VGT_HOS_MIN_TESS_LEVEL", 0},
	{0xa290, 1, "VGT_GS_MODE", 0},
	{0xa291, 1, "VGT_GS_ONCHIP_CNTL", 0},
	{0xa293, 1, "PA_SC_MODE_CNTL_1", 0},
	{0xa297, 1, "VGT_GS_PER_VS", 0},
	{0xa298, 3, "VGT_GSVS_RING_OFFSET", 1},
	{0xa29b, 1, "VGT_GS_OUT_PRIM_TYPE", 0},
	{0xa2a1, 1, "VGT_PRIMITIVEID_EN", 0},
	{0xa2a5, 1, "VGT_GS_MAX_PRIMS_PER_SUBGROUP", 0},
	{0xa2aa, 1, "IA_MULTI_VGT_PARAM", 0},
	{0xa2ab, 1, "VGT_ESGS_RING_ITEMSIZE", 0},
	{0xa2ac, 1, "VGT_GSVS_RING_ITEMSIZE", 0},
	{0xa2ad, 1, "VGT_REUSE_OFF", 0},
	{0xa2b5, 1, "VGT_STRMOUT_VTX_STRIDE_0", 0},
	{0xa2b9, 1, "VGT_STRMOUT_VTX_STRIDE_1", 0},
	{0xa2bd, 1, "VGT_STRMOUT_VTX_STRIDE_2", 0},
	{0xa2c1, 1, "VGT_STRMOUT_VTX_STRIDE_3", 0},
	{0xa2ce, 1, "VGT_GS_MAX_VERT_OUT", 0},
	{0xa2d3, 1, "GE_NGG_SUBGRP_CNTL", 0},
	{0xa2d5, 1, "VGT_SHADER_STAGES_EN", 0},
	{0xa2d6, 1, "VGT_LS_HS_CONFIG", 0},
	{0xa2d7, 1, "VGT_GS_VERT_ITEMSIZE", 0},
	{0xa2d8, 3, "VGT_GS_VERT_ITEMSIZE", 1},
	{0xa2db, 1, "VGT_TF_PARAM", 0},
	{0xa2e4, 1, "VGT_GS_INSTANCE_CNT", 0},
	{0xa2e5, 1, "VGT_STRMOUT_CONFIG", 0},
	{0xa2e6, 1, "VGT_STRMOUT_BUFFER_CONFIG", 0},
	{0xa2f8, 1, "PA_SC_AA_CONFIG", 0},
	{0xa2f9, 1, "PA_SU_VTX_CNTL", 0},
	{0xa310, 1, "PA_SC_SHADER_CONTROL", 0},
	{0xa313, 1, "PA_SC_CONSERVATIVE_RASTERIZATION_CNTL", 0},
	{0xa316, 1, "VGT_VERTEX_REUSE_BLOCK_CNTL", 0},

	{0xc258, 1, "IA_MULTI_VGT_PARAM_PIPED", 0},
	{0xc25f, 1, "GE_STEREO_CNTL", 0},
	{0xc262, 1, "GE_USER_VGPR_EN", 0},
}

// PALRegisterName returns the name of a register in PAL metadata, or "" if LLVM
// has no name for it.
func PALRegisterName(register uint64) string {
	for i := range palRegisterRows {
		r := &palRegisterRows[i]
		if n := register - uint64(r.first); register >= uint64(r.first) && n < uint64(r.count) {
			if r.count == 1 {
				return r.name
			}
			return r.name + "_" + strconv.FormatUint(n+uint64(r.number), 10)
		}
	}
	return ""
}
