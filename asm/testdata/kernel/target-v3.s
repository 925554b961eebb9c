// RUN amdgcn-amd-amdhsa gfx906 +xnack 3
.amdgcn_target "amdgcn-amd-amdhsa--gfx906+xnack+sram-ecc"
s_endpgm
