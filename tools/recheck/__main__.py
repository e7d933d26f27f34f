#!/usr/bin/env python3
"""Runs the package as a program, whatever its folder, its zip file or a link to this file is called."""

import importlib
import os
import sys
import types

sys.dont_write_bytecode = True  # in the folder it is installed in
package = __package__
if not package:  # not run with -m: the package is what this file is in
    package = "recheck"
    sys.modules[package] = types.ModuleType(package)
    sys.modules[package].__path__ = [os.path.dirname(os.path.realpath(__file__))]
sys.exit(importlib.import_module(f"{package}.command_line").program(sys.argv[1:]))
