package unprivileged

import (
	"os/exec"
	"syscall"
)

const nobody = 65534

// become lets a command run as nobody.
func become(cmd *exec.Cmd) bool {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return true
}
