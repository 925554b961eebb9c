// Package sim is a simulated AMD GPU.
package sim
