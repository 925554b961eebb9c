// for no operating system, what only GNU defines changes the OS ABI
.section .d,"awR",@progbits
.quad f+1
.text
f: s_branch f
