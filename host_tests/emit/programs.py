"""The programs that the checks of emitted text run."""
import shutil
import subprocess
import sys


def run(*command, may_skip=False):
    """Runs a command; ends with what it printed if it fails, or if it skips and may do so."""
    made = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    if may_skip and made.returncode == 77:
        print(made.stdout)
        sys.exit(77)
    if made.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{made.stdout[:4000]}")


def find(name):
    """Where a program is; ends as a skipped test where it is not installed."""
    found = shutil.which(name)
    if found is None:
        print(f"{name} is not installed")
        sys.exit(77)
    return found
