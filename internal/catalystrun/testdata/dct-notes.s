# The sample of the CLRX documentation, with the metadata and notes of a driver.
.amd
.gpu Pitcairn
.32bit
.include "common.inc"
.compile_options ""
.driver_info "@(#) OpenCL 1.2 AMD-APP (1702.3).  Driver version: 1702.3 (VM)"
.kernel DCT
    .header
        .int 0, 0, 0, 0, 0, 1, 0, 0
    .metadata
        .ascii ";ARGSTART:__OpenCL_DCT_kernel\n;version:3:1:111\n;device:pitcairn\n;uniqueid:1024\n"
        .ascii ";memory:uavprivate:0\n;memory:hwlocal:0\n;memory:hwregion:0\n"
        .ascii ";pointer:output:float:1:1:0:uav:12:4:RW:0:0\n"
        .ascii ";pointer:input:float:1:1:16:uav:13:4:RO:0:0\n"
        .ascii ";pointer:dct8x8:float:1:1:32:uav:14:4:RO:0:0\n"
        .ascii ";pointer:inter:float:1:1:48:hl:1:4:RW:0:0\n"
        .ascii ";value:width:u32:1:1:64\n;value:blockWidth:u32:1:1:80\n;value:inverse:u32:1:1:96\n"
        .ascii ";function:1:1030\n;uavid:11\n;printfid:9\n;cbid:10\n;privateid:8\n"
        .ascii ";reflection:0:float*\n;reflection:1:float*\n;reflection:2:float*\n;reflection:3:float*\n"
        .ascii ";reflection:4:uint\n;reflection:5:uint\n;reflection:6:uint\n;ARGEND:__OpenCL_DCT_kernel\n"
    .data
        .fill 4736, 1, 0
    .inputs
    .outputs
    .uav
        .entry 12, 4, 0, 5
        .entry 13, 4, 0, 5
        .entry 14, 4, 0, 5
        .entry 11, 4, 0, 5
    .condout 0
    .floatconsts
    .intconsts
    .boolconsts
    .earlyexit 0
    .globalbuffers
    .constantbuffers
        .cbmask 0, 32764
        .cbmask 1, 0
    .inputsamplers
    .scratchbuffers
        .int 0
    .persistentbuffers
    .proginfo
        .entry 0x80001000, 3
        .entry 0x80001001, 23
        .entry 0x80001002, 0
        .entry 0x80001003, 2
        .entry 0x80001004, 2
        .entry 0x80001005, 2
        .entry 0x80001006, 0
        .entry 0x80001007, 4
        .entry 0x80001008, 4
        .entry 0x80001009, 2
        .entry 0x8000100a, 1
        .entry 0x8000100b, 8
        .entry 0x8000100c, 4
        .entry 0x80001041, 11
        .entry 0x80001042, 24
        .entry 0x80001863, 102
        .entry 0x80001864, 256
        .entry 0x80001043, 0xc0
        .entry 0x80001044, 0
        .entry 0x80001045, 0
        .entry 0x00002e13, 0x400998
        .entry 0x8000001c, 256
        .entry 0x8000001d, 0
        .entry 0x8000001e, 0
        .entry 0x80001841, 0
        .entry 0x8000001f, 0x7000
        .entry 0x80001843, 0x7000
    .for at = 0x80001844, at <= 0x80001862, at + 1
        .entry at, 0
    .endr
        .entry 0x8000000a, 1
        .entry 0x80000078, 64
        .entry 0x80000081, 32768
        .entry 0x80000082, 32768
    .subconstantbuffers
    .uavmailboxsize 0
    .uavopmask
        .int 0x7000
        .fill 124, 1, 0
    .text
        .include "dct-code.inc"
