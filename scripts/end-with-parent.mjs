// Loaded into a server that was started in a process group of its own, with a pipe as its standard input: when
// the process at the other end is gone, however it died, the pipe ends, and with it the whole group.
process.stdin.once("end", () => process.kill(0, "SIGKILL")).resume();
process.stdin.unref();
