// Package image describes images of AMD GPUs: the words of resources and
// samplers of every generation, the data formats of texels, and the filtering
// of samples. The simulator executes image and buffer instructions with it, and
// the runtime creates image objects.
//
// Sources: AMD's ISA documents, "Vector memory image instructions", "Image
// resource" and "Sampler resource"; Mesa's register descriptions; ROCm's image
// library. Where they leave a rule open, the Vulkan specification, "Image
// operations", defines it.
package image
