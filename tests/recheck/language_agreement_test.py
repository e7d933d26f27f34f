#!/usr/bin/env python3
"""The two checkers agree on language certificates: python3 tests/recheck/language_agreement_test.py FOLDER-OF-SINKPROOF-CHECK

Certificates of language_test.py, good and bad, are judged by both: both accept or neither does. They need not agree on
those of what vanishes, where it matters how wide an enclosure comes out.
"""

import os
import subprocess
import sys
import unittest

import language_test
from language_test import CLAIMS

PROGRAM = ""


class Both(language_test.LanguageCase):
    def check(self, value):
        code, reason = super().check(value)
        models = ["--models", self.options.models] if self.options.models else []
        done = subprocess.run([os.path.join(PROGRAM, "sinkproof-check"), "--claims", CLAIMS, *models, os.path.join(self.folder, "certificate.json")],
                              capture_output=True, text=True, timeout=300, check=False)
        with self.subTest(done.stdout):
            self.assertEqual(done.returncode == 0, code == 0, f"{done.returncode}, and {code}: {reason!r}")
            if code == 0:
                self.assertIn(self.remarks(value), done.stdout)
        return code, reason


class Accepted(Both, language_test.Accepted):
    test_what_vanishes = test_enclosures_hold_at_every_precision = None


class Rejected(Both, language_test.Rejected):
    test_tensors = None  # recheck reads every row of every tensor, the program those that are looked at


class Folders(Both, language_test.Folders):
    pass


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
