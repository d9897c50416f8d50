//go:build !linux

package main

import "os"

// residentMiB is 0: other systems count the resident set in other units, or not
// at all.
func residentMiB(*os.ProcessState) float64 { return 0 }
