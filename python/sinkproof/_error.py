from . import _program


class Error(Exception):
    """What a command refuses to do or could not do.

    code: such as "SP0201", as docs/ERRORS.md lists them; None where an option's value is at fault.
    where, field: the file and the step or field; None where there is none.
    what, message: what is wrong, and what to do about this case.
    remedy: what docs/ERRORS.md says to do about this code; None without a code, and where `what` already says what to do.
    result: what the command printed all the same (of several files, the verdicts of the others), or None.
    """

    __module__ = "sinkproof"

    def __init__(self, code, where, what, result=None, says_all=False):
        super().__init__(code, where, what, result, says_all)
        self.code, self.where, self.what, self.result, self.says_all = self.args

    @property
    def field(self):
        return self.where

    @property
    def message(self):
        return self.what

    @property
    def remedy(self):
        return self.code and not self.says_all and _program.remedy(self.code) or None

    def __str__(self):
        said = " ".join(word for word in (self.code, self.where and f"{self.where}:", self.what) if word)
        return f"{said}\nWhat to do: {self.remedy}" if self.remedy else said
