"""What _process.py starts: _child.py EXTENSION DESCRIPTOR WORD..., the command line with progress to a descriptor."""
import os
import signal
import sys

extension, progress, *words = sys.argv[1:]
sys.path[:0] = [os.path.dirname(extension)]
import _program  # noqa: E402, on its own, without the package and what that imports

signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # nobody is left to tell of progress: end
os._exit(_program.run([os.fsencode(word) for word in words], extension, int(progress)))
