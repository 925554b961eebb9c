// RUN amdgcn-amd-amdhsa gfx90a +xnack,-sramecc 4 5 6
.amdgcn_target "amdgcn-amd-amdhsa--gfx90a:sramecc-:xnack+"
s_endpgm
