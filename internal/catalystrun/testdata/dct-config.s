# The sample of the CLRX documentation, with a configuration.
.amd
.gpu Pitcairn
.32bit
.include "common.inc"
.kernel DCT
    .config
        .dims xy
        .arg output, float*, global
        .arg input, float*, global, const
        .arg dct8x8, float*, global, const
        .arg inter, float*, local
        .arg width, uint
        .arg blockWidth, uint
        .arg inverse, uint
        .userdata ptr_uav_table, 0, 2, 2
        .userdata imm_const_buffer, 0, 4, 4
        .userdata imm_const_buffer, 1, 8, 4
    .text
        .include "dct-code.inc"
